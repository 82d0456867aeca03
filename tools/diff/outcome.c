/* SPDX-License-Identifier: MIT */
/* outcome.c - takes figures and rows out of a summary; writes outcomes, reads and adds them up. */
#include "tools/diff/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/summary/found.h"
#include "tools/summary/lock_names.h"
#include "tools/summary/path_rows.h"
#include "tools/run/slowed.h"
#include "tools/table/cell.h"
#include "tools/base/base_name.h"
#include "tools/base/written.h"

#define TEXTS ((int)(sizeof(((struct outcome *)0)->text) / sizeof(char *)))

const char *const figure_key[FIGURE_EDGES] = {
	[FIGURE_ELAPSED] = "elapsed_ns",
	[FIGURE_CUMULATIVE] = "cumulative_ns",
	[FIGURE_WORK] = "work_ns",
	[FIGURE_DELAY] = "delay_ns",
	[FIGURE_SCHED] = "no_work_sched_ns",
	[FIGURE_APP] = "no_work_app_ns",
	[FIGURE_SPAN] = "span_ns",
	[FIGURE_PATH_WORK] = "path_work_ns",
	[FIGURE_PATH_SCHED] = "path_scheduler_delay_ns",
	[FIGURE_PATH_BUSY] = "path_busy_delay_ns",
	[FIGURE_TRACER] = "tracer_ns",
	[FIGURE_CPU] = "cpu_ns",
	[FIGURE_CPU_WAIT] = "cpu_wait_ns",
	[FIGURE_TASKS] = "tasks",
	[FIGURE_STRANDS] = "strands",
	[FIGURE_STEALS] = "steals",
	[FIGURE_MIGRATIONS] = "migrations",
	[FIGURE_EVENTS_LOST] = "events_lost",
};

static void put_charge(uint64_t out[4], const struct charge *charge)
{
	out[0] += charge->work_ns;
	out[1] += charge->delay_ns;
	out[2] += charge->no_work_sched_ns;
	out[3] += charge->no_work_app_ns;
}

static void take_figures(struct outcome *outcome, const struct summary *summary)
{
	const struct breakdown *b = &summary->breakdown;
	uint64_t *figure = outcome->figure;

	figure[FIGURE_ELAPSED] = summary->elapsed_ns;
	figure[FIGURE_SPAN] = summary->span_ns;
	figure[FIGURE_CUMULATIVE] = summary->cumulative_ns;
	put_charge(&figure[FIGURE_WORK], &b->total);
	figure[FIGURE_PATH_WORK] = b->path_work_ns;
	figure[FIGURE_PATH_SCHED] = b->path_scheduler_delay_ns;
	figure[FIGURE_PATH_BUSY] = b->path_busy_delay_ns;
	figure[FIGURE_TRACER] = summary->tracer_ns;
	figure[FIGURE_CPU] = summary->machine.total.cpu_ns;
	figure[FIGURE_CPU_WAIT] = summary->machine.total.cpu_wait_ns;
	figure[FIGURE_TASKS] = summary->n_tasks;
	figure[FIGURE_STRANDS] = summary->n_strands;
	figure[FIGURE_STEALS] = b->n_moves[MOVE_STEAL];
	figure[FIGURE_MIGRATIONS] = b->n_moves[MOVE_MIGRATION];
	figure[FIGURE_EVENTS_LOST] = summary->dag->n_lost;
	for (uint32_t i = 0; i < summary->findings.n; i++)
		if (strcmp(summary->findings.finding[i].id, "loaded") == 0)
			figure[FIGURE_LOADED] += summary->findings.finding[i].lost_ns;
	for (int e = 0; e < EDGE_KINDS; e++)
		figure[FIGURE_EDGES + e] = b->delay_by_edge_ns[e];
	for (int i = 0; i < STATES; i++)
		put_charge(&figure[FIGURE_STATES + 4 * i], &b->state[i]);
	outcome->n_workers = summary->dag->n_workers;
	outcome->n_processes = 1;
}

