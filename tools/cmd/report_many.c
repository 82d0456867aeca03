/* SPDX-License-Identifier: MIT */
/* report_many.c - has traces read, and puts their reports together. */
#include "tools/cmd/report_many.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/say.h"
#include "tools/team/inputs.h"
#include "tools/team/jobs.h"
#include "tools/report/json.h"
#include "tools/report/processes.h"
#include "tools/report/screen.h"

/* The worse of two exit statuses. */
static int worse(int a, int b)
{
	return a == 0 || b == 1 ? b : a;
}

struct many {
	const struct request *request;
	struct team *team;
	struct inputs inputs;
	struct processes all;
	int status;
};

static const char *input_path(void *context, uint32_t i)
{
	const struct many *many = context;

	return many->inputs.at[i].path;
}

/* What the report of one printed, as a part of what is printed of all. */
static void print_part(const struct many *many, const struct crew_bytes *out)
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

static int add_part(struct many *many, const struct crew_bytes *result)
{
	struct bytes bytes = { .at = result->at, .n = result->n };
	struct processes one = { 0 };
	int error = processes_read(&one, &bytes);

	if (!error)
		error = processes_add(&many->all, &one);
	processes_free(&one);
	return error;
}

static void take_report(void *context, uint32_t i, struct crew_done *done)
{
	struct many *many = context;
	struct err err = { 0 };
	int status;

	if (done->result.n)
		print_part(many, &done->out);
	status = team_tell(many->team, many->inputs.at[i].path, done);
	if (done->result.n && add_part(many, &done->result) < 0) {
		err_set(&err, ENOMEM, "out of memory");
		status = say_fail(&err);
	}
	many->status = worse(many->status, status);
}

static void print_sums(const struct many *many)
{
	const struct request *request = many->request;

	if (request->json) {
		fputs("],\"total\":", stdout);
		if (many->all.n_jobs > 1)
			fputs("null", stdout);
		else
			json_total(stdout, &many->all,
				   many->inputs.n_bad + many->inputs.n - many->all.n);
		fputs("}\n", stdout);
	} else if (!request->csv && request->folded == FOLDED_COUNT && many->all.n) {
		screen_processes(stdout, &many->all, &request->look);
	}
}

/* Opens all, has each read, and takes what comes. */
static int read_all(struct many *many, char **argument, int n, struct err *err)
{
	const struct request *request = many->request;
	struct team_pieces pieces = { .name = input_path, .take = take_report, .context = many };
	uint32_t *order;
	int error = inputs_open_ordered(&many->inputs, argument, n, &order, err);

	if (error)
		return error;
	pieces.order = order;
	pieces.n = many->inputs.n;
	many->all.n_jobs = request->together ? 1 : jobs_find(&many->inputs, JOBS_REST_TOGETHER);
	error = team_join(many->team, err);
	if (!error && request->json)
		fputs("{\"version\":1,\"processes\":[", stdout);
	if (!error)
		error = team_run(many->team, &pieces, err);
	free(order);
	return error;
}

int report_many(struct request *request, struct team *team, char **argument, int n)
{
	struct many many = { .request = request, .team = team };
	struct err err = { 0 };
	int error = read_all(&many, argument, n, &err), end;

	if (error) /* before MPI ends this process, too */
		many.status = say_fail(&err);
	end = team_close(team, &err);
	if (end && !error)
		many.status = say_fail(&err);
	if (!error && !end) {
		processes_sort(&many.all);
		print_sums(&many);
		if (many.inputs.n_bad)
			many.status = 1;
	}
	inputs_free(&many.inputs);
	processes_free(&many.all);
	return many.status;
}

int report_piece(void *context, const char *path, FILE *result)
{
	struct request request = *(const struct request *)context;

	request.many = true;
	return report_one(&request, path, result);
}
