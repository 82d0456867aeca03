/* SPDX-License-Identifier: MIT */
/* job.c - brings the ranks of a job together, and gives its findings their words. */
#include "tools/report/job.h"

#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/units.h"
#include "tools/base/xalloc.h"
#include "tools/report/job_gains.h"

static char *name_place(void *context, kind_id number, char *out, size_t room)
{
	const struct job *job = context;

	return place_text(out, room, &job->place[number]);
}

/* Findings of a job name no locks, and nothing by what its ranks' runtimes are. */
static const char *name_nothing(void *context, uint32_t number)
{
	(void)context;
	(void)number;
	return "";
}

static bool called_mpi(const struct process *process)
{
	return process->id.has_rank && process->rank.calls.n_calls > 0;
}

/* The places of a rank get the numbers from `first` on. */
static void number_places(struct rank_calls *calls, uint32_t first)
{
	for (uint32_t i = 0; i < calls->n_steps; i++)
		calls->step[i].kind += first;
	for (uint32_t i = 0; i < calls->n_calls; i++)
		calls->call[i].site += first;
}

/* Each host's own, until it is known what it shows to the others'. */
static void find_hosts(struct job *job, const struct processes *all)
{
	FREED const char **host = xcalloc(all->n + 1ull, sizeof(*host));

	job->clock_of = xcalloc(all->n + 1ull, sizeof(*job->clock_of));
	for (uint32_t i = 0; i < all->n; i++) {
		host[i] = all->process[i].id.host ?: "";
		job->clock_of[i] = identity_host(host, i);
	}
}

static void gather_ranks(struct job *job, struct processes *all)
{
	uint32_t n_places = 0;

	for (uint32_t i = 0; i < all->n; i++)
		n_places += all->process[i].rank.n_places;
	job->rank = xcalloc(all->n + 1ull, sizeof(*job->rank));
	job->place = xcalloc(n_places + 1ull, sizeof(*job->place));
	job->kind = xcalloc(n_places + 1ull, sizeof(*job->kind));
	for (uint32_t i = 0; i < all->n; i++) {
		struct process *process = &all->process[i];
		const struct rank_calls *calls = &process->rank.calls;
		uint64_t elapsed_ns = calls->end_ns - calls->begin_ns;

		if (!called_mpi(process))
			continue;
		number_places(&process->rank.calls, job->n_places);
		spool_rest(&all->spool);
		for (uint32_t k = 0; k < process->rank.n_places; k++) {
			job->kind[job->n_places].work_ns = process->rank.work_ns[k];
			job->kind[job->n_places].rank = job->n_ranks;
			job->place[job->n_places++] = process->rank.place[k];
		}
		job->rank[job->n_ranks++] =
			(struct job_rank){ .calls = calls,
					   .rank = process->id.rank,
					   .world = process->id.world,
					   .nth_world = process->id.nth_world,
					   .process = i,
					   .clock = job->clock_of[i],
					   .n_workers = (uint32_t)process->sums.n_workers,
					   .elapsed_ns = elapsed_ns,
					   .cumulative_ns = elapsed_ns * process->sums.n_workers };
	}
}

/* ---- places of several ranks ---- */

struct numbered {
	const struct place *place;
	uint32_t number;
};

ORDER(by_place_and_number, struct numbered, place_compare(x->place, y->place) ?: BY_LEAST(number))

/* What the n places that are the same have together. */
static void add_same(struct job *job, const struct numbered *sorted, uint32_t n)
{
	uint32_t n_ranks = 0, last = UINT32_MAX;
	uint64_t work_ns = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct job_kind *kind = &job->kind[sorted[i].number];

		work_ns += kind->work_ns;
		if (!kind->work_ns || kind->rank == last)
			continue;
		last = kind->rank;
		n_ranks++;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct job_kind *kind = &job->kind[sorted[i].number];

		kind->same = sorted[0].number;
		kind->mean_ns = work_ns / job->n_ranks;
		kind->n_ranks = n_ranks;
	}
}

static void find_same(struct job *job)
{
	FREED struct numbered *sorted = xcalloc(job->n_places + 1ull, sizeof(*sorted));

	for (uint32_t i = 0; i < job->n_places; i++)
		sorted[i] = (struct numbered){ &job->place[i], i };
	SORT(sorted, job->n_places, by_place_and_number);
	for (uint32_t i = 0, n; i < job->n_places; i += n) {
		for (n = 1; i + n < job->n_places; n++)
			if (place_compare(sorted[i].place, sorted[i + n].place) != 0)
				break;
		add_same(job, &sorted[i], n);
	}
}

/* A line that compilers made several calls of is one site. */
static void join_sites(struct job *job, struct processes *all)
{
	for (uint32_t i = 0; i < all->n; i++) {
		struct rank_calls *calls = &all->process[i].rank.calls;

		for (uint32_t c = 0; called_mpi(&all->process[i]) && c < calls->n_calls; c++)
			calls->call[c].site = job->kind[calls->call[c].site].same;
		spool_rest(&all->spool);
	}
}

/* ---- several hosts ---- */

