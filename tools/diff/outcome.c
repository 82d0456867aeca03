/* SPDX-License-Identifier: MIT */
/* outcome.c - takes figures and rows out of a summary. */
#include "tools/diff/outcome.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/map.h"
#include "tools/summary/found.h"
#include "tools/summary/lock_names.h"
#include "tools/summary/path_rows.h"
#include "tools/run/slowed.h"
#include "tools/table/cell.h"

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

#define PATH_TEXT 1024

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
	for (int e = 0; e < EDGE_KINDS; e++)
		figure[FIGURE_EDGES + e] = b->delay_by_edge_ns[e];
	for (int i = 0; i < STATES; i++)
		put_charge(&figure[FIGURE_STATES + 4 * i], &b->state[i]);
	outcome->n_workers = summary->dag->n_workers;
	outcome->n_processes = 1;
}

/* ---- items ---- */

/* The item of that place, made if it is new; NULL if out of memory. */
static struct item *item_at(struct items *items, const char *id, const struct place *place)
{
	const char *where = place_base(place->file ? place->file : place->module);
	struct item wanted = { .id = id,
			       .name = place->name,
			       .where = where ? where : "",
			       .has_line = place->file != NULL,
			       .line = place->file ? place->line : 0 };

	return items_at(items, &wanted);
}

/* What the report's table of a list has besides; its rows are in the order of the summary's. */
struct more {
	struct table table;
	const struct column *column[VALUES_ALL - VALUES];
	int n;
};

static int more_open(struct more *more, enum list list, const struct summary *summary)
{
	more->n = list_columns(list, more->column);
	return list_table(list)(&more->table, summary);
}

static void more_take(struct item *item, const struct more *more, uint32_t row)
{
	struct cell cell;

	for (int i = 0; i < more->n; i++) {
		table_cell(&cell, &more->table, more->column[i], row);
		item->value[VALUES + i] += cell.is == CELL_NUMBER ? cell.number : 0;
	}
}

static const struct counts *counts_of(const struct counts *counts, kind_id kind)
{
	return counts ? &counts[kind] : NULL;
}

static int add_row(struct items *items, const struct kind_row *row, const struct place *place,
		   const struct counts *counts, const uint32_t *number)
{
	struct item *item = item_at(items, "", place);

	if (!item)
		return -ENOMEM;
	put_charge(&item->value[VALUE_WORK], row->charge);
	item->value[VALUE_TASKS] += row->facts->n_tasks;
	tallies_count(&item->counts, counts_of(counts, row->kind), number);
	return 0;
}

static int add_rows(struct outcome *outcome, const struct summary *summary, const uint32_t *number)
{
	const struct breakdown *breakdown;
	const struct rows *sites = summary_sites(summary, &breakdown);
	const struct counts *counts =
		sites == &summary->rows ? summary->counts : summary->by_site.counts;
	struct items *kinds = &outcome->list[LIST_KINDS];
	struct more more;

	outcome->n_kinds = summary->dag->n_kinds;
	outcome->item_of_kind = calloc(summary->dag->n_kinds + 1ull, sizeof(uint32_t));
	if (!outcome->item_of_kind || more_open(&more, LIST_KINDS, summary) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < summary->rows.n; i++) {
		const struct kind_row *row = &summary->rows.row[i];
		struct item *item;

		if (add_row(kinds, row, &row->code, summary->counts, number) < 0)
			return -ENOMEM;
		item = item_at(kinds, "", &row->code);
		more_take(item, &more, i);
		outcome->item_of_kind[row->kind] = (uint32_t)(item - kinds->item);
	}
	for (uint32_t i = 0; i < sites->n; i++)
		if (add_row(&outcome->list[LIST_PLACES], &sites->row[i], &sites->row[i].site,
			    counts, number) < 0)
			return -ENOMEM;
	return 0;
}

static int add_findings(struct outcome *outcome, const struct summary *summary)
{
	struct more more;
	int error = more_open(&more, LIST_FINDINGS, summary);

	for (uint32_t i = 0; i < summary->findings.n && !error; i++) {
		const struct finding *finding = &summary->findings.finding[i];
		struct found found;
		struct item *item;

		found_say(&found, summary, finding);
		item = item_at(&outcome->list[LIST_FINDINGS], finding->id, &found.place);
		if (!item) {
			error = -ENOMEM;
			break;
		}
		item->value[VALUE_LOST] += finding->lost_ns;
		more_take(item, &more, i);
	}
	table_close(&more.table);
	return error;
}

