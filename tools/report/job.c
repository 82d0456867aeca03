/* SPDX-License-Identifier: MIT */
/* job.c - brings the ranks of a job together, and gives its findings their words. */
#include "tools/report/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/findings/job_findings.h"
#include "tools/base/order.h"

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

/* The first process on the same host stands for it. */
static uint32_t host_of(const struct processes *all, uint32_t i)
{
	const char *host = all->process[i].id.host ?: "";

	for (uint32_t j = i; j-- > 0;)
		if (strcmp(all->process[j].id.host ?: "", host) == 0)
			i = j;
	return i;
}

/* The places of a rank get the numbers from `first` on. */
static void number_places(struct rank_calls *calls, uint32_t first)
{
	for (uint32_t i = 0; i < calls->n_steps; i++)
		calls->step[i].kind += first;
	for (uint32_t i = 0; i < calls->n_calls; i++)
		calls->call[i].site += first;
}

static int gather_ranks(struct job *job, struct processes *all)
{
	uint32_t n_places = 0;

	for (uint32_t i = 0; i < all->n; i++)
		n_places += all->process[i].rank.n_places;
	job->rank = calloc(all->n + 1ull, sizeof(*job->rank));
	job->place = calloc(n_places + 1ull, sizeof(*job->place));
	job->work_ns = calloc(n_places + 1ull, sizeof(*job->work_ns));
	if (!job->rank || !job->place || !job->work_ns)
		return -ENOMEM;
	for (uint32_t i = 0; i < all->n; i++) {
		struct process *process = &all->process[i];
		const struct rank_calls *calls = &process->rank.calls;
		uint64_t elapsed_ns = calls->end_ns - calls->begin_ns;

		if (!called_mpi(process))
			continue;
		number_places(&process->rank.calls, job->n_places);
		for (uint32_t k = 0; k < process->rank.n_places; k++) {
			job->work_ns[job->n_places] = process->rank.work_ns[k];
			job->place[job->n_places++] = process->rank.place[k];
		}
		job->rank[job->n_ranks++] =
			(struct job_rank){ .calls = calls,
					   .rank = process->id.rank,
					   .host = host_of(all, i),
					   .elapsed_ns = elapsed_ns,
					   .cumulative_ns = elapsed_ns * process->sums.n_workers };
	}
	return 0;
}

/* ---- places of several ranks ---- */

struct numbered {
	const struct place *place;
	uint32_t number;
};

static int by_place_and_number(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return place_compare(x->place, y->place) ?: order_least(x->number, y->number);
}

static int find_same(struct job *job)
{
	struct numbered *sorted = calloc(job->n_places + 1ull, sizeof(*sorted));
	uint32_t first = 0;

	job->same = calloc(job->n_places + 1ull, sizeof(*job->same));
	for (uint32_t i = 0; sorted && i < job->n_places; i++)
		sorted[i] = (struct numbered){ &job->place[i], i };
	if (sorted && job->same && job->n_places)
		qsort(sorted, job->n_places, sizeof(*sorted), by_place_and_number);
	for (uint32_t i = 0; sorted && job->same && i < job->n_places; i++) {
		if (!i || place_compare(sorted[i].place, sorted[i - 1].place) != 0)
			first = sorted[i].number;
		job->same[sorted[i].number] = first;
	}
	free(sorted);
	return sorted && job->same ? 0 : -ENOMEM;
}

/* With what the ranks in the mean work at the same place. */
static void compare_work(const struct job *job, struct finding *finding)
{
	uint64_t work_ns = 0;

	for (uint32_t i = 0; i < job->n_places; i++)
		if (job->same[i] == job->same[finding->kind])
			work_ns += job->work_ns[i];
	job_finding_compare(finding, job->work_ns[finding->kind], work_ns / job->n_ranks);
}

/* ---- all of it ---- */

static int put_in_words(struct job *job)
{
	struct finding_names names = { job, name_place, NULL, name_nothing, name_nothing };

	job->found = calloc(job->findings.n + 1ull, sizeof(*job->found));
	if (!job->found)
		return -ENOMEM;
	job->n_found = job->findings.n;
	for (uint32_t i = 0; i < job->n_found; i++) {
		struct found *found = &job->found[i];

		if (fact_of(&job->findings.finding[i], "task"))
			compare_work(job, &job->findings.finding[i]);
		found->finding = &job->findings.finding[i];
		found->names = names;
		found->place = job->place[found->finding->kind];
		place_text(found->where, sizeof(found->where), &found->place);
		findings_say(found->finding, &names, found->what, found->advice);
	}
	return 0;
}

int job_find(struct job *job, struct processes *all)
{
	int error = 0;

	*job = (struct job){ 0 };
	if (all->n_jobs > 1 || all->n < 2)
		return 0;
	error = gather_ranks(job, all);
	if (!error)
		error = find_same(job);
	if (!error)
		error = job_waits_find(&job->waits, job->rank, job->n_ranks);
	if (!error)
		error = findings_of_job(&job->findings, &job->waits, job->rank, job->n_ranks,
					job->same);
	return error ?: put_in_words(job);
}

void job_free(struct job *job)
{
	job_waits_free(&job->waits);
	findings_free(&job->findings);
	free(job->found);
	free(job->place);
	free(job->work_ns);
	free(job->same);
	free(job->rank);
	*job = (struct job){ 0 };
}
