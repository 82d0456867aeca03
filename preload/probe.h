/* SPDX-License-Identifier: MIT */
/*
 * probe.h - a probe: code that the recorder calls at each event of a worker, to record more.
 *
 * What is off by default is a probe, in a shared object of its own that is preloaded only when it
 * is asked for (preload/probes/README.md says how to write one).  Without one `worker->probed` is
 * NULL, and no event looks at it but in worker_make_room().  A worker that a probe with before()
 * or after() watches comes there at every event: its `limit` never lets one pass.  One event, with
 * probes A and B, A the nearer:
 *
 *	A.before()  B.before()	then room is made for the event
 *	B.after()   A.after()	then it is stored; if it begins a strand, its clock is read now
 *
 * The clock of an event that ends a strand was read before.  So A's before() is the first thing
 * behind a strand and its after() the last thing before one: what recording costs is in no strand.
 *
 * All members are called on the worker's own thread, on a stack as small as a task's, never in a
 * signal handler, and on several threads at once, each for its own worker.  None may call a
 * runtime, or malloc(); a lock is libc_lock()'s.  errno is to be kept, and so is the program's
 * floating-point state: integers only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/session/exported.h"
#include "collector/trace/events.h"
#include "preload/worker.h"

struct session;

/* From the nearest to the strand to the farthest; of one order, who was added first is nearer.  One
 * that stretches strands is farther than one that measures them. */
enum probe_order { PROBE_RULES_TIME, PROBE_MEASURES, PROBE_TELLS, PROBE_STRETCHES };

#define PROBES_MOST 8u
#define PROBE_NOTES 16u /* events that all probes together may put before one */

struct probe {
	const char *name; /* of libtpprobe_NAME.so */
	enum probe_order order;
	uint32_t worker_bytes; /* of memory for each worker; open() may set it */
	/* The session begins, on its thread; in a forked child once more.  The nearest is opened
	 * first.  False: the probe is off in this session. */
	bool (*open)(struct session *session);
	/* This thread has the worker from now on; is about to leave it.  `own` is worker_bytes of
	 * zeroed memory, the probe's until leave().  With the session's lock: no fork finds a
	 * thread here.  NULL: nothing to do.  False: this worker is not watched, which the trace
	 * counts. */
	bool (*come)(struct worker *worker, void *own);
	void (*leave)(struct worker *worker, void *own);
	/* An event with this operand is about to be stored.  A probe with neither of the two costs
	 * no event anything. */
	void (*before)(struct worker *worker, void *own, enum wire_kind kind, uint64_t b);
	/* There is room for it.  frame: of worker_make_room(), below that of the shim. */
	void (*after)(struct worker *worker, void *own, enum wire_kind kind, const void *frame);
	struct probe *next; /* the recorder's */
};

/* By a constructor: sessions that begin later open it.  It stays where it is. */
void probe_add(struct probe *probe) EXPORT_AS(probe_add);

/* From open(): strands have such a counter, "ns" its unit, or "": a number.  What WIRE_COUNTER
 * calls it; -1 if there are too many. */
int probe_counter(struct session *session, const char *name, const char *unit)
	EXPORT_AS(probe_counter);

/* From after(): puts an untimed event before the one at hand.  False: that would be too many. */
bool probe_put(struct worker *worker, enum wire_kind kind, uint64_t b) EXPORT_AS(probe_put);

/* From after(): a page fault of the slot that the event gets is not the strand's any more. */
void probe_touch(struct worker *worker) EXPORT_AS(probe_touch);

/* From open(), and then any thread asks it: time is what now() says, in ns, instead of a clock;
 * NULL: no more.  For PROBE_RULES_TIME; the session's clock is to be CLOCK_SOURCE_MONOTONIC. */
void probe_rule_time(uint64_t (*now)(void)) EXPORT_AS(probe_rule_time);
/* Whether one does.  Any thread. */
bool probe_rules_time(void) EXPORT_AS(probe_rules_time);
