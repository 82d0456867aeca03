/* SPDX-License-Identifier: MIT */
/* job_calls.c - what calls of MPI cost the ranks that make them. */
#include "tools/analysis/findings/job_cause.h"

#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"

/* ---- by the tasks that make them ---- */

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

void job_find_small(const struct job_view *view)
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
	FACTS(finding, fact_count("rank", rank->rank),
	      fact_share("share", (double)most->ready_ns / (double)rank->cumulative_ns),
	      fact_count("waits", most->n_ready), fact_ns("longest_block", most->ready_longest_ns),
	      fact_kind("waits_at", most->ready_site));
}

void job_find_ready(const struct job_view *view)
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
	FACTS(finding, fact_count("rank", rank->rank), fact_count("calls", serial->n_beside),
	      fact_ns("beside", serial->beside_ns), fact_ns("alone", serial->alone_ns),
	      fact_real("company", serial->company));
	if (serial->kind != RANK_NONE)
		FACTS(finding, fact_kind("task", serial->kind));
}

void job_find_serial(const struct job_view *view)
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
