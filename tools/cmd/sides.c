/* SPDX-License-Identifier: MIT */
/* sides.c - splits arguments into sides, and checks that their runs belong together. */
#include "tools/cmd/sides.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/say.h"
#include "tools/base/units.h"
#include "tools/base/values.h"
#include "tools/base/xalloc.h"
#include "tools/team/jobs.h"
#include "tools/cmd/warn.h"
#include "tools/diff/outcome.h"
#include "tools/report/report_json.h"
#include "tools/report/processes.h"
#include "tools/table/look.h"

/* ---- one process ---- */

/* What is kept of a process. */
struct part {
	struct outcome outcome;
	struct processes process;
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
	AT_END(summed_close) struct summed of = { 0 };
	int error = summed_open(&of, path, &wanted->phases, SUMMARY_USUAL | SUMMARY_PATHS, err);

	if (error)
		return error;
	outcome_build(&part->outcome, &of.summary);
	part->outcome.n_torn = warn_of(&of.run) || reader_facts(of.run.reader)->torn;
	if (lineage)
		lineage_build(lineage, &of.run.dag);
	processes_one(&part->process, of.run.reader, &of.summary);
	if (wanted->reports)
		json_report(report, &of.summary);
	return 0;
}

/* Of team.h, on one trace of several: context is the sides_wanted. */
static int read_piece(void *context, const char *path, FILE *result)
{
	const struct sides_wanted *wanted = context;
	struct bytes bytes = { .out = result };
	AT_END(part_free) struct part part = { 0 };
	struct err err = { 0 };
	int error = read_part(&part, path, wanted, stdout, NULL, &err);

	if (!error)
		outcome_pass(&part.outcome, &bytes);
	if (!error)
		processes_pass(&part.process, &bytes, NULL);
	return error ? say_fail(&err) : 0;
}

/* ---- one run ---- */

/* A run while its processes come in. */
struct reading {
	struct outcome outcome;
	struct processes all;
	FILE *report;
	char *text;
	size_t bytes;
	uint32_t n, n_read;
};

static void begin_run(struct reading *reading, uint32_t n, const struct sides_wanted *wanted)
{
	*reading = (struct reading){ .n = n };
	if (!wanted->reports)
		return;
	reading->report = xopen_memstream(&reading->text, &reading->bytes);
	if (n > 1)
		fputs("{\"version\":1,\"processes\":[", reading->report);
}

static void add_part(struct reading *reading, struct part *part)
{
	reading->n_read++;
	outcome_merge(&reading->outcome, &part->outcome);
	processes_add(&reading->all, &part->process);
}

/* The side gets it, unless no trace of it is valid.  The reading is over in any case. */
static void end_run(struct reading *reading, struct side *side)
{
	AT_END(job_free) struct job job;

	if (reading->report)
		job_find(&job, &reading->all);
	else
		job_find_course(&job, &reading->all);
	processes_sort(&reading->all);
	if (reading->report && reading->n > 1) {
		fputs("],\"total\":", reading->report);
		json_total(reading->report, &reading->all, &job, reading->n - reading->n_read);
		fputs("}", reading->report);
	}
	if (reading->report)
		xclose_memstream(reading->report);
	reading->outcome.figure[FIGURE_SPAN] = job.span_ns; /* across ranks */
	if (reading->n_read)
		side_add(side, &reading->outcome, reading->text);
	else
		free(reading->text);
	outcome_free(&reading->outcome);
	processes_free(&reading->all);
	*reading = (struct reading){ 0 };
}

/* The only trace of a side, in this process: its lineage stays here. */
static int read_single(struct side *side, const char *path, const struct sides_wanted *wanted,
		       struct err *err)
{
	struct reading reading;
	AT_END(part_free) struct part part = { 0 };
	int error;

	begin_run(&reading, 1, wanted);
	error = read_part(&part, path, wanted, reading.report,
			  wanted->lineage ? &side->lineage : NULL, err);
	if (!error)
		add_part(&reading, &part);
	end_run(&reading, side);
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
};

static bool is_of_run(const struct shared *shared, uint32_t a, uint32_t b)
{
	return shared->side_of[a] == shared->side_of[b] &&
	       shared->input[a]->job == shared->input[b]->job;
}

static void take_part(struct shared *shared, const struct crew_done *done)
{
	struct bytes bytes = { .at = done->result.at, .n = done->result.n };
	struct reading *reading = &shared->reading;
	AT_END(part_free) struct part part = { 0 };

	outcome_pass(&part.outcome, &bytes);
	processes_pass(&part.process, &bytes, &reading->all.spool);

	if (reading->report) {
		fputs(reading->n_read ? "," : "", reading->report);
		fwrite(done->out.at, 1, done->out.n, reading->report);
	}
	add_part(reading, &part);
}

