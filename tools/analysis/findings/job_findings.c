/* SPDX-License-Identifier: MIT */
/* job_findings.c - ranks that wait for another one, and what that ran meanwhile. */
#include "tools/analysis/findings/job_cause.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/ratio.h"
#include "tools/base/xalloc.h"

static const struct cause *const causes[LATES] = {
	[LATE_SENDER] = &cause_late_sender,
	[LATE_RECEIVER] = &cause_late_receiver,
	[LATE_COLLECTIVE] = &cause_late_collective,
};

#define MORE_WORK 1.1 /* times the mean */

enum { LATE_WORKS_AS_OTHERS, LATE_WORKS_MORE };
static const struct wording ways[] = {
	[LATE_WORKS_AS_OTHERS] = { "as others", NULL,
				   "let rank {rank} make its call before these tasks run; or " },
	[LATE_WORKS_MORE] = { "more work", NULL, "move work from rank {rank} to others; or " },
};

/* Whether the late rank should have less to do, or do it later. */
static double times_mean(const struct job_kind *kind)
{
	return ratio(kind->work_ns, kind->mean_ns);
}

/* Of n waiters for one rank's tasks of a kind, in one way. */
struct lateness {
	const struct job_late *late;
	uint32_t n;
	const struct job_late *most; /* the waiter that waited longest */
	uint64_t ns, idle_ns;	     /* of all; and of their idle workers */
};

static struct lateness lateness_of(const struct job_waits *waits, uint32_t first)
{
	const struct job_late *late = &waits->late[first];
	struct lateness of = { .late = late, .most = late };

	while (first + of.n < waits->n_late && late[of.n].how == late->how &&
	       late[of.n].late == late->late && late[of.n].kind == late->kind) {
		of.ns += late[of.n].ns;
		of.idle_ns += late[of.n].idle_ns;
		of.most = late[of.n].ns > of.most->ns ? &late[of.n] : of.most;
		of.n++;
	}
	return of;
}

static void add_late_facts(const struct job_view *view, struct finding *finding,
			   const struct lateness *of)
{
	const struct job_kind *kind = &view->kind[of->late->kind];
	const struct job_late *most = of->most;
	const struct job_rank *waiter = &view->rank[most->waiter];

	finding->variant = times_mean(kind) >= MORE_WORK ? LATE_WORKS_MORE : LATE_WORKS_AS_OTHERS;
	FACTS(finding, fact_count("rank", view->rank[of->late->late].rank),
	      fact_count("waiting_rank", waiter->rank),
	      fact_share("share", ratio(most->ns + most->idle_ns, waiter->cumulative_ns)),
	      fact_count("waits", most->n_waits), fact_ns("longest_block", most->longest_ns),
	      fact_kind("task", of->late->kind), fact_kind("waits_at", most->site),
	      fact_count("other_ranks", of->n - 1),
	      fact_string("variant", ways[finding->variant].name),
	      fact_ns("kind_work", kind->work_ns), fact_real("times_mean", times_mean(kind)),
	      fact_ns("idle", most->idle_ns));
}

static void add_late(const struct job_view *view, const struct lateness *of)
{
	uint64_t gain_ns = at_most(view->rank[of->most->waiter].elapsed_ns, of->most->ns);
	uint64_t lost_ns = of->ns + of->idle_ns;
	struct finding *finding;

	if (!lost_ns || (double)lost_ns < view->least_ns)
		return;
	finding = job_finding(view, causes[of->late->how], of->late->kind, lost_ns, gain_ns);
	add_late_facts(view, finding, of);
}

/* ---- tasks that all ranks have ---- */

/* At one place, of which ranks come late to collective calls. */
struct imbalance {
	uint64_t ns, lost_ns; /* of waiting workers; and with the idle ones */
	uint32_t n_late;      /* ranks */
	bool more_work;	      /* on one of them */
	struct lateness most;
};

static struct imbalance *imbalance_at(const struct job_view *view, struct imbalance *imbalance,
				      const struct lateness *of)
{
	const struct job_kind *kind = &view->kind[of->late->kind];

	if (of->late->how != LATE_COLLECTIVE || kind->n_ranks < view->n_ranks)
		return NULL;
	return &imbalance[kind->same];
}

static bool is_imbalance(const struct imbalance *imbalance)
{
	return imbalance && (imbalance->more_work || imbalance->n_late > 1);
}

static void add_to_imbalance(const struct job_view *view, struct imbalance *imbalance,
			     const struct lateness *of)
{
	if (!of->ns && !of->idle_ns)
		return;
	imbalance->ns += of->ns;
	imbalance->lost_ns += of->ns + of->idle_ns;
	imbalance->n_late++;
	imbalance->more_work |= times_mean(&view->kind[of->late->kind]) >= MORE_WORK;
	if (!imbalance->most.n || of->ns > imbalance->most.ns)
		imbalance->most = *of;
}

/* With its work in equal parts nobody would wait: the sum of all ranks stays. */
static void add_imbalance(const struct job_view *view, const struct imbalance *imbalance)
{
	struct finding *finding;

	if (!is_imbalance(imbalance) || (double)imbalance->lost_ns < view->least_ns)
		return;
	finding = job_finding(view, &cause_rank_imbalance, imbalance->most.late->kind,
			      imbalance->lost_ns, imbalance->ns / view->n_ranks);
	add_late_facts(view, finding, &imbalance->most);
	FACTS(finding, fact_count("late_ranks", imbalance->n_late));
}

