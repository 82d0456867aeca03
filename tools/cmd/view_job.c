/* SPDX-License-Identifier: MIT */
/* view_job.c - has traces read, and makes one page of what comes. */
#include "tools/cmd/view_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/output.h"
#include "tools/base/say.h"
#include "tools/cmd/warn.h"
#include "tools/report/job.h"
#include "tools/report/report_json.h"
#include "tools/run/run.h"
#include "tools/team/runs.h"
#include "tools/view/job_page.h"

/* ---- one trace, in a child ---- */

/* The parts of a page, as texts behind the sums of the process. */
static int hand_over_parts(FILE *result, const struct view *view, uint32_t n_processes)
{
	char *text[VIEW_PARTS] = { NULL };
	FILE *out[VIEW_PARTS] = { NULL };
	size_t n[VIEW_PARTS];
	int error = 0;

	for (int i = 0; i < VIEW_PARTS; i++) {
		out[i] = open_memstream(&text[i], &n[i]);
		error = out[i] ? error : -ENOMEM;
	}
	if (!error)
		error = view_put_process(out, view, n_processes);
	for (int i = 0; i < VIEW_PARTS; i++)
		if (out[i] && fclose(out[i]) != 0)
			error = -ENOMEM;
	for (int i = 0; i < VIEW_PARTS; i++) {
		if (!error)
			bytes_put_text(result, text[i]);
		free(text[i]);
	}
	return error;
}

static int hand_over_process(FILE *result, const struct run *run, const struct summary *summary,
			     const struct job_request *request, struct err *err)
{
	const struct view_side side = { .label = summary->file->path, .summary = summary };
	struct processes one = { 0 };
	struct view *view = NULL;
	int error = processes_one(&one, run->reader, summary);

	if (!error)
		processes_write(result, &one);
	processes_free(&one);
	if (error)
		return err_no_memory(err);
	error = view_open(&view, &side, 1, &request->wanted, err);
	if (!error && hand_over_parts(result, view, request->n_processes) < 0)
		error = err_no_memory(err);
	view_close(view);
	return error;
}

int view_job_piece(void *context, const char *path, FILE *result)
{
	const struct job_request *request = context;
	struct summary summary = { 0 };
	struct run run = { 0 };
	struct err err = { 0 };
	int status = 0;
	int error = run_open(&run, path, NULL, &err);

	if (!error)
		error = summary_build(&summary, &run, SUMMARY_USUAL | SUMMARY_PATHS, &err);
	if (!error)
		error = hand_over_process(result, &run, &summary, request, &err);
	if (!error)
		status = warn_of(&run) ? 1 : 0;
	summary_free(&summary);
	run_close(&run);
	return error ? say_fail(&err) : status;
}

/* ---- all of them ---- */

struct gathered {
	struct processes all;
	struct job_process *process; /* all.n, with texts of its own */
	uint64_t room;
	uint32_t n_bad;
	bool no_memory;
};

static int add_handed_over(struct gathered *to, struct bytes *bytes)
{
	struct processes one = { 0 };
	char *text[VIEW_PARTS] = { NULL };
	uint32_t i = to->all.n;
	int error = processes_read(&one, bytes, &to->all.spool);

	for (int part = 0; part < VIEW_PARTS; part++)
		text[part] = bytes_get_text(bytes);
	if (bytes->short_of || !array_grow(&to->process, &to->room, i + 1ull, sizeof(*to->process)))
		error = -ENOMEM;
	if (!error)
		error = processes_add(&to->all, &one);
	processes_free(&one);
	if (error) {
		for (int part = 0; part < VIEW_PARTS; part++)
			free(text[part]);
		return error;
	}
	to->process[i] = (struct job_process){ .about = text[VIEW_ABOUT],
					       .states = text[VIEW_STATES],
					       .blocks = text[VIEW_BLOCKS] };
	return 0;
}

static void take_process(void *context, uint32_t i, const struct crew_done *done)
{
	struct gathered *to = context;
	struct bytes bytes = { .at = done->result.at, .n = done->result.n };

	(void)i;
	if (done->result.n)
		to->no_memory |= add_handed_over(to, &bytes) < 0;
}