/* ---- items ---- */

/* The item of that place, made if it is new. */
static struct item *item_at(struct items *items, const char *id, const struct place *place)
{
	const char *where = path_base(place->file ? place->file : place->module);
	struct item wanted = { .id = id,
			       .name = place->name,
			       .where = where ? where : "",
			       .has_line = place->file != NULL,
			       .line = place->file ? place->line : 0 };

	return items_at(items, &wanted);
}

static const struct counts *counts_of(const struct counts *counts, kind_id kind)
{
	return counts ? &counts[kind] : NULL;
}

/* Who a row of a list is. */
struct naming {
	const char *id;
	struct place place;
	const struct counts *counts; /* NULL: nothing was counted */
	struct found found;
	char text[TABLE_TEXT];
};

static void name_path(struct naming *to, const struct path_rows *rows, uint32_t path)
{
	to->place = *path_code(rows, path);
	to->place.name = path_text(to->text, sizeof(to->text), rows, path);
	to->counts = counts_of(rows->by.counts, path);
}

/* Objects have other addresses in each run: locks of one kind at one place are one. */
static void name_wait(struct naming *to, const struct summary *summary, site_id site, uint8_t what,
		      const char *name)
{
	to->id = wait_name(what);
	to->place = rows_site(summary->run, site);
	if (!to->place.name)
		to->place.name = name;
}

static void name_row(struct naming *to, enum list list, const struct summary *summary, uint32_t row)
{
	const struct lock *lock;
	const struct wait_site *wait;

	switch (list) {
	case LIST_PATHS:
		name_path(to, summary->paths, summary->paths->row[row]);
		break;
	case LIST_FINDINGS:
		to->id = summary->findings.finding[row].id;
		found_say(&to->found, summary, &summary->findings.finding[row]);
		to->place = to->found.place;
		if (finding_is_of_machine(to->found.finding))
			to->place = (struct place){ .name = "" };
		break;
	case LIST_LOCKS:
		lock = &summary->locks.lock[row];
		name_wait(to, summary, lock->site, lock->what, lock_what(lock));
		break;
	case LIST_WAITS:
		wait = &summary->waits.site[row];
		name_wait(to, summary, wait->site, wait->what, wait_name(wait->what));
		break;
	default:
		to->place = summary->rows.row[row].code;
		to->counts = counts_of(summary->counts, summary->rows.row[row].kind);
	}
}

static void take_values(struct item *item, const struct table *table,
			const struct column *const column[VALUES_ALL], uint32_t row)
{
	struct cell cell;

	for (int v = 0; v < VALUES_ALL; v++) {
		if (!column[v])
			continue;
		table_cell(&cell, table, column[v], row);
		item->value[v] += cell.is == CELL_NUMBER ? cell.number : 0;
	}
}

/* The rows of the report's table, whose order is the summary's. */
static void add_list(struct outcome *outcome, enum list list, const struct summary *summary,
		     const uint32_t *number)
{
	const struct column *column[VALUES_ALL];
	struct naming name = { .id = "" };
	struct table table;

	list_table(list)(&table, summary);
	list_columns(list, column);
	for (uint32_t row = 0; row < table.n; row++) {
		struct item *item;

		name_row(&name, list, summary, row);
		item = item_at(&outcome->list[list], name.id, &name.place);
		take_values(item, &table, column, row);
		tallies_count(&item->counts, name.counts, number);
		if (list == LIST_KINDS)
			outcome->item_of_kind[summary->rows.row[row].kind] =
				(uint32_t)(item - outcome->list[list].item);
	}
	table_close(&table);
}

