/* SPDX-License-Identifier: MIT */
/* report_many.c - has traces read, and puts their reports together. */
#include "tools/cmd/report_many.h"

#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/base/say.h"
#include "tools/team/jobs.h"
#include "tools/team/runs.h"
#include "tools/report/report_json.h"
#include "tools/report/job_groups.h"
#include "tools/report/screen.h"

struct many {
	const struct request *request;
	struct inputs inputs;
	struct processes all;
};

static void many_free(struct many *many)
{
	inputs_free(&many->inputs);
	processes_free(&many->all);
}

/* What the report of one printed, as a part of what is printed of all. */
static void print_part(const struct many *many, const struct spooled *out)
{
	bool first = many->all.n == 0;
	const char *from = out->at;

	if (many->request->json && !first)
		fputc(',', stdout);
	else if (many->request->csv && !first) /* the header is there */
		from = strchr(from, '\n') ? strchr(from, '\n') + 1 : from;
	fwrite(from, 1, out->n - (size_t)(from - out->at), stdout);
	fflush(stdout);
}

static void take_report(void *context, uint32_t i, const struct crew_done *done)
{
	struct many *many = context;
	struct bytes bytes = { .at = done->result.at, .n = done->result.n };
	AT_END(processes_free) struct processes one = { 0 };

	(void)i;
	if (!done->result.n)
		return;
	print_part(many, &done->out);
	processes_pass(&one, &bytes, &many->all.spool);
	processes_add(&many->all, &one);
}

static void print_sums(struct many *many)
{
	const struct request *request = many->request;
	AT_END(job_free) struct job job;
	AT_END(table_close) struct table groups = { 0 };

	job_find(&job, &many->all);
	if (request->what_if)
		job_ifs_find(&job.ifs, &job, &many->all);
	if (request->json) {
		fputs("],\"total\":", stdout);
		if (many->all.n_jobs > 1)
			fputs("null", stdout);
		else
			json_total(stdout, &many->all, &job,
				   many->inputs.n_bad + many->inputs.n - many->all.n);
		fputs("}\n", stdout);
	} else if (request->csv && by_process(request) && many->all.n_jobs <= 1) {
		groups = job_groups_table(&many->all, &job, request->by == BY_HOST);
		table_put_csv(stdout, &groups, NULL, true);
	} else if (!request->csv && request->folded == FOLDED_COUNT && many->all.n) {
		screen_processes(stdout, &many->all, &job, request->by, &request->look);
	}
}

/* Opens all, has each read, and takes what comes. */
static int read_all(struct many *many, struct runs *runs, char **argument, int n, struct err *err)
{
	const struct request *request = many->request;
	int error;

	inputs_open(&many->inputs, argument, n);

	many->all.n_jobs = request->together ? 1 : jobs_find(&many->inputs, JOBS_REST_TOGETHER);
	error = team_join(runs->team, err);
	if (!error && request->json)
		fputs("{\"version\":1,\"processes\":[", stdout);
	if (!error)
		error = runs_of_inputs(runs, &many->inputs, false, err);
	return error;
}

int report_many(struct request *request, struct team *team, char **argument, int n)
{
	AT_END(many_free) struct many many = { .request = request };
	struct runs runs = { .team = team, .take = take_report, .context = &many };
	struct err err = { 0 };
	int error = read_all(&many, &runs, argument, n, &err), end;

	if (error) /* before MPI ends this process, too */
		runs.status = say_fail(&err);
	end = team_close(team, &err);
	if (end && !error)
		runs.status = say_fail(&err);
	if (!error && !end) {
		processes_sort(&many.all);
		print_sums(&many);
		if (many.inputs.n_bad)
			runs.status = 1;
	}
	return runs.status;
}

int report_piece(void *context, const char *path, FILE *result)
{
	struct request request = *(const struct request *)context;

	request.many = true;
	if (by_process(&request)) { /* that is of all together */
		request.each &= !request.csv;
		request.csv = false;
		request.by = BY_KIND;
	}
	return report_one(&request, path, result);
}
