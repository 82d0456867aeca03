/* SPDX-License-Identifier: MIT */
/* job_gains.c - what is changed for each finding. */
#include "tools/report/job_gains.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/ratio.h"
#include "tools/base/xalloc.h"
#include "tools/report/job.h"

struct cure {
	struct job *job;
	double *rank, *kind;	     /* factors, by rank and kind */
	bool *beside;		     /* by kind */
	uint64_t *work_ns, *kind_ns; /* by rank: of all tasks, and of the finding's kind */
	uint64_t recorded_ns;
};

static bool is_at_place(const struct cure *cure, uint32_t kind, const struct finding *finding)
{
	const struct job_kind *of = cure->job->kind;

	return of[kind].same == of[finding->kind].same;
}

static void reset_ranks(struct cure *cure)
{
	for (uint32_t r = 0; r < cure->job->n_ranks; r++)
		cure->rank[r] = 1;
}

static uint64_t gain_ns(const struct cure *cure, const struct replay_change *change)
{
	return above(cure->recorded_ns, job_replay_ns(&cure->job->replay, change));
}

/* Each rank then has the mean of the kind's work: one without such tasks, more of its own. */
static uint64_t gain_if_even(struct cure *cure, const struct finding *finding)
{
	struct job *job = cure->job;
	uint64_t mean_ns = job->kind[finding->kind].mean_ns;
	struct replay_change change = { .rank = cure->rank, .kind = cure->kind, .messages = 1 };

	memset(cure->kind_ns, 0, job->n_ranks * sizeof(*cure->kind_ns));
	for (uint32_t k = 0; k < job->n_places; k++)
		if (is_at_place(cure, k, finding))
			cure->kind_ns[job->kind[k].rank] += job->kind[k].work_ns;
	for (uint32_t k = 0; k < job->n_places; k++) {
		uint64_t ns = cure->kind_ns[job->kind[k].rank];

		cure->kind[k] = is_at_place(cure, k, finding) && ns ? ratio(mean_ns, ns) : 1;
	}
	for (uint32_t r = 0; r < job->n_ranks; r++)
		cure->rank[r] = cure->kind_ns[r] ? 1 : 1 + ratio(mean_ns, cure->work_ns[r]);
	return gain_ns(cure, &change);
}

static uint64_t gain_if_beside(struct cure *cure, const struct finding *finding, bool all)
{
	struct replay_change change = { .rank = cure->rank, .beside = cure->beside, .messages = 1 };

	reset_ranks(cure);
	for (uint32_t k = 0; k < cure->job->n_places; k++)
		cure->beside[k] = all ? is_at_place(cure, k, finding) : k == finding->kind;
	return gain_ns(cure, &change);
}

static uint64_t gain_if_quick(struct cure *cure, const struct finding *finding)
{
	struct replay_change change = { .rank = cure->rank,
					.of_caller = cure->kind,
					.messages = 1 };

	reset_ranks(cure);
	for (uint32_t k = 0; k < cure->job->n_places; k++)
		cure->kind[k] = !is_at_place(cure, k, finding);
	return gain_ns(cure, &change);
}

static void try_cures(struct cure *cure, struct finding *finding)
{
	unsigned cures = finding_job_cures(finding);
	uint64_t best_ns = 0;

	if (cures & (JOB_CURE_BESIDE | JOB_CURE_BESIDE_ALL))
		best_ns = gain_if_beside(cure, finding, cures & JOB_CURE_BESIDE_ALL);
	if (cures & JOB_CURE_EVEN)
		best_ns = at_least(best_ns, gain_if_even(cure, finding));
	if (cures & JOB_CURE_QUICK)
		best_ns = gain_if_quick(cure, finding);
	if (cures)
		finding->gain_ns = best_ns;
}

static void open_cure(struct cure *cure)
{
	struct job *job = cure->job;
	struct replay_change nothing = { .messages = 1 };

	cure->rank = xmalloc((job->n_ranks + 1ull) * sizeof(*cure->rank));
	cure->kind = xmalloc((job->n_places + 1ull) * sizeof(*cure->kind));
	cure->beside = xmalloc((job->n_places + 1ull) * sizeof(*cure->beside));
	cure->work_ns = xcalloc(job->n_ranks + 1ull, sizeof(*cure->work_ns));
	cure->kind_ns = xcalloc(job->n_ranks + 1ull, sizeof(*cure->kind_ns));
	for (uint32_t k = 0; k < job->n_places; k++)
		cure->work_ns[job->kind[k].rank] += job->kind[k].work_ns;
	reset_ranks(cure);
	nothing.rank = cure->rank;
	cure->recorded_ns = job_replay_ns(&job->replay, &nothing);
}

void job_gains_find(struct job *job)
{
	struct cure cure = { .job = job };

	if (!job->findings.n || !job->replay.match)
		return;
	open_cure(&cure);
	for (uint32_t f = 0; f < job->findings.n; f++)
		try_cures(&cure, &job->findings.finding[f]);
	free(cure.rank);
	free(cure.kind);
	free(cure.beside);
	free(cure.work_ns);
	free(cure.kind_ns);
}
