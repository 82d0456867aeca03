/* SPDX-License-Identifier: MIT */
/* sides_read.c - reads the traces of sides, and puts runs together. */
#include "tools/cmd/sides_read.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/say.h"
#include "tools/cmd/warn.h"
#include "tools/diff/outcome_carry.h"
#include "tools/report/report_json.h"
#include "tools/report/processes.h"

/* ---- one process ---- */

/* What is kept of a process. */
struct part {
	struct outcome outcome;
	struct processes process; /* with a report */
};

static void part_free(struct part *part)
{
	outcome_free(&part->outcome);
	processes_free(&part->process);
}

/* Its report goes to `report`; lineage NULL: is not to be built. */
static int read_part(struct part *part, const char *path, const struct sides_wanted *wanted,
		     FILE *report, struct lineage *lineage, struct err *err)
{
	struct summary summary = { 0 };
	struct run run = { 0 };
	bool torn;
	int error = run_open(&run, path, &wanted->phases, err);

	if (!error)
		error = summary_build(&summary, &run, SUMMARY_USUAL | SUMMARY_PATHS, err);
	if (error)
		goto out;
	torn = warn_of(&run) || reader_facts(run.reader)->torn;
	if (outcome_build(&part->outcome, &summary) < 0 ||
	    (lineage && lineage_build(lineage, &run.dag) < 0) ||
	    (wanted->reports && (processes_one(&part->process, run.reader, &summary) < 0 ||
				 json_report(report, &summary) < 0)))
		error = err_no_memory(err);
	part->outcome.n_torn = torn;
out:
	summary_free(&summary);
	run_close(&run);
	return error;
}

int sides_piece(void *context, const char *path, FILE *result)
{
	const struct sides_wanted *wanted = context;
	struct part part = { 0 };
	struct err err = { 0 };
	int error = read_part(&part, path, wanted, stdout, NULL, &err);

	if (!error)
		outcome_write(result, &part.outcome);
	if (!error && wanted->reports)
		processes_write(result, &part.process);
	part_free(&part);
	return error ? say_fail(&err) : 0;
}

/* ---- one run ---- */

/* A run while its processes come in. */
struct reading {
	struct outcome outcome;
	struct processes all; /* with a report */
	FILE *report;
	char *text;
	size_t bytes;
	uint32_t n, n_read;
};

static int begin_run(struct reading *reading, uint32_t n, const struct sides_wanted *wanted)
{
	*reading = (struct reading){ .n = n };
	if (!wanted->reports)
		return 0;
	reading->report = open_memstream(&reading->text, &reading->bytes);
	if (!reading->report)
		return -ENOMEM;
	if (n > 1)
		fputs("{\"version\":1,\"processes\":[", reading->report);
	return 0;
}

static int add_part(struct reading *reading, struct part *part)
{
	reading->n_read++;
	if (outcome_merge(&reading->outcome, &part->outcome) < 0)
		return -ENOMEM;
	return reading->report ? processes_add(&reading->all, &part->process) : 0;
}

/* The side gets it, unless no trace of it is valid.  The reading is over in any case. */
static int end_run(struct reading *reading, struct side *side)
{
	struct job job;
	int error = job_find(&job, &reading->all);

	processes_sort(&reading->all);
	if (!error && reading->report && reading->n > 1) {
		fputs("],\"total\":", reading->report);
		error = json_total(reading->report, &reading->all, &job,
				   reading->n - reading->n_read);
		fputs("}", reading->report);
	}
	job_free(&job);
	if (reading->report && fclose(reading->report) != 0)
		error = -ENOMEM;
	if (!error && reading->n_read)
		error = side_add(side, &reading->outcome, reading->text);
	else
		free(reading->text);
	outcome_free(&reading->outcome);
	processes_free(&reading->all);
	*reading = (struct reading){ 0 };
	return error;
}

/* The only trace of a side, in this process: its lineage stays here. */
static int read_single(struct side *side, const char *path, const struct sides_wanted *wanted,
		       struct err *err)
{
	struct reading reading;
	struct part part = { 0 };
	int error = begin_run(&reading, 1, wanted) < 0 ? err_no_memory(err) : 0;