static int add_paths(struct outcome *outcome, const struct summary *summary, const uint32_t *number)
{
	const struct path_rows *rows = summary->paths;
	char text[PATH_TEXT];
	struct more more;
	int error = more_open(&more, LIST_PATHS, summary);

	for (uint32_t i = 0; i < rows->n && !error; i++) {
		uint32_t path = rows->row[i];
		struct place place = *path_code(rows, path);
		struct item *item;

		place.name = path_text(text, sizeof(text), rows, path);
		item = item_at(&outcome->list[LIST_PATHS], "", &place);
		if (!item) {
			error = -ENOMEM;
			break;
		}
		put_charge(&item->value[VALUE_WORK], &rows->by.breakdown.kind[path]);
		item->value[VALUE_TASKS] += rows->by.facts[path].n_tasks;
		tallies_count(&item->counts, counts_of(rows->by.counts, path), number);
		more_take(item, &more, i);
	}
	table_close(&more.table);
	return error;
}

struct lock_wait {
	site_id site;
	uint8_t what;
	const char *name; /* where the function is not known */
	uint64_t times, ns;
};

/* A place that waits, of a row of the list's table. */
static int add_wait(struct outcome *outcome, enum list list, const struct summary *summary,
		    uint32_t row, const struct lock_wait *wait)
{
	struct place place = rows_site(summary->run, wait->site);
	struct more more;
	struct item *item;

	if (!place.name)
		place.name = wait->name;
	item = item_at(&outcome->list[list], wait_name(wait->what), &place);
	if (!item || more_open(&more, list, summary) < 0)
		return -ENOMEM;
	item->value[VALUE_TIMES] += wait->times;
	item->value[VALUE_WAIT] += wait->ns;
	more_take(item, &more, row);
	return 0;
}

/* Objects have other addresses in each run: locks of one kind at one place are one. */
static int add_waits(struct outcome *outcome, const struct summary *summary)
{
	int error = 0;

	for (uint32_t i = 0; i < summary->locks.n && !error; i++) {
		const struct lock *of = &summary->locks.lock[i];

		error = add_wait(outcome, LIST_LOCKS, summary, i,
				 &(struct lock_wait){ of->site, of->what, lock_what(of),
						      of->n_waits, of->wait_ns });
	}
	for (uint32_t i = 0; i < summary->waits.n && !error; i++) {
		const struct wait_site *of = &summary->waits.site[i];

		error = add_wait(outcome, LIST_WAITS, summary, i,
				 &(struct lock_wait){ of->site, of->what, wait_name(of->what),
						      of->n_waited, of->wait_ns });
	}
	return error;
}

/* ---- who it is of ---- */

static char *runtimes_of(const struct summary *summary)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	for (uint32_t i = 0; out && i < summary->n_runtimes; i++) {
		const struct defs_runtime *runtime =
			&summary->defs->runtime[summary->runtime[i].runtime];

		fprintf(out, "%s%s", i ? ", " : "", runtime->name ? runtime->name : "?");
		if (runtime->version)
			fprintf(out, " %s", runtime->version);
	}
	if (out)
		fclose(out);
	return text;
}

static char *copy(const char *text)
{
	return strdup(text ? text : "");
}

int outcome_build(struct outcome *outcome, const struct summary *summary)
{
	uint32_t number[WIRE_COUNTERS]; /* of the process's counters, in tallies */
	char slowed[SLOWED_TEXT];

	*outcome = (struct outcome){ .path = copy(summary->file->path),
				     .command = copy(defs_meta(summary->defs, "command")),
				     .program = copy(place_base(defs_meta(summary->defs, "exe"))),
				     .runtimes = runtimes_of(summary),
				     .slowed = copy(slowed_text(summary->defs, slowed)),
				     .model = copy(defs_meta(summary->defs, "virtual")) };
	if (!outcome->path || !outcome->command || !outcome->program || !outcome->runtimes ||
	    !outcome->slowed || !outcome->model)
		return -ENOMEM;
	take_figures(outcome, summary);
	if (tallies_build(&outcome->tallies, summary, number) < 0 ||
	    add_rows(outcome, summary, number) < 0 || add_paths(outcome, summary, number) < 0 ||
	    add_waits(outcome, summary) < 0)
		return -ENOMEM;
	return add_findings(outcome, summary);
}

void outcome_free(struct outcome *outcome)
{
	for (int l = 0; l < LISTS; l++)
		items_free(&outcome->list[l]);
	tallies_free(&outcome->tallies);
	free(outcome->path);
	free(outcome->command);
	free(outcome->program);
	free(outcome->runtimes);
	free(outcome->slowed);
	free(outcome->model);
	free(outcome->item_of_kind);
	*outcome = (struct outcome){ 0 };
}
