/* SPDX-License-Identifier: MIT */
/* job_findings.c - ranks that wait for another one, and what that ran meanwhile. */
#include "tools/analysis/findings/job_findings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/findings/cause.h"
#include "tools/base/at_most.h"
#include "tools/base/order.h"

static const struct cause *const causes[LATES] = {
	[LATE_SENDER] = &cause_late_sender,
	[LATE_RECEIVER] = &cause_late_receiver,
	[LATE_COLLECTIVE] = &cause_late_collective,
};

static bool is_of_same_tasks(const struct job_late *x, const struct job_late *y)
{
	return x->how == y->how && x->late == y->late && x->kind == y->kind;
}

/* Of n waiters for one rank's tasks of a kind, in one way. */
static int add_late(struct findings *findings, const struct job_late *late, uint32_t n,
		    const struct job_rank *rank, double least_ns)
{
	const struct job_late *most = late;
	const struct job_rank *waiter;
	struct finding *finding;
	uint64_t ns = 0;

	for (uint32_t i = 0; i < n; i++) {
		ns += late[i].ns;
		most = late[i].ns > most->ns ? &late[i] : most;
	}
	if (!ns || (double)ns < least_ns)
		return 0;
	if (!array_grow(&findings->finding, &findings->room, findings->n + 1ull, sizeof(*finding)))
		return -ENOMEM;
	waiter = &rank[most->waiter];
	finding = &findings->finding[findings->n++];
	*finding = (struct finding){ .id = causes[late->how]->about.id,
				     .lost_ns = ns,
				     .elapsed_ns = at_most(waiter->elapsed_ns, most->ns),
				     .gain_ns = at_most(waiter->elapsed_ns, most->ns),
				     .kind = late->kind,
				     .site = SITE_NONE,
				     .n_workers = 1 };
	FACTS(finding, fact_count("rank", rank[late->late].rank),
	      fact_count("waiting_rank", waiter->rank),
	      fact_share("share", (double)most->ns / (double)waiter->cumulative_ns),
	      fact_count("waits", most->n_waits), fact_ns("longest_block", most->longest_ns),
	      fact_kind("task", late->kind), fact_kind("waits_at", most->site),
	      fact_count("other_ranks", n - 1));
	return 0;
}

static int by_loss(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	return order_most(x->lost_ns, y->lost_ns) ?: order_least(x->kind, y->kind) ?:
	       strcmp(x->id, y->id);
}

int findings_of_job(struct findings *findings, const struct job_waits *waits,
		    const struct job_rank *rank, uint32_t n_ranks)
{
	double all_ns = 0;
	int error = 0;

	*findings = (struct findings){ 0 };
	for (uint32_t r = 0; r < n_ranks; r++)
		all_ns += (double)rank[r].cumulative_ns;
	for (uint32_t i = 0, n; i < waits->n_late && !error; i += n) {
		for (n = 1; i + n < waits->n_late; n++)
			if (!is_of_same_tasks(&waits->late[i], &waits->late[i + n]))
				break;
		error = add_late(findings, &waits->late[i], n, rank, FINDING_SHARE * all_ns);
	}
	if (findings->n)
		qsort(findings->finding, findings->n, sizeof(*findings->finding), by_loss);
	return error;
}

/* ---- whether the late rank has more to do than others ---- */

#define MORE_WORK 1.1 /* times the mean */

enum { LATE_WORKS_AS_OTHERS, LATE_WORKS_MORE };
static const struct wording ways[] = {
	[LATE_WORKS_AS_OTHERS] = { "as others", NULL,
				   "let rank {rank} make its call before these tasks run; or " },
	[LATE_WORKS_MORE] = { "more work", NULL, "move work from rank {rank} to others; or " },
};

void job_finding_compare(struct finding *finding, uint64_t work_ns, uint64_t mean_ns)
{
	double times_mean = mean_ns ? (double)work_ns / (double)mean_ns : 0;

	finding->variant = times_mean >= MORE_WORK ? LATE_WORKS_MORE : LATE_WORKS_AS_OTHERS;
	FACTS(finding, fact_string("variant", ways[finding->variant].name),
	      fact_ns("kind_work", work_ns), fact_real("times_mean", times_mean));
}

/* ---- in words ---- */

static void say_late(const struct finding *finding, struct sentence *what, struct sentence *advice)
{
	(void)advice;
	say(what, "rank {waiting_rank} waits {share} of its core-seconds for rank {rank}'s tasks "
		  "of {task}: {waits:times} in {waits_at}, up to {longest_block}");
	if (fact_n(finding, "other_ranks"))
		say(what, "; and {other_ranks} other rank{other_ranks:s}");
	if (finding->variant == LATE_WORKS_MORE)
		say(what, "\nrank {rank} works {kind_work} in tasks of this kind, {times_mean:2} "
			  "times the mean of all ranks");
}

const struct cause cause_late_sender = {
	{ "late_sender", "late sender",
	  "A rank is inside a call of MPI for a message that another rank has not begun to send.  "
	  "Only reports of several ranks of a job have this finding.",
	  "The receiving call began before the sending one.  Up to that, the time is charged to "
	  "what the sender ran, back from its call: on the worker that calls, or what this worker "
	  "waited for.  If it waited for a third rank itself, that one's tasks are charged.",
	  "Give the late rank less to do before it sends, or let it send earlier; begin the "
	  "receive early, and wait for it late." },
	.advice = "begin the receive early (MPI_Irecv), and wait for it when no other task is "
		  "ready",
	.ways = ways,
	.say = say_late,
};

const struct cause cause_late_receiver = {
	{ "late_receiver", "late receiver",
	  "A rank is inside a call of MPI that sends a message, and can go on only when its "
	  "receiver takes it, which comes later.  Only reports of several ranks of a job have "
	  "this finding.",
	  "The sending call began before the receiving one, and ended after that began.  Until "
	  "then, the time is charged to what the receiver ran, as that of a late sender.",
	  "Let the receiver begin to receive before it computes (MPI_Irecv); or let the sender go "
	  "on meanwhile (MPI_Isend)." },
	.advice = "begin the receive early there (MPI_Irecv), or send without waiting (MPI_Isend)",
	.ways = ways,
	.say = say_late,
};

const struct cause cause_late_collective = {
	{ "late_collective", "late to a collective call",
	  "Ranks are inside a collective call of MPI that another rank has not begun: all wait "
	  "for the last one of a barrier or an allreduce, all for the root of a broadcast, and "
	  "the root for the last one of a reduction.  Only reports of several ranks of a job "
	  "have this finding.",
	  "The call began before that of the rank that it waits for.  Until then, the time is "
	  "charged to what that one ran, as that of a late sender.",
	  "Give the late rank less to do before the call; or begin the call early, and wait for "
	  "it late (MPI_Ibarrier, MPI_Iallreduce, ..)." },
	.advice = "begin the call early (MPI_Ibarrier, MPI_Iallreduce, ..), and wait for it when "
		  "no other task is ready",
	.ways = ways,
	.say = say_late,
};
