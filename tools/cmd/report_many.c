/* SPDX-License-Identifier: MIT */
/* report_many.c - has traces read, and puts their reports together. */
#include "tools/cmd/report_many.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/cmd.h"
#include "tools/cmd/crew.h"
#include "tools/cmd/inputs.h"
#include "tools/cmd/jobs.h"
#include "tools/report/json.h"
#include "tools/report/processes.h"
#include "tools/report/screen.h"

/* The worse of two exit statuses. */
static int worse(int a, int b)
{
	return a == 0 || b == 1 ? b : a;
}

struct many {
	const struct report_request *request;
	struct inputs inputs;
	struct processes all;
	bool on_ranks;
	int status;
};

static int report_input(void *context, const char *path, FILE *result)
{
	const struct many *many = context;

	return report_one(many->request, path, result);
}

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
	struct processes one = { 0 };
	int error = processes_read(&one, result->at, result->n);

	if (!error)
		error = processes_add(&many->all, &one);
	processes_free(&one);
	return error;
}

static void take_report(void *context, uint32_t i, struct crew_done *done)
{
	struct many *many = context;
	const char *path = many->inputs.at[i].path;
	struct err err = { 0 };
	int status = done->status;

	if (done->error)
		err_set(&err, -done->error, "%s: %s", path, strerror(-done->error));
	else if (done->status < 0)
		err_set(&err, EINTR, "%s: signal %d ended its report", path, -done->status);
	if (err.text[0]) {
		if (many->on_ranks)
			cmd_speak_as(done->rank);
		status = cmd_fail(&err);
		if (many->on_ranks)
			cmd_speak_as(0);
	} else {
		if (done->result.n)
			print_part(many, &done->out);
		fwrite(done->err.at, 1, done->err.n, stderr);
		if (done->result.n && add_part(many, &done->result) < 0) {
			err_set(&err, ENOMEM, "out of memory");
			status = cmd_fail(&err);
		}
	}
	many->status = worse(many->status, status);
}

static void print_sums(const struct many *many)
{
	const struct report_request *request = many->request;

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

static struct crew crew_of(struct many *many, struct ranks *ranks)
{
	return (struct crew){ .work = report_input,
			      .name = input_path,
			      .take = take_report,
			      .context = many,
			      .width = many->request->n_at_once,
			      .ranks = ranks };
}

/* Opens all, has each read, and takes what comes. */
static int read_all(struct many *many, char **argument, int n, struct ranks *ranks, struct err *err)
{
	const struct report_request *request = many->request;
	const struct crew crew = crew_of(many, ranks);
	uint32_t *order = NULL;
	int error = inputs_open(&many->inputs, argument, n);

	if (!error)
		order = inputs_largest_first(&many->inputs);
	if (!order)
		return err_set(err, ENOMEM, "out of memory");
	many->all.n_jobs = request->together ? 1 : jobs_find(&many->inputs, JOBS_REST_TOGETHER);
	if (ranks)
		error = ranks_join(ranks, err);
	if (!error && request->json)
		fputs("{\"version\":1,\"processes\":[", stdout);
	if (!error)
		error = crew_run(&crew, order, many->inputs.n);
	free(order);
	if (error && !err->text[0])
		err_set(err, -error, "%s",
			error == -ENOMEM ? "out of memory" : "other ranks cannot be reached");
	return error;
}

/* Each of several traces, and then all of them. */
static int report_all(struct report_request *request, char **argument, int n, struct ranks *ranks)
{
	struct many many = { .request = request, .on_ranks = ranks != NULL };
	struct err err = { 0 };
	int error;

	request->many = true;
	error = read_all(&many, argument, n, ranks, &err);
	if (error) /* before MPI ends this process, too */
		many.status = cmd_fail(&err);
	if (ranks && ranks_close(ranks, !error) < 0 && !error) {
		error = err_set(&err, EPIPE, "MPI did not end well");
		many.status = cmd_fail(&err);
	}
	if (!error) {
		processes_sort(&many.all);
		print_sums(&many);
		if (many.inputs.n_bad)
			many.status = 1;
	}
	inputs_free(&many.inputs);
	processes_free(&many.all);
	return many.status;
}

int report_many(struct report_request *request, char **argument, int n)
{
	return report_all(request, argument, n, NULL);
}

/* ---- on ranks ---- */

/* The ranks that are not 0. */
static int help(struct report_request *request, struct ranks *ranks)
{
	struct many many = { .request = request };
	const struct crew crew = crew_of(&many, ranks);
	struct err err = { 0 };
	int error;

	request->many = true;
	error = ranks_join(ranks, &err);
	if (!error)
		error = crew_serve(&crew);
	if (error && !err.text[0])
		err_set(&err, -error, "its part of the report ends early: %s", strerror(-error));
	if (error)
		dprintf(seat_stderr(), "tptrace: rank %u: %s\n", ranks->seat.rank, err.text);
	return ranks_close(ranks, !error) < 0 || error ? 1 : 0;
}

/* One trace is rank 0's: the others are told to go. */
static int report_alone(struct report_request *request, const char *path, struct ranks *ranks)
{
	struct many many = { .request = request };
	const struct crew crew = crew_of(&many, ranks);
	struct err err = { 0 };
	int error = ranks_join(ranks, &err);

	if (!error)
		crew_run(&crew, NULL, 0);
	else
		cmd_fail(&err);
	ranks_close(ranks, !error);
	return error ? 1 : report_one(request, path, NULL);
}

int report_on_ranks(struct report_request *request, char **argv, int first, struct seat seat)
{
	char **argument = argv + first;
	int n = 0;
	struct ranks ranks = { 0 };
	struct err err = { 0 };

	while (argument[n])
		n++;
	if (ranks_open(&ranks, seat, argv, &err) < 0) {
		ranks_close(&ranks, false);
		dprintf(seat_stderr(), "tptrace: rank %u: %s\n", seat.rank, err.text);
		return 1;
	}
	if (seat.rank)
		return help(request, &ranks);
	return inputs_single(argument, n) ? report_alone(request, argument[0], &ranks)
					  : report_all(request, argument, n, &ranks);
}
