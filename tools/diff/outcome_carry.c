/* SPDX-License-Identifier: MIT */
/* outcome_carry.c - writes outcomes, reads them, and adds one to another. */
#include "tools/diff/outcome_carry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- as bytes ---- */

#define ITEM_LEAST (3 * sizeof(uint32_t) + sizeof(uint64_t) * VALUES_ALL) /* bytes of one */

static bool counts_any(const struct counts *counts)
{
	static const struct counts none;

	return memcmp(counts, &none, sizeof(none)) != 0;
}

/* Few traces have counters. */
static void write_counts(FILE *out, const struct counts *counts)
{
	const uint8_t any = counts_any(counts);

	bytes_put(out, &any, sizeof(any));
	if (any)
		bytes_put(out, counts, sizeof(*counts));
}

static void read_counts(struct bytes *bytes, struct counts *counts)
{
	uint8_t any;

	bytes_get(bytes, &any, sizeof(any));
	if (any)
		bytes_get(bytes, counts, sizeof(*counts));
}

static void write_items(FILE *out, const struct items *items)
{
	bytes_put(out, &items->n, sizeof(items->n));
	for (uint32_t i = 0; i < items->n; i++) {
		const struct item *item = &items->item[i];

		bytes_put_text(out, item->id);
		bytes_put_text(out, item->name);
		bytes_put_text(out, item->where);
		bytes_put(out, &item->has_line, sizeof(item->has_line));
		bytes_put(out, &item->line, sizeof(item->line));
		bytes_put(out, item->value, sizeof(item->value));
		write_counts(out, &item->counts);
	}
}

static int read_item(struct bytes *bytes, struct items *items)
{
	char *id = bytes_get_text(bytes), *name = bytes_get_text(bytes),
	     *where = bytes_get_text(bytes);
	struct item wanted = { .id = id, .name = name, .where = where };
	struct item *item = NULL;

	bytes_get(bytes, &wanted.has_line, sizeof(wanted.has_line));
	bytes_get(bytes, &wanted.line, sizeof(wanted.line));
	if (id && name && where)
		item = items_at(items, &wanted);
	if (item) {
		bytes_get(bytes, item->value, sizeof(item->value));
		read_counts(bytes, &item->counts);
	}
	free(id);
	free(name);
	free(where);
	return item && !bytes->short_of ? 0 : -ENOMEM;
}

static void write_tallies(FILE *out, const struct tallies *tallies)
{
	bytes_put(out, &tallies->n, sizeof(tallies->n));
	for (uint32_t i = 0; i < tallies->n; i++) {
		bytes_put_text(out, tallies->tally[i].name);
		bytes_put_text(out, tallies->tally[i].unit);
		bytes_put(out, &tallies->tally[i].n_processes,
			  sizeof(tallies->tally[i].n_processes));
	}
	bytes_put(out, &tallies->n_dropped, sizeof(tallies->n_dropped));
	write_counts(out, &tallies->sum);
	bytes_put_text(out, tallies->missing);
}

static void read_tallies(struct bytes *bytes, struct tallies *tallies)
{
	uint32_t n = bytes_get_n(bytes, 3 * sizeof(uint32_t));

	bytes->short_of |= n > WIRE_COUNTERS;
	for (; tallies->n < n && !bytes->short_of; tallies->n++) {
		struct tally *tally = &tallies->tally[tallies->n];

		tally->name = bytes_get_text(bytes);
		tally->unit = bytes_get_text(bytes);
		bytes_get(bytes, &tally->n_processes, sizeof(tally->n_processes));
		bytes->short_of |= !tally->name || !tally->unit;
	}
	bytes_get(bytes, &tallies->n_dropped, sizeof(tallies->n_dropped));
	read_counts(bytes, &tallies->sum);
	tallies->missing = bytes_get_text(bytes);
}

void outcome_write(FILE *out, const struct outcome *outcome)
{
	bytes_put_text(out, outcome->path);
	bytes_put_text(out, outcome->command);
	bytes_put_text(out, outcome->program);
	bytes_put_text(out, outcome->runtimes);
	bytes_put_text(out, outcome->slowed);
	bytes_put_text(out, outcome->model);
	bytes_put(out, &outcome->recorded, sizeof(outcome->recorded));
	bytes_put(out, &outcome->n_workers, sizeof(outcome->n_workers));
	bytes_put(out, &outcome->n_processes, sizeof(outcome->n_processes));
	bytes_put(out, &outcome->n_torn, sizeof(outcome->n_torn));
	bytes_put(out, outcome->figure, sizeof(outcome->figure));
	for (int l = 0; l < LISTS; l++)
		write_items(out, &outcome->list[l]);
	write_tallies(out, &outcome->tallies);
	bytes_put(out, &outcome->n_kinds, sizeof(outcome->n_kinds));
	bytes_put(out, outcome->item_of_kind, outcome->n_kinds * sizeof(*outcome->item_of_kind));
}