/* From then on all that can be compared has the clock of the first rank. */
static void put_on_one_clock(struct job *job, struct processes *all, struct job_match *match)
{
	uint32_t first = job->n_ranks ? job->rank[0].clock : 0;
	if (!job_on_one_clock(match))
		job_clock_find(&job->clock, match);

	for (uint32_t i = 0; i < all->n; i++) {
		if (!job_clock_has(&job->clock, job->clock_of[i]))
			continue;
		job_clock_put(&job->clock, job->clock_of[i], &all->process[i].rank.calls);
		job->clock_of[i] = first;
		spool_rest(&all->spool);
	}
	for (uint32_t r = 0; r < job->n_ranks; r++)
		if (job_clock_has(&job->clock, job->rank[r].clock))
			job->rank[r].clock = first;
	if (job->clock.n_lines)
		job_clock_order(match);
}

static void find_job_waits(struct job *job, struct processes *all)
{
	job_match_open(&job->match, job->rank, job->n_ranks, &all->spool);

	put_on_one_clock(job, all, &job->match);
	job_waits_find(&job->waits, &job->match);
}

/* ---- all of it ---- */

/* A rank's own span is of ways that led to no call, too. */
static void find_path(struct job *job)
{
	const struct replay_change only_work = { .span = true };

	if (!job->n_ranks || !job_on_one_clock(&job->match))
		return;
	job_path_find(&job->path, &job->match, &job->waits);
	job_replay_open(&job->replay, &job->match);
	job->span_ns = at_least(job->span_ns, job_replay_ns(&job->replay, &only_work));
}

/* Of the job, as replayed. */
static void say_gain(struct found *found)
{
	size_t n = strlen(found->what);

	if (finding_job_cures(found->finding) && found->finding->gain_ns)
		snprintf(found->what + n, sizeof(found->what) - n,
			 "\nwith the cure below the job takes about %s less",
			 TIME_TEXT(found->finding->gain_ns));
}

static void say_of_ranks(struct job *job)
{
	struct finding_names names = { job, name_place, NULL, name_nothing, name_nothing };

	for (uint32_t i = 0; i < job->findings.n; i++) {
		struct found *found = &job->found[job->n_found++];

		found->finding = &job->findings.finding[i];
		found->names = names;
		found->place = job->place[found->finding->kind];
		place_text(found->where, sizeof(found->where), &found->place);
		findings_say(found->finding, &names, found->what, found->advice);
		say_gain(found);
	}
}

/* Of waits for messages the ranks together know more. */
static bool is_told(const struct job *job, const struct processes *all, const struct finding *of)
{
	return (double)of->lost_ns >= FINDING_SHARE * (double)all->sums.cumulative_ns &&
	       !(job->n_ranks > 1 && finding_is_of_one_end(of));
}

static void say_of_each(struct job *job, struct processes *all)
{
	for (uint32_t i = 0; i < all->local.n; i++) {
		struct local_finding *local = &all->local.finding[i];

		if (is_told(job, all, &local->finding))
			job->found[job->n_found++] =
				local_say(local, &all->process[local->most].id, all->n);
	}
}

ORDER(by_loss, struct found,
      order_least(x->finding->is_behind, y->finding->is_behind) ?:
      order_most(x->finding->lost_ns, y->finding->lost_ns) ?:
      strcmp(x->finding->id, y->finding->id) ?: strcmp(x->where, y->where))

static void put_in_words(struct job *job, struct processes *all)
{
	job->found = xcalloc(job->findings.n + all->local.n + 1ull, sizeof(*job->found));
	say_of_ranks(job);
	say_of_each(job, all);
	SORT(job->found, job->n_found, by_loss);
}

bool job_find_course(struct job *job, struct processes *all)
{
	*job = (struct job){ .span_ns = all->sums.span_ns };
	find_hosts(job, all);
	if (all->n_jobs > 1 || all->n < 2)
		return false;
	gather_ranks(job, all);
	find_same(job);
	join_sites(job, all);
	find_job_waits(job, all);
	find_path(job);
	return true;
}

void job_find(struct job *job, struct processes *all)
{
	if (!job_find_course(job, all))
		return;
	findings_of_job(&job->findings, &job->waits, job->rank, job->n_ranks, job->kind);
	job_gains_find(job);
	put_in_words(job, all);
}

uint64_t job_bound_ns(const struct job *job, const struct processes *all)
{
	const struct machine_on_cpu *on_cpu = &all->sums.on_cpu;
	const struct least least = { all->sums.total.work_ns, job->span_ns, 0 };

	if (on_cpu->inflated)
		return on_cpu->least_ns / on_cpu->width;
	return least_on(&least, at_least(all->sums.n_workers, 1));
}

void job_free(struct job *job)
{
	job_waits_free(&job->waits);
	job_replay_close(&job->replay);
	job_path_free(&job->path);
	job_match_close(&job->match);
	job_clock_free(&job->clock);
	job_ifs_free(&job->ifs);
	free(job->clock_of);
	findings_free(&job->findings);
	free(job->found);
	free(job->place);
	free(job->kind);
	free(job->rank);
	*job = (struct job){ 0 };
}
