/* SPDX-License-Identifier: MIT */
/* worker_table.c - the columns of workers, their runtimes, teams that were small, and phases. */
#include "tools/summary/charge_columns.h"
#include "tools/summary/json_parts.h"
#include "tools/summary/report_tables.h"

/* ---- workers ---- */

/* The workers that the runtime has and nobody saw share one row. */
CELL(bool, is_seen, void, row < summary_of(table)->dag->n_slots)

CELL(uint64_t, worker, void, is_seen(table, row) ? row : TABLE_UNKNOWN)

CELL(const void *, worker_charge, void, &summary_of(table)->breakdown.worker[row])

CELL(uint64_t, strands, void, table->by ? ((const uint64_t *)table->by)[row] : TABLE_UNKNOWN)

static uint64_t events_lost(const struct table *table, uint32_t row)
{
	const struct dag *dag = summary_of(table)->dag;
	uint64_t n = 0;

	for (uint64_t i = 0; i < dag->n_gaps; i++)
		if (dag->gap[i].worker == row && dag->gap[i].why != WIRE_LOSS_STOPPED)
			n += dag->gap[i].n;
	return n;
}

static const struct machine_row *machine_of(const struct table *table, uint32_t row)
{
	const struct machine_row *all = summary_of(table)->machine.worker;

	return all && is_seen(table, row) && all[row].known_ns ? &all[row] : NULL;
}

CELL_OF(uint64_t, cpu_ns, struct machine_row, machine_of(table, row),
	its ? its->cpu_ns : TABLE_UNKNOWN)

CELL_OF(uint64_t, cpu_wait_ns, struct machine_row, machine_of(table, row),
	its && its->has_wait ? its->cpu_wait_ns : TABLE_UNKNOWN)

static const struct column worker_column[] = {
	{ "id", .only = FOR_SQL, .number = worker },
	{ "worker", .only = FOR_JSON, .number = worker },
	{ "strands", .only = FOR_SQL, .number = strands },
	CHARGE_COLUMNS(worker_charge),
	{ "events_lost", .number = events_lost },
	{ "cpu_ns", .type = COLUMN_NS, .number = cpu_ns },
	{ "cpu_wait_ns", .type = COLUMN_NS, .number = cpu_wait_ns },
};

void worker_table(struct table *table, const struct summary *summary)
{
	const struct dag *dag = summary->dag;

	*table = (struct table){ .name = "workers_profile",
				 TABLE_COLUMNS(worker_column),
				 .of = summary,
				 .n = dag->n_slots + (dag->n_workers > dag->n_seen) };
}

/* ---- runtimes ---- */

/* NULL: it has no tasks. */
static const struct runtime_row *busy_of(const struct table *table, uint32_t row)
{
	const struct summary *summary = summary_of(table);

	for (uint32_t i = 0; i < summary->n_runtimes; i++)
		if (summary->runtime[i].runtime == row)
			return &summary->runtime[i];
	return NULL;
}

CELL(bool, is_busy, void, busy_of(table, row) != NULL)

CELL(uint64_t, workers, void, summary_runtime_workers(summary_of(table), row))

CELL(uint64_t, tasks, void, is_busy(table, row) ? summary_of(table)->dag->runtime[row].n_tasks : 0)

CELL(const void *, busy, void, busy_of(table, row))

CELL_OF(const void *, runtime_charge, struct runtime_row, busy_of(table, row),
	its ? &its->total : NULL)

static void put_states(struct json *to, const char *key, const struct table *table, uint32_t row)
{
	(void)key;
	json_put_states(to, busy_of(table, row)->state);
}

#define BUSY(field) .has = is_busy, .within = busy, COLUMN_FIELD(struct runtime_row, field)
#define DEFS(field) COLUMN_FIELD(struct defs_runtime, field)
#define BUSY_CHARGE(field) .has = is_busy, CHARGE_COLUMN(runtime_charge, field)

static const struct column runtime_column[] = {
	{ "name", .type = COLUMN_TEXT, DEFS(name) },
	{ "version", .type = COLUMN_TEXT, DEFS(version) },
	{ "note", .type = COLUMN_TEXT, DEFS(note), .optional = true },
	{ "unlinked", .only = FOR_JSON, .type = COLUMN_TEXT, DEFS(unlinked), .optional = true },
	{ "workers", .number = workers },
	{ "tasks", .number = tasks },
	{ "steals", BUSY(n_moves[MOVE_STEAL]) },
	{ "migrations", BUSY(n_moves[MOVE_MIGRATION]) },
	{ "from_ns", .type = COLUMN_NS, BUSY(from_ns) },
	{ "elapsed_ns", .type = COLUMN_NS, BUSY(elapsed_ns) },
	{ "work_ns", BUSY_CHARGE(work_ns) },
	{ "delay_ns", BUSY_CHARGE(delay_ns) },
	{ "no_work_sched_ns", BUSY_CHARGE(no_work_sched_ns) },
	{ "no_work_app_ns", BUSY_CHARGE(no_work_app_ns) },
	{ "states", .only = FOR_JSON, .has = is_busy, .json = put_states },
};

void runtime_table(struct table *table, const struct summary *summary)
{
	*table = (struct table){ .name = "runtimes",
				 TABLE_COLUMNS(runtime_column),
				 .of = summary,
				 TABLE_ROWS(summary->defs->runtime, summary->defs->n_runtimes) };
}

/* ---- teams ---- */

CELL(struct place, team_place, struct team_row, summary_of(table)->rows.code[its->kind])

#define TEAM(field) COLUMN_FIELD(struct team_row, field)

static const struct column team_column[] = {
	{ "name", .type = COLUMN_PLACE, .only = FOR_JSON, .place = team_place },
	{ "kind", .only = FOR_SQL, TEAM(kind) },
	{ "times", TEAM(n_times) },
	{ "least", TEAM(least) },
	{ "most", TEAM(most) },
	{ "workers", TEAM(n_workers) },
	{ "elapsed_ns", .type = COLUMN_NS, TEAM(elapsed_ns) },
};

void team_table(struct table *table, const struct summary *summary)
{
	*table = (struct table){ .name = "small_teams",
				 TABLE_COLUMNS(team_column),
				 .of = summary,
				 TABLE_ROWS(summary->teams.row, summary->teams.n) };
}

/* ---- phases ---- */

CELL(const void *, phase_charge, void, &summary_of(table)->breakdown.row[row + 1])

static const struct column phase_column[] = {
	{ "name", .type = COLUMN_TEXT, .bytes = sizeof(char *) },
	CHARGE_COLUMNS(phase_charge),
};

/* What was in none of them is no row. */
void phase_table(struct table *table, const struct summary *summary)
{
	uint32_t n = summary->run->phases.n;

	*table = (struct table){ .name = "phases",
				 TABLE_COLUMNS(phase_column),
				 .of = summary,
				 TABLE_ROWS(summary->run->phases.name + 1, n ? n - 1 : 0) };
}
