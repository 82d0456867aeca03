/* SPDX-License-Identifier: MIT */
/* job_ifs.c - which changes are tried, and the table of them. */
#include "tools/report/job_ifs.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tools/base/map.h"
#include "tools/base/at_most.h"
#include "tools/base/ratio.h"
#include "tools/base/units.h"
#include "tools/base/xalloc.h"
#include "tools/report/job.h"

#define RANKS_MOST 4u /* that are tried alone: late ones, and who works the most */
#define TWICE 0.5     /* the time of what is twice as fast */

/* ---- what is tried ---- */

struct trial {
	struct job_ifs *ifs;
	uint64_t room; /* of ifs->at */
	const struct processes *all;
	struct job *job;
	double *factor;	   /* by rank */
	uint64_t *work_ns; /* by rank */
	uint32_t ranks[RANKS_MOST], n_ranks;
};

static struct job_if *try_it(struct trial *trial, enum job_if_what what)
{
	struct replay_change change = { .rank = trial->factor,
					.messages = what != JOB_IF_MESSAGES,
					.less_latency = what == JOB_IF_LATENCY ? TWICE : 0,
					.less_transfer = what == JOB_IF_BANDWIDTH ? TWICE : 0 };
	uint64_t ns = job_replay_ns(&trial->job->replay, &change);
	struct job_ifs *ifs = trial->ifs;
	uint64_t gain_ns = ifs->n ? above(ifs->at[0].elapsed_ns, ns) : 0;

	return ARRAY_ADD(ifs->at, ifs->n, trial->room,
			 { what, TABLE_UNKNOWN, TABLE_UNKNOWN, TABLE_UNKNOWN, TABLE_UNKNOWN, ns,
			   gain_ns });
}

static void set_factors(struct trial *trial, double factor)
{
	for (uint32_t r = 0; r < trial->job->n_ranks; r++)
		trial->factor[r] = factor;
}

static void add_rank(struct trial *trial, uint32_t rank)
{
	for (uint32_t i = 0; i < trial->n_ranks; i++)
		if (trial->ranks[i] == rank)
			return;
	if (trial->n_ranks < RANKS_MOST)
		trial->ranks[trial->n_ranks++] = rank;
}

/* Those that findings name as late, and the one that works the most. */
static void choose_ranks(struct trial *trial)
{
	const struct job *job = trial->job;
	uint32_t most = 0;

	for (uint32_t r = 0; r < job->n_ranks; r++)
		if (trial->work_ns[r] > trial->work_ns[most])
			most = r;
	add_rank(trial, most);
	for (uint32_t f = 0; f < job->findings.n; f++) {
		uint32_t r = job_rank_named(job, &job->findings.finding[f], "rank");

		if (r != RANK_NONE)
			add_rank(trial, r);
	}
}

static void sum_work(struct trial *trial)
{
	for (uint32_t k = 0; k < trial->job->n_places; k++)
		trial->work_ns[trial->job->kind[k].rank] += trial->job->kind[k].work_ns;
}

/* The sum of all stays. */
static void try_even(struct trial *trial)
{
	uint64_t sum_ns = 0;

	for (uint32_t r = 0; r < trial->job->n_ranks; r++)
		sum_ns += trial->work_ns[r];
	for (uint32_t r = 0; r < trial->job->n_ranks; r++)
		trial->factor[r] = trial->work_ns[r]
					   ? ratio(sum_ns, trial->work_ns[r]) / trial->job->n_ranks
					   : 1;
	try_it(trial, JOB_IF_EVEN);
}

/* Ranks that cannot be simulated stay as they are. */
static void try_widths(struct trial *trial)
{
	const struct job *job = trial->job;

	for (uint32_t i = 0;; i++) {
		uint64_t most = 0, least = UINT64_MAX;
		bool any = false;
		struct job_if *row;

		set_factors(trial, 1);
		for (uint32_t r = 0; r < job->n_ranks; r++) {
			const struct process *of = &trial->all->process[job->rank[r].process];

			uint64_t workers = job->rank[r].n_workers;

			if (i < of->n_widths) {
				any = true;
				trial->factor[r] = of->width[i].factor;
				workers = of->width[i].workers;
			}
			most = at_least(most, workers);
			least = at_most(least, workers);
		}
		if (!any)
			return;
		row = try_it(trial, JOB_IF_WORKERS);
		row->workers = most;
		row->least_workers = least;
	}
}

