/* SPDX-License-Identifier: MIT */
/* tallies.c - gives the counters of several processes, or runs, common numbers. */
#include "tools/diff/tallies.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"

/* ---- of a run ---- */

/* The number of that counter, made if it is new; COUNTED_NONE: it is one too many. */
static void number_of(struct tallies *tallies, const char *name, const char *unit, uint32_t *number)
{
	struct tally *tally;

	for (*number = 0; *number < tallies->n; ++*number)
		if (strcmp(tallies->tally[*number].name, name) == 0)
			return;
	if (tallies->n == WIRE_COUNTERS) {
		tallies->n_dropped++;
		*number = COUNTED_NONE;
		return;
	}
	tally = &tallies->tally[tallies->n++];
	tally->name = xstrdup(name);
	tally->unit = xstrdup(unit);
}

/* Counted by so many processes more. */
static void add_tally(struct tallies *tallies, const char *name, const char *unit,
		      uint32_t n_processes, uint32_t *number)
{
	number_of(tallies, name, unit, number);
	if (*number != COUNTED_NONE)
		tallies->tally[*number].n_processes += n_processes;
}

static void note_missing(struct tallies *tallies, const char *missing)
{
	if (missing && !tallies->missing)
		tallies->missing = xstrdup(missing);
}

static void clear(uint32_t number[WIRE_COUNTERS])
{
	for (uint32_t i = 0; i < WIRE_COUNTERS; i++)
		number[i] = COUNTED_NONE;
}

void tallies_build(struct tallies *tallies, const struct summary *summary,
		   uint32_t number[WIRE_COUNTERS])
{
	const struct defs *defs = summary->defs;

	clear(number);
	for (uint32_t i = 0; i < defs->n_counters; i++) {
		const struct defs_counter *counter = &defs->counter[i];

		add_tally(tallies, counter->name ? counter->name : "?",
			  counter->unit ? counter->unit : "", 1, &number[i]);
	}
	for (uint32_t k = 0; summary->counts && k < summary->dag->n_kinds; k++)
		tallies_count(&tallies->sum, &summary->counts[k], number);
	note_missing(tallies, defs_meta(defs, "counters_missing"));
}

void tallies_merge(struct tallies *tallies, const struct tallies *process,
		   uint32_t number[WIRE_COUNTERS])
{
	clear(number);
	for (uint32_t i = 0; i < process->n; i++) {
		const struct tally *tally = &process->tally[i];

		add_tally(tallies, tally->name, tally->unit, tally->n_processes, &number[i]);
	}
	tallies->n_dropped += process->n_dropped;
	tallies_count(&tallies->sum, &process->sum, number);
	note_missing(tallies, process->missing);
}

void tallies_count(struct counts *to, const struct counts *counts,
		   const uint32_t number[WIRE_COUNTERS])
{
	for (uint32_t i = 0; counts && i < WIRE_COUNTERS; i++)
		if (number[i] != COUNTED_NONE)
			to->sum[number[i]] += counts->sum[i];
}

void tallies_free(struct tallies *tallies)
{
	for (uint32_t i = 0; i < tallies->n; i++) {
		free(tallies->tally[i].name);
		free(tallies->tally[i].unit);
	}
	free(tallies->missing);
	*tallies = (struct tallies){ 0 };
}

/* ---- of several runs ---- */

static uint32_t find(const struct shared_tallies *shared, const char *name)
{
	uint32_t i = 0;

	while (i < shared->n && strcmp(shared->tally[i].name, name) != 0)
		i++;
	return i;
}

static void add(struct shared_tallies *shared, const struct tallies *tallies, uint32_t run)
{
	for (uint32_t i = 0; i < tallies->n; i++) {
		const struct tally *tally = &tallies->tally[i];
		uint32_t at = find(shared, tally->name);

		if (at == shared->n)
			shared->tally[shared->n++] =
				(struct shared_tally){ .name = tally->name,
						       .unit = tally->unit,
						       .is_time = strcmp(tally->unit, "ns") == 0 };
		shared->number[(uint64_t)at * shared->n_runs + run] = i;
	}
}

void shared_tallies_build(struct shared_tallies *shared, const struct tallies *const *run,
			  uint32_t n_runs)
{
	const char **name;
	uint64_t most = 0;

	for (uint32_t r = 0; r < n_runs; r++)
		most += run[r]->n;
	*shared = (struct shared_tallies){ .n_runs = n_runs };
	shared->tally = xcalloc(most + 1, sizeof(*shared->tally));
	shared->number = xmalloc((most * n_runs + 1) * sizeof(*shared->number));
	name = xcalloc(most + 1, sizeof(*name));
	for (uint64_t i = 0; i < most * n_runs; i++)
		shared->number[i] = COUNTED_NONE;
	for (uint32_t r = 0; r < n_runs; r++)
		add(shared, run[r], r);
	for (uint32_t i = 0; i < shared->n; i++)
		name[i] = shared->tally[i].name;
	shared->roles = counted_roles_of(name, shared->n);
	free(name);
}

void shared_tallies_free(struct shared_tallies *shared)
{
	free(shared->tally);
	free(shared->number);
	*shared = (struct shared_tallies){ 0 };
}