/* Once no process is added any more: they may move until then. */
static void name_processes(struct gathered *of)
{
	for (uint32_t i = 0; i < of->all.n; i++) {
		const struct process *process = &of->all.process[i];
		struct job_process *to = &of->process[i];

		to->host = process->id.host;
		to->program = process->id.program;
		to->ended = process->id.ended;
		to->has_rank = process->id.has_rank;
		to->rank = process->id.rank;
		to->pid = process->id.pid;
		to->path = process->path;
		to->begin_ns = process->rank.calls.begin_ns;
	}
}

static void free_gathered(struct gathered *of)
{
	for (uint32_t i = 0; i < of->all.n && of->process; i++) {
		free((char *)of->process[i].about);
		free((char *)of->process[i].states);
		free((char *)of->process[i].blocks);
	}
	free(of->process);
	processes_free(&of->all);
}

/* ---- the page ---- */

struct total {
	const struct gathered *of;
	const struct job *job;
};

static int put_total(FILE *out, const void *context)
{
	const struct total *total = context;

	return json_total(out, &total->of->all, total->job, total->of->n_bad);
}

static void move_to_front(uint32_t *order, uint32_t n, uint32_t first)
{
	uint32_t at = 0;

	while (at < n && order[at] != first)
		at++;
	if (at == n)
		return;
	memmove(order + 1, order, at * sizeof(*order));
	order[0] = first;
}

/* Those that findings name, the main one's first; then the others as they are. */
static uint32_t *order_pages(const struct gathered *of, const struct job *job)
{
	static const char *const naming[] = { "waiting_rank", "rank" };
	uint32_t *order = malloc((of->all.n + 1ull) * sizeof(*order));

	for (uint32_t i = 0; order && i < of->all.n; i++)
		order[i] = i;
	for (uint32_t f = job->findings.n; order && f-- > 0;)
		for (size_t k = 0; k < sizeof(naming) / sizeof(naming[0]); k++) {
			const struct fact *fact = fact_of(&job->findings.finding[f], naming[k]);

			for (uint32_t i = 0; fact && i < of->all.n; i++)
				if (of->all.process[i].id.has_rank &&
				    of->all.process[i].id.rank == fact->n)
					move_to_front(order, of->all.n, i);
		}
	return order;
}

static int write_page(const char *path, struct gathered *of, struct err *err)
{
	struct job job = { 0 };
	struct output output = { 0 };
	uint32_t *order = NULL;
	int error = output_file(&output, path, err);

	name_processes(of);
	if (!error && job_find(&job, &of->all) < 0)
		error = err_no_memory(err);
	processes_sort(&of->all);
	if (!error && !(order = order_pages(of, &job)))
		error = err_no_memory(err);
	if (!error &&
	    job_put(output.file, &(struct job_page){ .process = of->process,
						     .order = order,
						     .n = of->all.n,
						     .findings = &job.findings,
						     .put_total = put_total,
						     .context = &(struct total){ of, &job } }) < 0)
		error = err_no_memory(err);
	if (!error)
		error = output_keep(&output, err);
	output_discard(&output);
	free(order);
	job_free(&job);
	return error;
}

int view_job(const struct job_request *request, struct team *team, struct inputs *inputs)
{
	struct gathered all = { .all.n_jobs = 1 };
	struct runs runs = { .team = team, .take = take_process, .context = &all };
	struct err err = { 0 };
	int error = runs_of_inputs(&runs, inputs, false, &err), end = team_close(team, &err);

	error = error ?: end;
	if (!error && all.no_memory)
		error = err_no_memory(&err);
	all.n_bad = inputs->n_bad + inputs->n - all.all.n;
	if (!error && all.all.n)
		error = write_page(request->output, &all, &err);
	free_gathered(&all);
	if (error)
		return say_fail(&err);
	return runs.status ?: inputs->n_bad ? 1 : 0;
}