/* By site, where kinds have several: that is no table of the report. */
static void add_places(struct outcome *outcome, const struct summary *summary,
		       const uint32_t *number)
{
	const struct breakdown *breakdown;
	const struct rows *sites = summary_sites(summary, &breakdown);
	const struct counts *counts =
		sites == &summary->rows ? summary->counts : summary->by_site.counts;

	for (uint32_t i = 0; i < sites->n; i++) {
		const struct kind_row *row = &sites->row[i];
		struct item *item = item_at(&outcome->list[LIST_PLACES], "", &row->site);

		put_charge(&item->value[VALUE_WORK], row->charge);
		item->value[VALUE_TASKS] += row->facts->n_tasks;
		tallies_count(&item->counts, counts_of(counts, row->kind), number);
	}
}

static void add_lists(struct outcome *outcome, const struct summary *summary,
		      const uint32_t *number)
{
	add_places(outcome, summary, number);
	outcome->n_kinds = summary->dag->n_kinds;
	outcome->item_of_kind = xcalloc(summary->dag->n_kinds + 1ull, sizeof(uint32_t));
	for (int list = 0; list < LISTS; list++)
		if (list != LIST_PLACES)
			add_list(outcome, (enum list)list, summary, number);
}

/* ---- who it is of ---- */

static void put_runtimes(FILE *out, const void *of)
{
	const struct summary *summary = of;

	for (uint32_t i = 0; i < summary->n_runtimes; i++) {
		const struct defs_runtime *runtime =
			&summary->defs->runtime[summary->runtime[i].runtime];

		fprintf(out, "%s%s", i ? ", " : "", runtime->name ? runtime->name : "?");
		if (runtime->version)
			fprintf(out, " %s", runtime->version);
	}
}

void outcome_build(struct outcome *outcome, const struct summary *summary)
{
	uint32_t number[WIRE_COUNTERS]; /* of the process's counters, in tallies */
	char slowed[SLOWED_TEXT], *runtimes = written(put_runtimes, summary, NULL);
	const char *text[TEXTS] = { summary->file->path,
				    defs_meta(summary->defs, "command"),
				    path_base(defs_meta(summary->defs, "exe")),
				    runtimes,
				    slowed_text(summary->defs, slowed),
				    defs_meta(summary->defs, "virtual") };

	*outcome = (struct outcome){ .recorded = defs_meta_number(summary->defs, "recorded") };
	for (int i = 0; i < TEXTS; i++)
		outcome->text[i] = xstrdup(text[i] ? text[i] : "");
	free(runtimes);
	take_figures(outcome, summary);
	tallies_build(&outcome->tallies, summary, number);
	add_lists(outcome, summary, number);
}

void outcome_free(struct outcome *outcome)
{
	for (int l = 0; l < LISTS; l++)
		items_free(&outcome->list[l]);
	tallies_free(&outcome->tallies);
	for (int i = 0; i < TEXTS; i++)
		free(outcome->text[i]);
	free(outcome->item_of_kind);
	*outcome = (struct outcome){ 0 };
}

/* ---- as bytes ---- */

#define ITEM_LEAST (3 * sizeof(uint32_t) + sizeof(uint64_t) * VALUES_ALL) /* bytes of one */

/* Few traces have counters. */
static void pass_counts(struct bytes *bytes, struct counts *counts)
{
	static const struct counts none;
	uint8_t any = memcmp(counts, &none, sizeof(none)) != 0;

	BYTES_PASS(bytes, any);
	if (any)
		BYTES_PASS(bytes, *counts);
}

/* What is read becomes an item once it is known who it is. */
static void pass_item(struct bytes *bytes, struct items *items, uint32_t i)
{
	struct item who = bytes->out ? items->item[i] : (struct item){ 0 };
	struct item *item = bytes->out ? &items->item[i] : NULL;

	bytes_pass_text(bytes, (char **)&who.id);
	bytes_pass_text(bytes, (char **)&who.name);
	bytes_pass_text(bytes, (char **)&who.where);
	BYTES_PASS(bytes, who.has_line);
	BYTES_PASS(bytes, who.line);
	if (!bytes->out && (!who.id || !who.name || !who.where))
		bytes_wrong();
	if (!item)
		item = items_at(items, &who);
	if (!bytes->out)
		item_free(&who);
	BYTES_PASS(bytes, item->value);
	pass_counts(bytes, &item->counts);
}