static void take_piece(void *context, uint32_t piece, const struct crew_done *done)
{
	struct shared *shared = context;
	uint32_t n = 1;

	if (piece == 0 || !is_of_run(shared, piece - 1, piece)) {
		while (piece + n < shared->n && is_of_run(shared, piece, piece + n))
			n++;
		begin_run(&shared->reading, n, shared->wanted);
	}
	if (runs_done(done))
		take_part(shared, done);
	if (piece + 1 == shared->n || !is_of_run(shared, piece, piece + 1))
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
	return error;
}

/* A side that was given one trace, or of which none was valid. */
static int read_rest(struct side *side, const struct given *given,
		     const struct sides_wanted *wanted, struct err *err)
{
	if (given->inputs.n == 1)
		return read_single(side, given->inputs.at[0].path, wanted, err);
	return side->n ? 0 : -EINVAL; /* and it was said why */
}

/*
 * Puts the runs of given[s] into side[s], those of several traces with the team.  A single trace is
 * read here, with its lineage.  0, or -errno and *err; err->text is empty if all is said on stderr.
 */
static int sides_read(struct sides *sides, struct given *given, const struct sides_wanted *wanted,
		      struct team *team, struct err *err)
{
	struct shared shared = { .sides = sides, .given = given, .wanted = wanted };
	uint64_t most = 0;
	int error = 0;

	for (uint32_t s = 0; s < sides->n; s++)
		most += given[s].inputs.n;
	shared.input = xcalloc(most + 1, sizeof(*shared.input));
	shared.side_of = xcalloc(most + 1, sizeof(*shared.side_of));
	list_pieces(&shared);
	if (shared.n)
		error = read_shared(&shared, team, err);
	for (uint32_t s = 0; s < sides->n && !error; s++)
		error = read_rest(&sides->side[s], &given[s], wanted, err);
	free(shared.input);
	free(shared.side_of);
	return error;
}

/* ---- one side ---- */

/* Of the middle run, if it is one process and was not the only one. */
static int read_lineage(struct side *side, const struct sides_wanted *wanted, struct err *err)
{
	AT_END(run_close) struct run run = { 0 };
	int error;

	if (!wanted->lineage || side->lineage.order || side_outcome(side)->n_processes > 1)
		return 0;
	error = run_open(&run, side_outcome(side)->path, &wanted->phases, err);
	if (!error)
		lineage_build(&side->lineage, &run.dag);
	return error;
}

static int check_programs(const struct side *side, struct err *err)
{
	for (uint32_t i = 1; i < side->n; i++)
		if (strcmp(side->run[i].slowed, side->run[0].slowed) != 0)
			return err_set(err, EINVAL,
				       "%s: %s and %s were not slowed alike (record --slow); make "
				       "them sides of their own",
				       side->label, side->run[0].path, side->run[i].path);
	for (uint32_t i = 1; i < side->n; i++)
		if (strcmp(side->run[i].program, side->run[0].program) != 0)
			return err_set(err, EINVAL,
				       "%s: runs of different programs (%s, %s); name those of one",
				       side->label, side->run[0].program, side->run[i].program);
	return 0;
}

/* While arguments are read. */
struct opening {
	struct sides *sides;
	struct given *given; /* [side] */
	uint64_t given_room;
};

/* The traces of these paths; label is the side's from now on. */
static int open_side(struct opening *opening, char **path, int n, char *label)
{
	struct sides *sides = opening->sides;
	struct given *given;

	array_grow(&sides->side, &sides->room, sides->n + 1ull, sizeof(*sides->side));
	array_grow(&opening->given, &opening->given_room, sides->n + 1ull, sizeof(*given));
	given = &opening->given[sides->n];
	*given = (struct given){ 0 };
	sides->side[sides->n++] = (struct side){ .label = label };
	inputs_open(&given->inputs, path, n);
	sides->n_bad += given->inputs.n_bad;
	if (!given->inputs.n)
		return -EINVAL; /* and it was said why */
	given->n_jobs = jobs_find(&given->inputs, JOBS_REST_APART);
	return 0;
}

/* ---- arguments ---- */

/* "old-1.tpt,old-2.tpt", unless that is the name of a file. */
static int open_argument(struct opening *opening, const char *argument)
{
	int n;
	FREED char **path = inputs_split(argument, &n);

	return open_side(opening, path, n, xstrdup(argument));
}

/* "a.tpt and 2 more". */
static char *label_of(char **argument, int n)
{
	return n == 1 ? xstrdup(argument[0]) : xasprintf("%s and %d more", argument[0], n - 1);
}

static int next_between(char **argument, int from, int n)
{
	while (from < n && strcmp(argument[from], SIDES_BETWEEN) != 0)
		from++;
	return from;
}

static int open_all(struct opening *opening, char **argument, int n)
{
	int error = 0;

	if (next_between(argument, 0, n) == n) {
		for (int i = 0; i < n && !error; i++)
			error = open_argument(opening, argument[i]);
		return error;
	}
	for (int from = 0, to; from < n && !error; from = to + 1) {
		to = next_between(argument, from, n);
		if (to > from)
			error = open_side(opening, argument + from, to - from,
					  label_of(argument + from, to - from));
	}
	return error;
}