	if (!error)
		error = read_part(&part, path, wanted, reading.report,
				  wanted->lineage ? &side->lineage : NULL, err);
	if (!error && add_part(&reading, &part) < 0)
		error = err_no_memory(err);
	if (end_run(&reading, side) < 0 && !error)
		error = err_no_memory(err);
	part_free(&part);
	return error;
}

/* ---- several traces, read by the team ---- */

struct shared {
	struct sides *sides;
	struct given *given; /* [side] */
	const struct sides_wanted *wanted;
	const struct input **input; /* n; those of a run follow each other */
	uint32_t *side_of;	    /* n */
	uint32_t n;
	struct reading reading;
	int error; /* -ENOMEM */
};

static bool is_of_run(const struct shared *shared, uint32_t a, uint32_t b)
{
	return shared->side_of[a] == shared->side_of[b] &&
	       shared->input[a]->job == shared->input[b]->job;
}

static int take_part(struct shared *shared, const struct crew_done *done)
{
	struct bytes bytes = { .at = done->result.at, .n = done->result.n };
	struct reading *reading = &shared->reading;
	struct part part = { 0 };
	int error = outcome_read(&part.outcome, &bytes);

	if (!error && reading->report) {
		error = processes_read(&part.process, &bytes);
		fputs(reading->n_read ? "," : "", reading->report);
		fwrite(done->out.at, 1, done->out.n, reading->report);
	}
	if (!error)
		error = add_part(reading, &part);
	part_free(&part);
	return error;
}

static void take_piece(void *context, uint32_t piece, const struct crew_done *done)
{
	struct shared *shared = context;
	uint32_t n = 1;

	if (piece == 0 || !is_of_run(shared, piece - 1, piece)) {
		while (piece + n < shared->n && is_of_run(shared, piece, piece + n))
			n++;
		shared->error |= begin_run(&shared->reading, n, shared->wanted);
	}
	if (runs_done(done) && !shared->error)
		shared->error = take_part(shared, done);
	if (piece + 1 == shared->n || !is_of_run(shared, piece, piece + 1))
		shared->error |=
			end_run(&shared->reading, &shared->sides->side[shared->side_of[piece]]);
}

static void list_pieces(struct shared *shared)
{
	for (uint32_t s = 0; s < shared->sides->n; s++) {
		const struct given *given = &shared->given[s];

		for (uint32_t job = 0; given->inputs.n > 1 && job < given->n_jobs; job++)
			for (uint32_t i = 0; i < given->inputs.n; i++)
				if (given->inputs.at[i].job == job) {
					shared->side_of[shared->n] = s;
					shared->input[shared->n++] = &given->inputs.at[i];
				}
	}
}

/* All of several traces. */
static int read_shared(struct shared *shared, struct team *team, struct err *err)
{
	struct runs runs = { .team = team,
			     .input = shared->input,
			     .n = shared->n,
			     .take = take_piece,
			     .context = shared };
	int error = runs_each(&runs, err);

	shared->sides->n_bad += runs.n_bad;
	return error || !shared->error ? error : err_no_memory(err);
}

/* A side that was given one trace, or of which none was valid. */
static int read_rest(struct side *side, const struct given *given,
		     const struct sides_wanted *wanted, struct err *err)
{
	if (given->inputs.n == 1)
		return read_single(side, given->inputs.at[0].path, wanted, err);
	return side->n ? 0 : -EINVAL; /* and it was said why */
}

int sides_read(struct sides *sides, struct given *given, const struct sides_wanted *wanted,
	       struct team *team, struct err *err)
{
	struct shared shared = { .sides = sides, .given = given, .wanted = wanted };
	uint64_t most = 0;
	int error = 0;

	for (uint32_t s = 0; s < sides->n; s++)
		most += given[s].inputs.n;
	shared.input = calloc(most + 1, sizeof(*shared.input));
	shared.side_of = calloc(most + 1, sizeof(*shared.side_of));
	if (!shared.input || !shared.side_of)
		error = err_no_memory(err);
	else
		list_pieces(&shared);
	if (shared.n)
		error = read_shared(&shared, team, err);
	for (uint32_t s = 0; s < sides->n && !error; s++)
		error = read_rest(&sides->side[s], &given[s], wanted, err);
	free(shared.input);
	free(shared.side_of);
	return error;
}
