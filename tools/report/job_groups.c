/* SPDX-License-Identifier: MIT */
/* job_groups.c - adds up processes, and who waited for whom among them. */
#include "tools/report/job_groups.h"

#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/ratio.h"
#include "tools/base/xalloc.h"
#include "tools/table/column.h"

struct group {
	const struct identity *id; /* of its first process */
	uint64_t rank, world;	   /* TABLE_UNKNOWN: of none, or several */
	struct process_sums sums;
	uint64_t n_processes, elapsed_ns;
	uint64_t waits_ns, late_ns; /* for others; others for it */
};

static void add_to_group(struct group *group, const struct process *process)
{
	group->n_processes++;
	process_sums_add(&group->sums, &process->sums);
	group->elapsed_ns = at_least(group->elapsed_ns, process->sums.elapsed_ns);
}

/* group_of[] is by process. */
static void add_waits(struct group *group, const uint32_t *group_of, const struct job *job)
{
	const struct job_waits *waits = &job->waits;

	for (uint32_t i = 0; i < waits->n_late; i++) {
		const struct job_late *late = &waits->late[i];

		group[group_of[job->rank[late->waiter].process]].waits_ns += late->ns;
		group[group_of[job->rank[late->late].process]].late_ns += late->ns;
	}
}

static const char *group_label(const struct table *table, uint32_t row, char room[TABLE_TEXT])
{
	const struct group *group = table_row(table, row);

	if (table->by)
		return group->id->host ?: "-";
	return identity_who(room, group->id);
}

CELL(uint64_t, group_message, struct group, charge_sum(&its->sums.state[STATE_MESSAGE]))

CELL_TEXT(group_host, struct group, its->id->host)

#define NAME_LEAST 8
#define NAME_WHOLE 18 /* "rank 10 of world 2", for which columns are dropped */
#define GROUP(field) COLUMN_FIELD(struct group, field)
#define TIME(field) .type = COLUMN_NS, .width = 9, GROUP(field)

static const struct column group_column[] = {
	{ "rank", GROUP(rank) },
	{ "world", GROUP(world) },
	{ "host", .type = COLUMN_TEXT, .text = group_host },
	{ "processes", "processes", GROUP(n_processes), .width = 10, .drop = 5,
	  .name_least = NAME_WHOLE },
	{ "workers", "P", GROUP(sums.n_workers), .width = 6 },
	{ "elapsed_ns", "elapsed", TIME(elapsed_ns) },
	{ "work_ns", "work", TIME(sums.total.work_ns) },
	{ "delay_ns", "delay", TIME(sums.total.delay_ns), .drop = 3, .name_least = NAME_WHOLE },
	{ "no_work_sched_ns", "nw-sched", TIME(sums.total.no_work_sched_ns), .drop = 4,
	  .name_least = NAME_WHOLE },
	{ "no_work_app_ns", "nw-app", TIME(sums.total.no_work_app_ns), .drop = 2,
	  .name_least = NAME_WHOLE },
	{ "message_ns", "in MPI", .type = COLUMN_NS, .width = 9, .number = group_message },
	{ "waits_ns", "waits", TIME(waits_ns) },
	{ "late_ns", "is late", TIME(late_ns) },
	{ "tasks", "tasks", GROUP(sums.n_tasks), .width = 10, .drop = 6, .name_least = NAME_WHOLE },
};

struct table job_groups_table(const struct processes *all, const struct job *job, bool by_host)
{
	FREED uint32_t *group_of = xcalloc(all->n + 1ull, sizeof(*group_of));
	FREED const char **host = xcalloc(all->n + 1ull, sizeof(*host));
	struct group *group = xcalloc(all->n + 1ull, sizeof(*group));
	uint32_t n = 0;

	for (uint32_t i = 0; i < all->n; i++) {
		const struct identity *id = &all->process[i].id;
		uint32_t first;

		host[i] = id->host ?: "";
		first = by_host ? identity_host(host, i) : i;
		if (first == i) {
			group[n].id = id;
			bool one = !by_host && id->has_rank;

			group[n].rank = one ? id->rank : TABLE_UNKNOWN;
			group[n].world = one ? id->nth_world : TABLE_UNKNOWN;
			group_of[i] = n++;
		}
		group_of[i] = group_of[first];
		add_to_group(&group[group_of[i]], &all->process[i]);
	}
	add_waits(group, group_of, job);
	return (struct table){ .name = by_host ? "by_host" : "by_rank",
			       .title = by_host ? "host" : "rank",
			       TABLE_COLUMNS(group_column),
			       .by = by_host ? all : NULL,
			       .own = group,
			       TABLE_ROWS(group, n),
			       .label = group_label,
			       .names_least = NAME_LEAST,
			       .names_most = 32 };
}

/* ---- phases ---- */

CELL(double, phase_imbalance, struct merged_phase,
     ratio(its->most_ns, its->work_ns) * its->n_processes)

#define MOST_OF (((const struct processes *)table->of)->process[its->most].id)

CELL(uint64_t, phase_rank, struct merged_phase, MOST_OF.has_rank ? MOST_OF.rank : TABLE_UNKNOWN)
CELL(uint64_t, phase_world, struct merged_phase,
     MOST_OF.has_rank ? MOST_OF.nth_world : TABLE_UNKNOWN)

#define PHASE(field) COLUMN_FIELD(struct merged_phase, field)

static const struct column phase_column[] = {
	{ "name", .type = COLUMN_TEXT, PHASE(name) },
	{ "processes", "processes", PHASE(n_processes), .width = 10 },
	{ "work_ns", "work", .type = COLUMN_NS, PHASE(work_ns), .width = 9 },
	{ "work_max_ns", "the most", .type = COLUMN_NS, PHASE(most_ns), .width = 9 },
	{ "work_imbalance", "x mean", .type = COLUMN_REAL, .real = phase_imbalance,
	  .format = "%.4f", .shown = "%*.2f", .width = 7 },
	{ "rank", "rank", .number = phase_rank, .width = 6 },
	{ "world", .number = phase_world },
};

static const char *phase_label(const struct table *table, uint32_t row, char room[TABLE_TEXT])
{
	(void)room;
	return ((const struct merged_phase *)table_row(table, row))->name;
}

struct table job_phases_table(const struct processes *all)
{
	return (struct table){ .name = "phases",
			       .title = "phase",
			       TABLE_COLUMNS(phase_column),
			       .of = all,
			       TABLE_ROWS(all->phase, all->n_phases),
			       .label = phase_label,
			       .names_least = NAME_LEAST,
			       .names_most = 48 };
}