static void try_all(struct trial *trial)
{
	set_factors(trial, 1);
	try_it(trial, JOB_IF_NOTHING);
	sum_work(trial);
	choose_ranks(trial);
	for (uint32_t i = 0; i < trial->n_ranks; i++) {
		const struct job_rank *rank = &trial->job->rank[trial->ranks[i]];
		struct job_if *row;

		set_factors(trial, 1);
		trial->factor[trial->ranks[i]] = TWICE;
		row = try_it(trial, JOB_IF_RANK);
		row->rank = rank->rank;
		row->nth_world = rank->nth_world;
	}
	try_even(trial);
	set_factors(trial, 1);
	try_it(trial, JOB_IF_MESSAGES);
	if (trial->job->replay.network.latency_ns > 0)
		try_it(trial, JOB_IF_LATENCY);
	if (trial->job->replay.network.byte_ns > 0)
		try_it(trial, JOB_IF_BANDWIDTH);
	try_widths(trial);
}

void job_ifs_find(struct job_ifs *ifs, struct job *job, const struct processes *all)
{
	struct trial trial = { .ifs = ifs, .all = all, .job = job };

	*ifs = (struct job_ifs){ 0 };
	if (!job->replay.match)
		return;
	trial.factor = xcalloc(job->n_ranks, sizeof(*trial.factor));
	trial.work_ns = xcalloc(job->n_ranks, sizeof(*trial.work_ns));
	try_all(&trial);
	free(trial.factor);
	free(trial.work_ns);
}

void job_ifs_free(struct job_ifs *ifs)
{
	free(ifs->at);
	*ifs = (struct job_ifs){ 0 };
}

/* ---- the table ---- */

static const char *const words[] = {
	[JOB_IF_NOTHING] = "nothing",	       [JOB_IF_RANK] = "rank twice as fast",
	[JOB_IF_EVEN] = "even work",	       [JOB_IF_MESSAGES] = "messages at once",
	[JOB_IF_LATENCY] = "half the latency", [JOB_IF_BANDWIDTH] = "twice the bandwidth",
	[JOB_IF_WORKERS] = "other workers"
};

static const struct column columns[] = {
	{ "what", NULL, .type = COLUMN_TEXT, COLUMN_FIELD(struct job_if, what), .word = words },
	{ "rank", NULL, .type = COLUMN_NUMBER, COLUMN_FIELD(struct job_if, rank) },
	{ "world", NULL, .type = COLUMN_NUMBER, COLUMN_FIELD(struct job_if, nth_world) },
	{ "workers", NULL, .type = COLUMN_NUMBER, COLUMN_FIELD(struct job_if, workers) },
	{ "least_workers", NULL, .type = COLUMN_NUMBER,
	  COLUMN_FIELD(struct job_if, least_workers) },
	{ "elapsed_ns", "elapsed", .type = COLUMN_NS, COLUMN_FIELD(struct job_if, elapsed_ns),
	  .width = 9 },
	{ "gain_ns", "gain", .type = COLUMN_NS, COLUMN_FIELD(struct job_if, gain_ns), .width = 9 },
};

static const char *workers_label(const struct job_if *of, char room[TABLE_TEXT])
{
	if (of->least_workers < of->workers)
		snprintf(room, TABLE_TEXT, "ranks had %" PRIu64 " to %" PRIu64 " workers",
			 of->least_workers, of->workers);
	else
		snprintf(room, TABLE_TEXT, "each rank had %" PRIu64 " worker%s", of->workers,
			 units_s(of->workers));
	return room;
}

static const char *change_label(const struct table *table, uint32_t row, char room[TABLE_TEXT])
{
	const struct job_if *of = table_row(table, row);
	char who[RANK_NAME];

	switch (of->what) {
	case JOB_IF_NOTHING:
		return "as recorded";
	case JOB_IF_RANK:
		snprintf(room, TABLE_TEXT, "%s were twice as fast",
			 identity_rank(who, of->rank, (uint32_t)of->nth_world));
		return room;
	case JOB_IF_EVEN:
		return "all ranks had as much work";
	case JOB_IF_WORKERS:
		return workers_label(of, room);
	case JOB_IF_LATENCY:
		return "the network had half the latency";
	case JOB_IF_BANDWIDTH:
		return "the network had twice the bandwidth";
	default:
		return "messages took no time";
	}
}

struct table job_ifs_table(const struct job_ifs *ifs)
{
	return (struct table){ .name = "what_if",
			       .title = "what if",
			       TABLE_COLUMNS(columns),
			       TABLE_ROWS(ifs->at, ifs->n),
			       .label = change_label };
}
