/* SPDX-License-Identifier: MIT */
/* sides.c - splits arguments into sides, and checks that their runs belong together. */
#include "tools/cmd/sides.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/say.h"
#include "tools/base/units.h"
#include "tools/team/jobs.h"
#include "tools/cmd/sides_read.h"

/* ---- one side ---- */

/* Of the middle run, if it is one process and was not the only one. */
static int read_lineage(struct side *side, const struct sides_wanted *wanted, struct err *err)
{
	struct run run = { 0 };
	int error;

	if (!wanted->lineage || side->lineage.order || side_outcome(side)->n_processes > 1)
		return 0;
	error = run_open(&run, side_outcome(side)->path, &wanted->phases, err);
	if (!error && lineage_build(&side->lineage, &run.dag) < 0)
		error = err_no_memory(err);
	run_close(&run);
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
static int open_side(struct opening *opening, char **path, int n, char *label, struct err *err)
{
	struct sides *sides = opening->sides;
	struct given *given;
	int error;

	if (!label ||
	    !array_grow(&sides->side, &sides->room, sides->n + 1ull, sizeof(*sides->side)) ||
	    !array_grow(&opening->given, &opening->given_room, sides->n + 1ull, sizeof(*given))) {
		free(label);
		return err_no_memory(err);
	}
	given = &opening->given[sides->n];
	*given = (struct given){ 0 };
	sides->side[sides->n++] = (struct side){ .label = label };
	error = inputs_open(&given->inputs, path, n, err);
	if (error)
		return error;
	sides->n_bad += given->inputs.n_bad;
	if (!given->inputs.n)
		return -EINVAL; /* and it was said why */
	given->n_jobs = jobs_find(&given->inputs, JOBS_REST_APART);
	return 0;
}

/* ---- arguments ---- */

/* "old-1.tpt,old-2.tpt", unless that is the name of a file. */
static int open_argument(struct opening *opening, const char *argument, struct err *err)
{
	int n, error;
	char **path = inputs_split(argument, &n);

	if (!path)
		return err_no_memory(err);
	error = open_side(opening, path, n, strdup(argument), err);
	free(path);
	return error;
}

/* "a.tpt and 2 more". */
static char *label_of(char **argument, int n)
{
	char *label;

	if (n == 1)
		return strdup(argument[0]);
	return asprintf(&label, "%s and %d more", argument[0], n - 1) < 0 ? NULL : label;
}

static int next_between(char **argument, int from, int n)
{
	while (from < n && strcmp(argument[from], SIDES_BETWEEN) != 0)
		from++;
	return from;
}

static int open_all(struct opening *opening, char **argument, int n, struct err *err)
{
	int error = 0;

	if (next_between(argument, 0, n) == n) {
		for (int i = 0; i < n && !error; i++)
			error = open_argument(opening, argument[i], err);
		return error;
	}
	for (int from = 0, to; from < n && !error; from = to + 1) {
		to = next_between(argument, from, n);
		if (to > from)
			error = open_side(opening, argument + from, to - from,
					  label_of(argument + from, to - from), err);
	}
	return error;
}

/* ---- numbers of workers ---- */

/* The runs of the first side on so many workers go into a side of their own. */
static int take_workers(struct sides *sides, uint64_t n_workers)
{
	struct side *from = &sides->side[0], *to;
	uint32_t n = 0;

	if (!array_grow(&sides->side, &sides->room, sides->n + 1ull, sizeof(*to)))
		return -ENOMEM;
	from = &sides->side[0];
	to = &sides->side[sides->n++];
	*to = (struct side){ 0 };
	if (asprintf(&to->label, "%s, %llu worker%s", from->label, (unsigned long long)n_workers,
		     units_s(n_workers)) < 0) {
		to->label = NULL;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < from->n; i++) {
		if (from->run[i].n_workers != n_workers) {
			from->run[n] = from->run[i];
			from->report[n++] = from->report[i];
		} else if (side_add(to, &from->run[i], from->report[i]) < 0) {
			return -ENOMEM;
		}
	}
	from->n = n;
	return 0;
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

static int split(struct sides *sides, struct err *err)
{
	while (sides->side[0].n)
		if (take_workers(sides, fewest_workers(&sides->side[0])) < 0)
			return err_no_memory(err);
	side_free(&sides->side[0]);
	sides->n--;
	memmove(sides->side, sides->side + 1, sides->n * sizeof(*sides->side));
	return 0;
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
	int error = open_all(&opening, argument, n, err);

	if (!error)
		error = sides_read(sides, opening.given, wanted, team, err);
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
		error = split(sides, err);
	if (!error)
		error = check_workers(sides, err);
	for (uint32_t s = 0; s < sides->n && !error; s++) {
		side_complete(&sides->side[s]);
		error = read_lineage(&sides->side[s], wanted, err);
	}
	return error;
}

bool sides_are_whole(const struct sides *sides)
{
	bool whole = !sides->n_bad;

	for (uint32_t s = 0; s < sides->n; s++)
		whole &= !side_is_torn(&sides->side[s]);
	return whole;
}

void sides_say_bad(uint32_t n)
{
	if (n)
		say_warn("%u %s left out; the runs above are not whole", n,
			 n == 1 ? "trace is" : "traces are");
}

void sides_free(struct sides *sides)
{
	for (uint32_t s = 0; s < sides->n; s++)
		side_free(&sides->side[s]);
	free(sides->side);
	*sides = (struct sides){ 0 };
}
