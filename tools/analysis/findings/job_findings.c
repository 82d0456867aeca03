/* SPDX-License-Identifier: MIT */
/* job_findings.c - ranks that wait for another one, and what that ran meanwhile. */
#include "tools/analysis/findings/job_findings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/findings/cause.h"
#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/ratio.h"

static const struct cause *const causes[LATES] = {
	[LATE_SENDER] = &cause_late_sender,
	[LATE_RECEIVER] = &cause_late_receiver,
	[LATE_COLLECTIVE] = &cause_late_collective,
};

static bool is_of_same_tasks(const struct job_late *x, const struct job_late *y)
{
	return x->how == y->how && x->late == y->late && x->kind == y->kind;
}

static struct finding *add_finding(struct findings *findings, const struct cause *cause,
				   kind_id kind)
{
	struct finding *finding;

	if (!array_grow(&findings->finding, &findings->room, findings->n + 1ull, sizeof(*finding)))
		return NULL;
	finding = &findings->finding[findings->n++];
	*finding = (struct finding){
		.id = cause->about.id, .kind = kind, .site = SITE_NONE, .n_workers = 1
	};
	return finding;
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
	finding = add_finding(findings, causes[late->how], late->kind);
	if (!finding)
		return -ENOMEM;
	waiter = &rank[most->waiter];
	finding->lost_ns = ns;
	finding->elapsed_ns = finding->gain_ns = at_most(waiter->elapsed_ns, most->ns);
	FACTS(finding, fact_count("rank", rank[late->late].rank),
	      fact_count("waiting_rank", waiter->rank),
	      fact_share("share", (double)most->ns / (double)waiter->cumulative_ns),
	      fact_count("waits", most->n_waits), fact_ns("longest_block", most->longest_ns),
	      fact_kind("task", late->kind), fact_kind("waits_at", most->site),
	      fact_count("other_ranks", n - 1));
	return 0;
}

/* ---- messages ---- */

#define SMALL_BYTES 4096u /* of such a message the latency counts, and not its bytes */
#define SMALL_LEAST 1000u /* fewer are no pattern */

/* Of one kind, on all ranks that have it. */
struct traffic {
	struct job_traffic sum;
	uint32_t n_ranks;
	uint64_t most_ns; /* on a rank, .. */
	uint32_t most;	  /* .. this one */
};

static void add_traffic(struct traffic *traffic, const struct job_traffic *more)
{
	traffic->sum.n += more->n;
	traffic->sum.bytes += more->bytes;
	traffic->sum.ns += more->ns;
	traffic->n_ranks++;
	if (more->ns >= traffic->most_ns) {
		traffic->most_ns = more->ns;
		traffic->most = more->rank;
	}
}

static int add_small(struct findings *findings, const struct traffic *traffic, kind_id kind,
		     const struct job_rank *rank, double least_ns)
{
	const struct job_traffic *sum = &traffic->sum;
	uint64_t gain_ns = at_most(rank[traffic->most].elapsed_ns, traffic->most_ns);
	struct finding *finding;

	if (sum->n < SMALL_LEAST || sum->bytes / sum->n > SMALL_BYTES || (double)sum->ns < least_ns)
		return 0;
	finding = add_finding(findings, &cause_small_messages, kind);
	if (!finding)
		return -ENOMEM;
	finding->lost_ns = sum->ns;
	finding->elapsed_ns = finding->gain_ns = gain_ns;
	FACTS(finding, fact_count("messages", sum->n),
	      fact_count("mean_bytes", sum->bytes / sum->n), fact_ns("each", sum->ns / sum->n),
	      fact_count("ranks", traffic->n_ranks));
	return 0;
}

static int add_all_small(struct findings *findings, const struct job_waits *waits,
			 const struct job_rank *rank, const uint32_t *same, double least_ns)
{
	struct traffic *traffic = calloc(waits->n_traffic + 1ull, sizeof(*traffic));
	int error = traffic ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < waits->n_traffic && !error; i++)
		if (waits->traffic[i].n)
			add_traffic(&traffic[same[i]], &waits->traffic[i]);
	for (uint32_t i = 0; i < waits->n_traffic && !error; i++)
		error = add_small(findings, &traffic[i], i, rank, least_ns);
	free(traffic);
	return error;
}

/* ---- all of them ---- */

static int by_loss(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	return order_most(x->lost_ns, y->lost_ns) ?: order_least(x->kind, y->kind) ?:
	       strcmp(x->id, y->id);
}

int findings_of_job(struct findings *findings, const struct job_waits *waits,
		    const struct job_rank *rank, uint32_t n_ranks, const uint32_t *same)
{
	double least_ns = 0;
	int error = 0;

	*findings = (struct findings){ 0 };
	for (uint32_t r = 0; r < n_ranks; r++)
		least_ns += FINDING_SHARE * (double)rank[r].cumulative_ns;
	for (uint32_t i = 0, n; i < waits->n_late && !error; i += n) {
		for (n = 1; i + n < waits->n_late; n++)
			if (!is_of_same_tasks(&waits->late[i], &waits->late[i + n]))
				break;
		error = add_late(findings, &waits->late[i], n, rank, least_ns);
	}
	if (!error)
		error = add_all_small(findings, waits, rank, same, least_ns);
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
	double times_mean = ratio(work_ns, mean_ns);

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

const struct cause cause_small_messages = {
	{ "small_messages", "too many small messages",
	  "Ranks exchange so many messages of a few bytes that what each one takes adds up.  Only "
	  "reports of several ranks of a job have this finding.",
	  "Tasks of a kind make at least 1,000 sends and receives, of at most 4,096 bytes in the "
	  "mean.  Their calls took that time, without what late ranks ran meanwhile.",
	  "Send what goes to one rank as one message, by a derived datatype or MPI_Pack(); or "
	  "begin many (MPI_Isend, MPI_Irecv), and wait for them together." },
	.what = "its tasks make {messages} sends and receives, of {mean_bytes} bytes in the mean, "
		"on {ranks} rank{ranks:s}; each takes {each}, without what late ranks ran "
		"meanwhile",
	.advice = "send what goes to one rank as one message; or begin many (MPI_Isend, "
		  "MPI_Irecv), and wait for them together",
};