static void pass_tallies(struct bytes *bytes, struct tallies *tallies)
{
	uint32_t n = tallies->n;

	bytes_pass_n(bytes, &n, 3 * sizeof(uint32_t));
	if (n > WIRE_COUNTERS)
		bytes_wrong();
	for (tallies->n = 0; tallies->n < n; tallies->n++) {
		struct tally *tally = &tallies->tally[tallies->n];

		bytes_pass_text(bytes, &tally->name);
		bytes_pass_text(bytes, &tally->unit);
		BYTES_PASS(bytes, tally->n_processes);
		if (!tally->name || !tally->unit)
			bytes_wrong();
	}
	BYTES_PASS(bytes, tallies->n_dropped);
	pass_counts(bytes, &tallies->sum);
	bytes_pass_text(bytes, &tallies->missing);
}

void outcome_pass(struct outcome *outcome, struct bytes *bytes)
{
	for (int i = 0; i < TEXTS; i++) {
		bytes_pass_text(bytes, &outcome->text[i]);
		if (!outcome->text[i])
			bytes_wrong();
	}
	BYTES_PASS(bytes, outcome->recorded);
	BYTES_PASS(bytes, outcome->n_workers);
	BYTES_PASS(bytes, outcome->n_processes);
	BYTES_PASS(bytes, outcome->n_torn);
	BYTES_PASS(bytes, outcome->figure);
	for (int l = 0; l < LISTS; l++) {
		uint32_t n = outcome->list[l].n;

		bytes_pass_n(bytes, &n, ITEM_LEAST);
		for (uint32_t i = 0; i < n; i++)
			pass_item(bytes, &outcome->list[l], i);
	}
	pass_tallies(bytes, &outcome->tallies);
	bytes_pass_array(bytes, &outcome->item_of_kind, &outcome->n_kinds,
			 sizeof(*outcome->item_of_kind));
}

/* ---- added up ---- */

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
static void merge_items(struct items *to, const struct items *from,
			const uint32_t number[WIRE_COUNTERS], uint32_t *place)
{
	for (uint32_t i = 0; i < from->n; i++) {
		const struct item *item = &from->item[i];
		struct item *same = items_at(to, item);

		for (int v = 0; v < VALUES_ALL; v++)
			same->value[v] += item->value[v];
		tallies_count(&same->counts, &item->counts, number);
		if (place)
			place[i] = (uint32_t)(same - to->item);
	}
}

static void merge_kinds(struct outcome *run, const struct outcome *process,
			const uint32_t number[WIRE_COUNTERS])
{
	const struct items *from = &process->list[LIST_KINDS];
	uint32_t *place = xcalloc(from->n + 1ull, sizeof(*place));

	merge_items(&run->list[LIST_KINDS], from, number, place);

	free(run->item_of_kind);
	run->n_kinds = process->n_kinds;
	run->item_of_kind = xcalloc(run->n_kinds + 1ull, sizeof(*run->item_of_kind));
	for (uint32_t k = 0; k < run->n_kinds; k++)
		if (process->item_of_kind[k] < from->n)
			run->item_of_kind[k] = place[process->item_of_kind[k]];
	free(place);
}

void outcome_merge(struct outcome *run, const struct outcome *process)
{
	uint32_t number[WIRE_COUNTERS]; /* of the process's counters, in the run's tallies */

	for (int i = 0; i < TEXTS && !run->n_processes; i++)
		run->text[i] = xstrdup(process->text[i]);
	merge_figures(run, process);
	tallies_merge(&run->tallies, &process->tallies, number);
	merge_kinds(run, process, number);
	for (int l = LIST_KINDS + 1; l < LISTS; l++)
		merge_items(&run->list[l], &process->list[l], number, NULL);
}