static void find_late(const struct job_view *view, uint32_t n_kinds)
{
	const struct job_waits *waits = view->waits;
	struct imbalance *imbalance = xcalloc(n_kinds + 1ull, sizeof(*imbalance));
	struct lateness of;

	for (uint32_t i = 0; i < waits->n_late; i += of.n) {
		of = lateness_of(waits, i);
		if (imbalance_at(view, imbalance, &of))
			add_to_imbalance(view, imbalance_at(view, imbalance, &of), &of);
	}
	for (uint32_t i = 0; i < waits->n_late; i += of.n) {
		of = lateness_of(waits, i);
		if (!is_imbalance(imbalance_at(view, imbalance, &of)))
			add_late(view, &of);
	}
	for (uint32_t i = 0; i < n_kinds; i++)
		add_imbalance(view, &imbalance[i]);
	free(imbalance);
}

/* ---- all of them ---- */

ORDER(by_loss, struct finding, BY_MOST(lost_ns) ?: BY_LEAST(kind) ?: strcmp(x->id, y->id))

void findings_of_job(struct findings *findings, const struct job_waits *waits,
		     const struct job_rank *rank, uint32_t n_ranks, const struct job_kind *kind)
{
	struct job_view view = { findings, waits, rank, kind, n_ranks, 0 };
	uint32_t n_kinds = 0;

	*findings = (struct findings){ 0 };
	for (uint32_t r = 0; r < n_ranks; r++)
		view.least_ns += FINDING_SHARE * (double)rank[r].cumulative_ns;
	for (uint32_t i = 0; i < waits->n_late; i++)
		n_kinds = (uint32_t)at_least(n_kinds, waits->late[i].kind + 1ull);
	find_late(&view, n_kinds);
	job_find_ready(&view);
	job_find_small(&view);
	job_find_serial(&view);
	SORT(findings->finding, findings->n, by_loss);
}

static bool has_cause(const struct finding *finding, const struct cause *cause)
{
	return strcmp(finding->id, cause->about.id) == 0;
}

unsigned finding_job_cures(const struct finding *finding)
{
	unsigned even = finding->variant == LATE_WORKS_MORE ? JOB_CURE_EVEN : 0;

	if (has_cause(finding, &cause_small_messages))
		return JOB_CURE_QUICK;
	if (has_cause(finding, &cause_rank_imbalance))
		return JOB_CURE_BESIDE_ALL | even;
	for (int how = 0; how < LATES; how++)
		if (has_cause(finding, causes[how]))
			return JOB_CURE_BESIDE | even;
	return 0;
}

/* ---- in words ---- */

static void say_more(const struct finding *finding, struct sentence *what)
{
	if (fact_n(finding, "idle"))
		say(what, "\nmeanwhile other workers of rank {waiting_rank} have nothing to run "
			  "for {idle}");
	if (finding->variant == LATE_WORKS_MORE)
		say(what, "\nrank {rank} works {kind_work} in tasks of this kind, {times_mean:2} "
			  "times the mean of all ranks");
}

static void say_late(const struct finding *finding, struct sentence *what, struct sentence *advice)
{
	(void)advice;
	say(what, "rank {waiting_rank} waits {share} of its core-seconds for rank {rank}'s tasks "
		  "of {task}: {waits:times} in {waits_at}, up to {longest_block}");
	if (fact_n(finding, "other_ranks"))
		say(what, "; and {other_ranks} other rank{other_ranks:s}");
	say_more(finding, what);
}

const struct cause cause_late_sender = {
	{ "late_sender", "late sender",
	  "A rank is inside a call of MPI for a message that another rank has not begun to send.  "
	  "Only reports of several ranks of a job have this finding.",
	  "The receiving call began before the sending one.  Up to that, the time is charged to "
	  "what the sender ran, back from its call: on the worker that calls, or what this worker "
	  "waited for.  If it waited for a third rank itself, that one's tasks are charged.  Idle "
	  "workers of the waiting rank count as well, while its ready path is in the call.",
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

static void say_imbalance(const struct finding *finding, struct sentence *what,
			  struct sentence *advice)
{
	(void)advice;
	say(what, "ranks come late to collective calls since these tasks take longer there: most "
		  "rank {rank}, for which rank {waiting_rank} waits {share} of its core-seconds, "
		  "{waits:times} in {waits_at}, up to {longest_block}");
	if (fact_n(finding, "late_ranks") > 1)
		say(what, "; {late_ranks} ranks are late in turn");
	say_more(finding, what);
}

const struct cause cause_rank_imbalance = {
	{ "rank_imbalance", "rank imbalance",
	  "All ranks run the same tasks before a collective call of MPI, and some have more of "
	  "them, or longer ones: the others wait.  Only reports of several ranks of a job have "
	  "this finding.",
	  "Waits for late ranks in collective calls are charged to tasks at a place that all ranks "
	  "run.  One of the late ranks works at least 1.1 times as long there as a rank in the "
	  "mean, or several are late in turn.",
	  "Divide the work anew by what it takes, not by its number of elements; or in smaller "
	  "pieces that ranks take one after the other." },
	.advice = "divide the work among ranks by what it takes; or let the ranks do something "
		  "between (MPI_Ibarrier, MPI_Iallreduce, ..) that needs no result of others",
	.say = say_imbalance,
};
