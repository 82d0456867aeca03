/* SPDX-License-Identifier: MIT */
/* view_job.c - has traces read, and makes one page of what comes. */
#include "tools/cmd/view_job.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/output.h"
#include "tools/base/say.h"
#include "tools/base/xalloc.h"
#include "tools/cmd/warn.h"
#include "tools/report/job.h"
#include "tools/report/report_json.h"
#include "tools/run/run.h"
#include "tools/team/runs.h"
#include "tools/view/job_page.h"

/* ---- one trace, in a child ---- */

enum text { TEXT_ABOUT, TEXT_STATES, TEXT_BLOCKS, N_TEXTS };
#define ROWS (1u << TEXT_ABOUT | 1u << TEXT_STATES) /* behind the sums of the process */
#define PAGE (1u << TEXT_BLOCKS)

static void put_texts(FILE *const out[N_TEXTS], const struct summary *summary,
		      const struct job_request *request)
{
	const struct view_side side = { .label = summary->file->path, .summary = summary };
	struct view *view;

	if (request->parts & ROWS)
		view_put_rows(out[TEXT_ABOUT], out[TEXT_STATES], summary, &request->wanted,
			      request->n_processes);
	if (!(request->parts & PAGE))
		return;
	view_open(&view, &side, 1, &request->wanted);
	view_put_blocks(out[TEXT_BLOCKS], view);
	view_close(view);
}

static void hand_over_texts(FILE *result, const struct summary *summary,
			    const struct job_request *request)
{
	char *text[N_TEXTS] = { NULL };
	FILE *out[N_TEXTS] = { NULL };
	size_t n[N_TEXTS];

	for (int i = 0; i < N_TEXTS; i++)
		if (request->parts & 1u << i)
			out[i] = xopen_memstream(&text[i], &n[i]);
	put_texts(out, summary, request);
	for (int i = 0; i < N_TEXTS; i++)
		if (out[i])
			xclose_memstream(out[i]);
	for (int i = 0; i < N_TEXTS; i++) {
		bytes_pass_text(&(struct bytes){ .out = result }, &text[i]);
		free(text[i]);
	}
}

static void hand_over_process(FILE *result, const struct run *run, const struct summary *summary,
			      const struct job_request *request)
{
	AT_END(processes_free) struct processes one = { 0 };

	if (request->parts & ROWS) {
		processes_one(&one, run->reader, summary);
		processes_pass(&one, &(struct bytes){ .out = result }, NULL);
	}
	hand_over_texts(result, summary, request);
}

int view_job_piece(void *context, const char *path, FILE *result)
{
	const struct job_request *request = context;
	unsigned wanted = request->parts & PAGE ? SUMMARY_USUAL | SUMMARY_PATHS | SUMMARY_DRAWN : 0;
	AT_END(summed_close) struct summed of = { 0 };
	struct err err = { 0 };

	if (summed_open(&of, path, NULL, wanted, &err) < 0)
		return say_fail(&err);
	hand_over_process(result, &of.run, &of.summary, request);
	return request->parts & ROWS && warn_of(&of.run);
}

/* ---- all of them ---- */

struct gathered {
	struct processes all;
	struct job_process *process; /* all.n, with texts of its own */
	uint64_t room;
	uint32_t *input; /* all.n: which of `inputs` it was read from */
	const struct inputs *inputs;
	uint32_t *order; /* all.n: whose pages are wanted first */
	uint32_t n_bad;
};

static void get_texts(struct job_process *to, struct bytes *bytes)
{
	char **text[N_TEXTS] = { &to->about, &to->states, &to->blocks }, *got;

	for (int i = 0; i < N_TEXTS; i++) {
		bytes_pass_text(bytes, &got);
		if (got)
			*text[i] = got;
	}
}

static void take_process(void *context, uint32_t input, const struct crew_done *done)
{
	struct gathered *to = context;
	struct bytes bytes = { .at = done->result.at, .n = done->result.n };
	AT_END(processes_free) struct processes one = { 0 };
	uint32_t i = to->all.n;

	if (!done->result.n)
		return;
	processes_pass(&one, &bytes, &to->all.spool);
	array_grow(&to->process, &to->room, i + 1ull, sizeof(*to->process));
	to->process[i] = (struct job_process){ 0 };
	get_texts(&to->process[i], &bytes);
	processes_add(&to->all, &one);
	to->input[i] = input;
}

static void take_page(void *context, uint32_t i, const struct crew_done *done)
{
	struct gathered *to = context;
	struct bytes bytes = { .at = done->result.at, .n = done->result.n };

	if (done->result.n)
		get_texts(&to->process[to->order[i]], &bytes);
}

