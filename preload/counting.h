/* SPDX-License-Identifier: MIT */
/*
 * counting.h - what a thread's counters say where a strand begins, and where it ends; and by which
 * call path it creates.
 *
 * Off unless TPTRACE_COUNTERS names some, TPTRACE_CALLPATHS is on, TPTRACE_SLOW slows some tasks,
 * or time is virtual (virtual.h): then worker->counting is NULL, and no event looks at it but in
 * worker_make_room().  A worker that counts looks up there at every event: its `limit` never lets
 * one pass.  Counters are read last of all before a strand begins, once there is room for its
 * event, and first of all when it ends: what recording costs is in no strand.  WIRE_COUNTER events
 * with the differences, if they are not 0, go before the event that ends the strand.  A strand
 * whose begin was not recorded has none.  A WIRE_PATH goes before a `create` or `fork`; what
 * finding paths took is summed up, and told as WIRE_TRACER from time to time.
 *
 * PAPI is called on a stack of the recorder's own, without cancellation: a task's may have 16 KiB.
 * With TPTRACE_SLOW the last counter is that of slow.h, which is not read: it is what the strand
 * was lengthened by, after the other counters were read.
 *
 * A thread that finds no memory or no event set for its counters counts nothing; how many there
 * were is in the trace.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/trace/events.h"

struct session;
struct worker;

/* While the session begins, on its thread: looks what TPTRACE_COUNTERS asks for, and describes it
 * in the session.  What a reading takes is added to session->event_ps. */
void counting_open(struct session *session);

/* The thread that got this worker counts from now on; it is about to leave it. */
void counting_come(struct worker *worker);
void counting_leave(struct worker *worker);

/*
 * The steps of worker_make_room() for a worker that counts: it reads the counters if a strand ends,
 * says whether nothing else is to be looked at, and, if there is room for the event, puts its own
 * events and reads the counters if a strand begins.
 */
#define COUNTING_MORE 10u /* events that it may put before one */
void counting_ends(struct worker *worker, enum wire_kind kind, uint64_t b);
bool counting_passes(const struct worker *worker);
void counting_looked(struct worker *worker, bool room); /* worker->limit is set, if there is room */
/* `frame`: of worker_make_room() */
void counting_goes_on(struct worker *worker, enum wire_kind kind, bool room, const void *frame);
