/* SPDX-License-Identifier: MIT */
/* outcome.c - takes figures and rows out of a summary. */
#include "tools/diff/outcome.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/summary/found.h"
#include "tools/summary/lock_names.h"
#include "tools/summary/path_rows.h"
#include "tools/run/slowed.h"
#include "tools/table/cell.h"
#include "tools/base/base_name.h"

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

/* The item of that place, made if it is new; NULL if out of memory. */
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
static int add_list(struct outcome *outcome, enum list list, const struct summary *summary,
		    const uint32_t *number)
{
	const struct column *column[VALUES_ALL];
	struct naming name = { .id = "" };
	struct table table;
	int error = list_table(list)(&table, summary);

	list_columns(list, column);
	for (uint32_t row = 0; row < table.n && !error; row++) {
		struct item *item;

		name_row(&name, list, summary, row);
		item = item_at(&outcome->list[list], name.id, &name.place);
		if (!item) {
			error = -ENOMEM;
			break;
		}
		take_values(item, &table, column, row);
		tallies_count(&item->counts, name.counts, number);
		if (list == LIST_KINDS)
			outcome->item_of_kind[summary->rows.row[row].kind] =
				(uint32_t)(item - outcome->list[list].item);
	}
	table_close(&table);
	return error;
}

/* By site, where kinds have several: that is no table of the report. */
static int add_places(struct outcome *outcome, const struct summary *summary,
		      const uint32_t *number)
{
	const struct breakdown *breakdown;
	const struct rows *sites = summary_sites(summary, &breakdown);
	const struct counts *counts =
		sites == &summary->rows ? summary->counts : summary->by_site.counts;

	for (uint32_t i = 0; i < sites->n; i++) {
		const struct kind_row *row = &sites->row[i];
		struct item *item = item_at(&outcome->list[LIST_PLACES], "", &row->site);

		if (!item)
			return -ENOMEM;
		put_charge(&item->value[VALUE_WORK], row->charge);
		item->value[VALUE_TASKS] += row->facts->n_tasks;
		tallies_count(&item->counts, counts_of(counts, row->kind), number);
	}
	return 0;
}

static int add_lists(struct outcome *outcome, const struct summary *summary, const uint32_t *number)
{
	int error = add_places(outcome, summary, number);

	outcome->n_kinds = summary->dag->n_kinds;
	outcome->item_of_kind = calloc(summary->dag->n_kinds + 1ull, sizeof(uint32_t));
	if (!outcome->item_of_kind)
		return -ENOMEM;
	for (int list = 0; list < LISTS && !error; list++)
		if (list != LIST_PLACES)
			error = add_list(outcome, (enum list)list, summary, number);
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

static char *copy_text(const char *text)
{
	return strdup(text ? text : "");
}

static uint64_t seconds_in(const char *text)
{
	return text ? strtoull(text, NULL, 10) : 0;
}

int outcome_build(struct outcome *outcome, const struct summary *summary)
{
	uint32_t number[WIRE_COUNTERS]; /* of the process's counters, in tallies */
	char slowed[SLOWED_TEXT];

	*outcome =
		(struct outcome){ .path = copy_text(summary->file->path),
				  .command = copy_text(defs_meta(summary->defs, "command")),
				  .program = copy_text(path_base(defs_meta(summary->defs, "exe"))),
				  .runtimes = runtimes_of(summary),
				  .slowed = copy_text(slowed_text(summary->defs, slowed)),
				  .model = copy_text(defs_meta(summary->defs, "virtual")),
				  .recorded = seconds_in(defs_meta(summary->defs, "recorded")) };
	if (!outcome->path || !outcome->command || !outcome->program || !outcome->runtimes ||
	    !outcome->slowed || !outcome->model)
		return -ENOMEM;
	take_figures(outcome, summary);
	if (tallies_build(&outcome->tallies, summary, number) < 0)
		return -ENOMEM;
	return add_lists(outcome, summary, number);
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