/* Once no process is added any more: they may move until then. */
static void name_processes(struct gathered *of, const struct job *job)
{
	for (uint32_t i = 0; i < of->all.n; i++) {
		const struct process *process = &of->all.process[i];
		struct job_process *to = &of->process[i];

		to->id = process->id;
		to->path = process->path;
		to->begin_ns = process->rank.calls.begin_ns;
		to->clock = job->clock_of ? job->clock_of[i] : 0;
	}
}

static void free_gathered(struct gathered *of)
{
	for (uint32_t i = 0; i < of->all.n; i++) {
		free(of->process[i].about);
		free(of->process[i].states);
		free(of->process[i].blocks);
	}
	free(of->process);
	free(of->input);
	free(of->order);
	processes_free(&of->all);
}

/* ---- the page ---- */

struct total {
	const struct gathered *of;
	const struct job *job;
};

static void put_total(FILE *out, const void *context)
{
	const struct total *total = context;

	json_total(out, &total->of->all, total->job, total->of->n_bad);
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

static int most_work_first(const void *a, const void *b, void *context)
{
	const struct process *process = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	int order = order_most(process[x].sums.total.work_ns, process[y].sums.total.work_ns);

	return order ? order : order_least(x, y);
}

/* Those that findings name, the main one's first; then those with the most work. */
static void order_pages(struct gathered *of, const struct job *job)
{
	static const char *const naming[] = { "waiting_rank", "rank" };
	uint32_t *order = of->order = xmalloc((of->all.n + 1ull) * sizeof(*order));

	for (uint32_t i = 0; i < of->all.n; i++)
		order[i] = i;
	qsort_r(order, of->all.n, sizeof(*order), most_work_first, of->all.process);
	for (uint32_t f = job->n_found; f-- > 0;)
		for (size_t k = 0; k < sizeof(naming) / sizeof(naming[0]); k++) {
			uint32_t r = job_rank_named(job, job->found[f].finding, naming[k]);

			if (r != RANK_NONE)
				move_to_front(order, of->all.n, job->rank[r].process);
		}
}

/* Reads those once more that get a page.  0, or -errno and *err. */
static int make_pages(struct gathered *of, struct runs *runs, struct err *err)
{
	const struct input *input[JOB_PAGES];

	runs->n = (uint32_t)at_most(of->all.n, JOB_PAGES);
	for (uint32_t i = 0; i < runs->n; i++)
		input[i] = &of->inputs->at[of->input[of->order[i]]];
	runs->input = input;
	runs->take = take_page;
	return runs_each(runs, err);
}

static int write_page(struct job_request *request, struct gathered *of, struct runs *runs,
		      struct err *err)
{
	AT_END(job_free) struct job job = { 0 };
	const struct total total = { of, &job };
	struct job_page page;
	AT_END(output_discard) struct output output = { 0 };
	int error = output_file(&output, request->output, err);

	if (error)
		return error;
	job_find(&job, &of->all);
	name_processes(of, &job);
	processes_sort(&of->all);
	order_pages(of, &job);
	if (!(request->parts & PAGE)) {
		request->parts = PAGE;
		error = make_pages(of, runs, err);
	}
	if (error)
		return error;
	page = (struct job_page){ .process = of->process,
				  .order = of->order,
				  .n = of->all.n,
				  .found = job.found,
				  .n_found = job.n_found,
				  .source = request->wanted.source,
				  .waits = &job.waits,
				  .rank = job.rank,
				  .n_ranks = job.n_ranks,
				  .put_total = put_total,
				  .context = &total };
	job_put(output.file, &page);
	return output_keep(&output, err);
}

int view_job(struct job_request *request, struct team *team, struct inputs *inputs)
{
	AT_END(free_gathered) struct gathered all = { .all.n_jobs = 1, .inputs = inputs };
	struct runs runs = { .team = team, .take = take_process, .context = &all };
	struct err err = { 0 };
	int error;

	request->parts = inputs->n > JOB_PAGES ? ROWS : ROWS | PAGE;
	all.input = xmalloc((inputs->n + 1ull) * sizeof(*all.input));
	error = runs_of_inputs(&runs, inputs, false, &err);
	all.n_bad = inputs->n_bad + inputs->n - all.all.n;
	if (!error && all.all.n)
		error = write_page(request, &all, &runs, &err);
	if (team_end(team, error, &err))
		return say_fail(&err);
	return runs.status ?: inputs->n_bad ? 1 : 0;
}
