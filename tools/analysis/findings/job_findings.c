/* SPDX-License-Identifier: MIT */
/* job_findings.c - ranks that wait for another one, and what that ran meanwhile; what calls of MPI
 * cost. */
#include "tools/analysis/findings/job_findings.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/ratio.h"
#include "tools/base/xalloc.h"
#include "tools/analysis/findings/cause.h"

struct job_view {
	struct findings *findings;
	const struct job_waits *waits;
	const struct job_rank *rank;
	const struct job_kind *kind;
	uint32_t n_ranks;
	double least_ns; /* less is not worth a finding */
};

/* A finding of that cause and loss, with its gain. */
static struct finding *job_finding(const struct job_view *view, const struct cause *cause,
				   kind_id kind, uint64_t lost_ns, uint64_t gain_ns)
{
	struct findings *findings = view->findings;

	return ARRAY_ADD(findings->finding, findings->n, findings->room,
			 (struct finding){ .id = cause->about.id,
					   .kind = kind,
					   .site = SITE_NONE,
					   .n_workers = 1,
					   .lost_ns = lost_ns,
					   .elapsed_ns = gain_ns,
					   .gain_ns = gain_ns });
}

/* ---- who waits for whom ---- */

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
	FACTS(finding, fact_rank("rank", &view->rank[of->late->late]),
	      fact_rank("waiting_rank", waiter),
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

/* ---- what calls of MPI cost the ranks that make them ---- */

#define SMALL_BYTES 4096u /* of such a message the latency counts, and not its bytes */
#define SMALL_LEAST 1000u /* fewer are no pattern */

/* Of tasks at one place, on all ranks that have it. */
struct traffic {
	struct job_traffic sum;
	uint32_t n_kinds, n_ranks; /* of which so many send or receive */
	uint32_t most, most_ready; /* kinds: where the calls took longest, and kept most waiting */
};

static void add_traffic(struct traffic *traffic, const struct job_traffic *all, uint32_t kind)
{
	const struct job_traffic *more = &all[kind];

	if (!traffic->n_kinds++)
		traffic->most = traffic->most_ready = kind;
	if (more->ns >= all[traffic->most].ns)
		traffic->most = kind;
	if (more->ready_ns > all[traffic->most_ready].ready_ns)
		traffic->most_ready = kind;
	traffic->n_ranks += more->n > 0;
	traffic->sum.n += more->n;
	traffic->sum.bytes += more->bytes;
	traffic->sum.ns += more->ns;
	traffic->sum.n_ready += more->n_ready;
	traffic->sum.ready_ns += more->ready_ns;
}

typedef void add_traffic_finding(const struct job_view *view, const struct traffic *traffic);

static void for_each_place(const struct job_view *view, add_traffic_finding *add)
{
	const struct job_waits *waits = view->waits;
	struct traffic *traffic = xcalloc(waits->n_traffic + 1ull, sizeof(*traffic));

	for (uint32_t i = 0; i < waits->n_traffic; i++)
		if (waits->traffic[i].n || waits->traffic[i].n_ready)
			add_traffic(&traffic[view->kind[i].same], waits->traffic, i);
	for (uint32_t i = 0; i < waits->n_traffic; i++)
		add(view, &traffic[i]);
	free(traffic);
}

static void add_small(const struct job_view *view, const struct traffic *traffic)
{
	const struct job_traffic *sum = &traffic->sum, *most = &view->waits->traffic[traffic->most];
	struct finding *finding;

	if (sum->n < SMALL_LEAST || sum->bytes / sum->n > SMALL_BYTES ||
	    (double)sum->ns < view->least_ns)
		return;
	finding = job_finding(view, &cause_small_messages, traffic->most, sum->ns,
			      at_most(view->rank[most->rank].elapsed_ns, most->ns));
	FACTS(finding, fact_count("messages", sum->n),
	      fact_count("mean_bytes", sum->bytes / sum->n), fact_ns("each", sum->ns / sum->n),
	      fact_count("ranks", traffic->n_ranks));
}

static void job_find_small(const struct job_view *view)
{
	for_each_place(view, add_small);
}

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

/* ---- while others are ready ---- */

/* The workers could have run what was ready: that is what the rank may gain. */
static void add_ready(const struct job_view *view, const struct traffic *traffic)
{
	const struct job_traffic *most = &view->waits->traffic[traffic->most_ready];
	const struct job_rank *rank = &view->rank[most->rank];
	struct finding *finding;

	if (!traffic->sum.ready_ns || (double)traffic->sum.ready_ns < view->least_ns)
		return;
	finding = job_finding(view, &cause_message_ready, traffic->most_ready,
			      traffic->sum.ready_ns, most->ready_ns / rank->n_workers);
	FACTS(finding, fact_rank("rank", rank),
	      fact_share("share", (double)most->ready_ns / (double)rank->cumulative_ns),
	      fact_count("waits", most->n_ready), fact_ns("longest_block", most->ready_longest_ns),
	      fact_kind("waits_at", most->ready_site));
}

static void job_find_ready(const struct job_view *view)
{
	for_each_place(view, add_ready);
}

const struct cause cause_message_ready = {
	{ "message_ready", "task waits for a message while others are ready",
	  "A task is inside a call of MPI and keeps its worker, while the rank has tasks that are "
	  "ready and no idle worker to run them.  Only reports of several ranks of a job have this "
	  "finding.",
	  "More strands were ready than idle workers, and workers inside the runtime, could run.  "
	  "The workers inside calls have the rest in equal shares.  That time is no rank's that "
	  "comes late.",
	  "Let the runtime wait instead of the worker.  Begin the call early (MPI_Irecv), and end "
	  "the task when the message is there: detach(event) and omp_fulfill_event(), or TAMPI.  "
	  "Or create the task later." },
	.what = "workers of rank {rank} are in MPI for {share} of its core-seconds while its tasks "
		"are ready and nobody is free to run them: {waits:times} in {waits_at}, up to "
		"{longest_block}",
	.advice = "begin the call early (MPI_Irecv), and let a task that is not ready yet wait for "
		  "it: detach(event) and omp_fulfill_event(), or TAMPI; or create the task that "
		  "waits after the others",
};

/* ---- beside each other ---- */

static void add_serial(const struct job_view *view, const struct job_serial *serial)
{
	const struct job_rank *rank = &view->rank[serial->rank];
	struct finding *finding;

	finding = job_finding(view, &cause_serial_mpi, serial->site, serial->ns,
			      serial->ns / rank->n_workers);
	FACTS(finding, fact_rank("rank", rank), fact_count("calls", serial->n_beside),
	      fact_ns("beside", serial->beside_ns), fact_ns("alone", serial->alone_ns),
	      fact_real("company", serial->company));
	if (serial->kind != RANK_NONE)
		FACTS(finding, fact_kind("task", serial->kind));
}

static void job_find_serial(const struct job_view *view)
{
	for (uint32_t i = 0; i < view->waits->n_serial; i++)
		if ((double)view->waits->serial[i].ns >= view->least_ns)
			add_serial(view, &view->waits->serial[i]);
}

static void say_serial(const struct finding *finding, struct sentence *what,
		       struct sentence *advice)
{
	(void)advice;
	say(what, "on rank {rank} {calls} of these calls were inside MPI beside others, "
		  "{company:1} at a time, and took {beside}; alone one takes {alone}: the library "
		  "does one at a time");
	if (fact_of(finding, "task"))
		say(what, "; tasks of {task} make them");
}

const struct cause cause_serial_mpi = {
	{ "serial_mpi", "serialised MPI",
	  "Several workers of a rank are inside MPI at the same time, and the library does what "
	  "they ask for one after the other.  Only reports of several ranks of a job have this "
	  "finding.",
	  "At least 16 calls of a place, with messages of about the same size, had the library to "
	  "themselves, and at least 16 had others beside them.  In the mean the latter took "
	  "longer, nearer to as many times as there were calls at a time than to once.  Waits for "
	  "late ranks and for CPUs do not count.",
	  "Let fewer threads call: gather what tasks send, and let one send it.  Or give each "
	  "thread a communicator of its own, where the library has a lock for each (MPICH's "
	  "VCIs)." },
	.advice = "gather the messages of several tasks, and let one send them; or give each "
		  "thread a communicator of its own, if the library then works side by side",
	.say = say_serial,
};

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

bool finding_is_of_one_end(const struct finding *finding)
{
	return has_cause(finding, &cause_message);
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