/* ---- numbers of workers ---- */

/* The runs of the first side on so many workers go into a side of their own. */
static void take_workers(struct sides *sides, uint64_t n_workers)
{
	struct side *from = &sides->side[0], *to;
	uint32_t n = 0;

	array_grow(&sides->side, &sides->room, sides->n + 1ull, sizeof(*to));
	from = &sides->side[0];
	to = &sides->side[sides->n++];
	*to = (struct side){ 0 };
	to->label = xasprintf("%s, %llu worker%s", from->label, (unsigned long long)n_workers,
			      units_s(n_workers));
	for (uint32_t i = 0; i < from->n; i++) {
		if (from->run[i].n_workers != n_workers) {
			from->run[n] = from->run[i];
			from->report[n++] = from->report[i];
		} else {
			side_add(to, &from->run[i], from->report[i]);
		}
	}
	from->n = n;
}

static uint64_t fewest_workers(const struct side *side)
{
	uint64_t fewest = side->run[0].n_workers;

	for (uint32_t i = 1; i < side->n; i++)
		if (side->run[i].n_workers < fewest)
			fewest = side->run[i].n_workers;
	return fewest;
}

static bool is_mixed(const struct side *side)
{
	for (uint32_t i = 1; i < side->n; i++)
		if (side->run[i].n_workers != side->run[0].n_workers)
			return true;
	return false;
}

static void split(struct sides *sides)
{
	while (sides->side[0].n)
		take_workers(sides, fewest_workers(&sides->side[0]));
	side_free(&sides->side[0]);
	sides->n--;
	memmove(sides->side, sides->side + 1, sides->n * sizeof(*sides->side));
}

static int check_workers(const struct sides *sides, struct err *err)
{
	for (uint32_t s = 0; s < sides->n; s++)
		if (is_mixed(&sides->side[s]))
			return err_set(err, EINVAL,
				       "%s: its runs have different numbers of workers; give each "
				       "number as a side, or only this one, for all of its numbers",
				       sides->side[s].label);
	return 0;
}

/* Opens what the arguments name, and reads it. */
static int open_and_read(struct sides *sides, char **argument, int n,
			 const struct sides_wanted *wanted, struct team *team, struct err *err)
{
	struct opening opening = { .sides = sides };
	int error = open_all(&opening, argument, n)
			    ?: sides_read(sides, opening.given, wanted, team, err);

	for (uint32_t s = 0; opening.given && s < sides->n; s++)
		inputs_free(&opening.given[s].inputs);
	free(opening.given);
	for (uint32_t s = 0; s < sides->n && !error; s++)
		error = check_programs(&sides->side[s], err);
	return error;
}

int sides_open(struct sides *sides, char **argument, int n, const struct sides_wanted *wanted,
	       struct team *team, struct err *err)
{
	int error = open_and_read(sides, argument, n, wanted, team, err);

	if (!error && sides->n == 1 && is_mixed(&sides->side[0]))
		split(sides);
	if (!error)
		error = check_workers(sides, err);
	for (uint32_t s = 0; s < sides->n && !error; s++) {
		side_complete(&sides->side[s]);
		error = read_lineage(&sides->side[s], wanted, err);
	}
	return error;
}

static bool are_whole(const struct sides *sides)
{
	bool whole = !sides->n_bad;

	for (uint32_t s = 0; s < sides->n; s++)
		whole &= !side_is_torn(&sides->side[s]);
	return whole;
}

int sides_share(const struct call *call, struct sides_wanted *wanted, uint32_t n_at_once,
		bool both, sides_work *work, void *request)
{
	struct team team;
	int status;

	if (both)
		return say_usage(call->command->name, "--json and --csv exclude each other");
	if (!team_open(&team, call->argv, true, n_at_once,
		       (struct team_work){ read_piece, wanted }, &status))
		return status;
	return work(request, call->argument, call->n, &team);
}

bool sides_finish(const struct sides *sides, const struct sides *baseline)
{
	uint32_t n = sides->n_bad + baseline->n_bad;

	if (say_finish(0))
		return false;
	if (n)
		say_warn("%u %s left out; the runs above are not whole", n,
			 n == 1 ? "trace is" : "traces are");
	return are_whole(sides) && are_whole(baseline);
}

struct diff_shown sides_shown(void)
{
	return (struct diff_shown){ .by = LIST_KINDS,
				    .n_most = 10,
				    .width = (int)value_width(LOOK_NARROWEST, LOOK_WIDEST,
							      LOOK_WIDTH),
				    .bold = value_wants_bold("auto") };
}

void sides_free(struct sides *sides)
{
	for (uint32_t s = 0; s < sides->n; s++)
		side_free(&sides->side[s]);
	free(sides->side);
	*sides = (struct sides){ 0 };
}