static int read_kinds(struct outcome *outcome, struct bytes *bytes)
{
	uint32_t n = bytes_get_n(bytes, sizeof(*outcome->item_of_kind));

	outcome->n_kinds = n;
	outcome->item_of_kind = calloc(n + 1ull, sizeof(*outcome->item_of_kind));
	if (!outcome->item_of_kind)
		return -ENOMEM;
	bytes_get(bytes, outcome->item_of_kind, n * sizeof(*outcome->item_of_kind));
	return 0;
}

int outcome_read(struct outcome *outcome, struct bytes *bytes)
{
	int error = 0;

	*outcome = (struct outcome){ .path = bytes_get_text(bytes),
				     .command = bytes_get_text(bytes),
				     .program = bytes_get_text(bytes),
				     .runtimes = bytes_get_text(bytes),
				     .slowed = bytes_get_text(bytes),
				     .model = bytes_get_text(bytes) };
	bytes_get(bytes, &outcome->recorded, sizeof(outcome->recorded));
	bytes_get(bytes, &outcome->n_workers, sizeof(outcome->n_workers));
	bytes_get(bytes, &outcome->n_processes, sizeof(outcome->n_processes));
	bytes_get(bytes, &outcome->n_torn, sizeof(outcome->n_torn));
	bytes_get(bytes, outcome->figure, sizeof(outcome->figure));
	for (int l = 0; l < LISTS && !error; l++) {
		uint32_t n = bytes_get_n(bytes, ITEM_LEAST);

		for (uint32_t i = 0; i < n && !error; i++)
			error = read_item(bytes, &outcome->list[l]);
	}
	if (!error)
		read_tallies(bytes, &outcome->tallies);
	if (!error)
		error = read_kinds(outcome, bytes);
	return error || bytes->short_of || !outcome->path || !outcome->command ||
			       !outcome->program || !outcome->runtimes || !outcome->slowed ||
			       !outcome->model
		       ? -ENOMEM
		       : 0;
}

/* ---- added up ---- */

static bool copy_text(char **to, const char *text)
{
	*to = strdup(text);
	return *to;
}

static bool copy_names(struct outcome *run, const struct outcome *process)
{
	bool all = copy_text(&run->path, process->path);

	all &= copy_text(&run->command, process->command);
	all &= copy_text(&run->program, process->program);
	all &= copy_text(&run->runtimes, process->runtimes);
	all &= copy_text(&run->slowed, process->slowed);
	return copy_text(&run->model, process->model) && all;
}

static bool is_longest(int figure)
{
	return figure == FIGURE_ELAPSED || figure == FIGURE_SPAN;
}

static void merge_figures(struct outcome *run, const struct outcome *process)
{
	for (int f = 0; f < FIGURES; f++) {
		if (!is_longest(f))
			run->figure[f] += process->figure[f];
		else if (run->figure[f] < process->figure[f])
			run->figure[f] = process->figure[f];
	}
	if (!run->n_processes || process->recorded < run->recorded)
		run->recorded = process->recorded;
	run->n_workers += process->n_workers;
	run->n_processes += process->n_processes;
	run->n_torn += process->n_torn;
}

/* `place` of each item, in the run's list, if it is not NULL. */
static int merge_items(struct items *to, const struct items *from,
		       const uint32_t number[WIRE_COUNTERS], uint32_t *place)
{
	for (uint32_t i = 0; i < from->n; i++) {
		const struct item *item = &from->item[i];
		struct item *same = items_at(to, item);

		if (!same)
			return -ENOMEM;
		for (int v = 0; v < VALUES_ALL; v++)
			same->value[v] += item->value[v];
		tallies_count(&same->counts, &item->counts, number);
		if (place)
			place[i] = (uint32_t)(same - to->item);
	}
	return 0;
}

static int merge_kinds(struct outcome *run, const struct outcome *process,
		       const uint32_t number[WIRE_COUNTERS])
{
	const struct items *from = &process->list[LIST_KINDS];
	uint32_t *place = calloc(from->n + 1ull, sizeof(*place));
	int error = place ? merge_items(&run->list[LIST_KINDS], from, number, place) : -ENOMEM;

	free(run->item_of_kind);
	run->n_kinds = process->n_kinds;
	run->item_of_kind = error ? NULL : calloc(run->n_kinds + 1ull, sizeof(*run->item_of_kind));
	if (!error && !run->item_of_kind)
		error = -ENOMEM;
	for (uint32_t k = 0; k < run->n_kinds && !error; k++)
		if (process->item_of_kind[k] < from->n)
			run->item_of_kind[k] = place[process->item_of_kind[k]];
	free(place);
	return error;
}

int outcome_merge(struct outcome *run, const struct outcome *process)
{
	uint32_t number[WIRE_COUNTERS]; /* of the process's counters, in the run's tallies */
	int error = 0;

	if (!run->path && !copy_names(run, process))
		return -ENOMEM;
	merge_figures(run, process);
	if (tallies_merge(&run->tallies, &process->tallies, number) < 0 ||
	    merge_kinds(run, process, number) < 0)
		return -ENOMEM;
	for (int l = LIST_KINDS + 1; l < LISTS && !error; l++)
		error = merge_items(&run->list[l], &process->list[l], number, NULL);
	return error;
}
