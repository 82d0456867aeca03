/* SPDX-License-Identifier: MIT */
/*
 * job_waits.h - for whom each call of a job's ranks waited.
 *
 * A call waits for the end of another rank that began last while it lasted, of those that it waits
 * for at all: a receive for its sender, and a send for its receiver; of collective calls each for
 * all others, for the root, as the root, for lower ranks, or for neighbours: of these only the
 * communicator is known.  That wait ends when the other end begins.
 *
 * Whatever the late rank ran meanwhile is charged, back along its steps (rank_calls.h).  Where it
 * waited for a third rank itself, that one's steps are.  [Scalasca: wait states, and the delays
 * that cause them: Böhme et al. 2010]
 *
 * Not charged is the part of a step in which its worker waited for a CPU, and the part of a call in
 * which strands were ready on its own rank: these are shared evenly over the step, and the call.
 * So is the time of idle workers that waited for the call, too, which is charged beside it.
 *
 * Times are compared only on one clock (job_clock.h).
 */
#pragma once

#include "tools/analysis/job_match.h"
#include "tools/analysis/long_waits.h"
#include "tools/analysis/rank_calls.h"

enum late { LATE_SENDER, LATE_RECEIVER, LATE_COLLECTIVE, LATES };

/* What a rank's waits took until another one's tasks of a kind were done. */
struct job_late {
	enum late how;	       /* it waited */
	uint32_t late, waiter; /* in job_rank[] */
	uint32_t kind;	       /* what the late one ran: as its steps have it */
	uint32_t site;	       /* where the longest wait was: as the waiter's calls have it */
	uint32_t n_waits;
	uint64_t ns, longest_ns;
	uint64_t idle_ns; /* of the waiter's other workers */
};

/* What tasks of a kind sent and received, without collective calls. */
struct job_traffic {
	uint32_t rank; /* in job_rank[] */
	uint64_t n, bytes;
	uint64_t ns; /* of the calls, but for what others ran meanwhile, and waits for a CPU */
	/* of all calls in which strands were ready: */
	uint64_t n_ready, ready_ns, ready_longest_ns;
	uint32_t ready_site; /* of the longest; as the rank's calls have it */
};

/*
 * Whether calls of MPI that a rank's workers make at the same time wait for each other inside the
 * library.
 *
 * Calls of one place, with messages of one size (a power of two), are compared: those that were
 * alone in the library, and those beside others of the rank for half of their time or more.  Only
 * the time after they had nobody to wait for counts, without waits for a CPU.
 *
 * If k calls at a time take k times as long as one alone, the library does one at a time; if they
 * take as long, it does them side by side.
 */
struct job_serial {
	uint32_t rank, site;
	uint32_t kind; /* of the caller; RANK_NONE */
	uint64_t n_alone, n_beside;
	uint64_t alone_ns, beside_ns; /* means */
	double company; /* calls at a time, in the mean while those beside others last */
	uint64_t ns;	/* by which these took longer than as many alone */
};

/* For whom a call waits longest. */
struct job_release {
	uint64_t ns; /* when it was over; 0: it is for nobody */
	uint32_t rank, call;
	enum late how;
	uint64_t charged_ns; /* what others ran meanwhile */
};

struct job_waits {
	uint64_t n_apart;	       /* matched, on several clocks */
	uint64_t in_calls_ns, late_ns; /* of all calls; of which waits for late ranks, .. */
	uint64_t idle_ns;	       /* .. and idle workers with them, .. */
	uint64_t cpu_wait_ns;	       /* .. while these waited for a CPU */
	struct job_late *late;	       /* n_late, by how, late and kind, then waiter */
	uint32_t n_late;
	struct job_traffic *traffic; /* n_traffic, by kind as the steps have it */
	uint32_t n_traffic;
	struct job_serial *serial; /* n_serial, by rank and site */
	uint32_t n_serial;
	struct long_waits longest; /* sorted; of ranks in job_rank[] */
	struct job_release **release; /* by rank and call, in the match's spool */
};

/* What it needs for each call is an array of the match's spool. */
void job_waits_find(struct job_waits *waits, struct job_match *match);
void job_waits_free(struct job_waits *waits); /* a zeroed one is fine */
