/* SPDX-License-Identifier: MIT */
/*
 * gate.h - whether events are stored, and marks in time: phases and regions.
 *
 * Stopped means that events are dropped and ids go on (worker.h).
 *
 * Marks lie in a ring of the session's that the collector empties.  Putting one takes no lock: the
 * producer claims a place, fills it and then publishes it, so that a signal handler on the same
 * thread puts its own behind it.  At half a ring the collector is woken.  A full ring loses phases
 * and regions, which is counted with the times of the first and the last.  It never loses the mark
 * of a start or stop: some places are reserved for these, and where they are full, too, the
 * recording does not turn.
 *
 * All of it is in the session, and called by threads of the program and by its collector, wherever
 * that is.  Signal handlers may put marks.  They may turn the recording only if signals are blocked
 * whenever another call on their thread does.
 */
#pragma once

#include <stdbool.h>
#include "collector/trace/wire.h"
#include "collector/session/layout.h"

/* Worker i, below n_workers, or NULL. */
typedef struct worker *gate_worker(void *arg, uint32_t index);

enum gate_turn {
	GATE_UNCHANGED, /* it was so before, or cannot be otherwise */
	GATE_TURNED,
	GATE_FULL, /* nothing changed, as there is no room for the mark: see gate_await() */
};

/* Wakes the collector, which takes what is there.  Any thread of the program. */
void gate_wake(struct session *session);

enum gate_turn gate_start(struct session *session);
enum gate_turn gate_stop(struct session *session, gate_worker *worker_at, void *arg);

/* No event is stored from here on, for that reason; gate_start() cannot help but where stopped. */
void gate_shut(struct session *session, enum wire_loss why, gate_worker *worker_at, void *arg);

/*
 * As the process is about to end; the collector, or the thread in exit() where that is outside:
 * workers sleep at their next event for so long, or until the process is gone, so that next to
 * nothing comes behind the trace's end, and nobody runs on in a runtime that is torn down.  Not the
 * one that ends the process (NULL: it is none): when that one records, the process goes on, and all
 * do.  Whoever goes on where the file has its end (`ended`) waits until that is taken back: so that
 * what is behind an end is never without a word.
 */
void gate_freeze(struct session *session, const struct worker *leaver, uint64_t ns,
		 gate_worker *worker_at, void *arg);
void gate_release(struct session *session);
/* A worker, at an event, if `frozen` is not 0. */
void gate_rest(struct session *session, const struct worker *worker);

/*
 * A phase begins, or a region does or ends, at that time.  False if the ring is full: then try
 * again after gate_await(), or call gate_lose().
 */
bool gate_mark(struct session *session, uint64_t ticks, enum wire_mark what, const char *name);
void gate_lose(struct session *session, uint64_t ticks);

/*
 * Not the collector: waits until the collector has taken marks.  False if it has not for so long;
 * until it has, nobody waits so long again.
 */
bool gate_await(struct session *session, uint64_t patience_ns);

/* The collector: what was asked for by signals and calls since: SESSION_ASK_.. */
uint32_t gate_asked(struct session *session);

/*
 * The collector: the next mark, copied; false if there is none.  Trusts nothing in the session.
 * `last`: those that were claimed and not published will never be, and count as lost.
 */
bool gate_next_mark(struct session *session, struct session_mark *mark, bool last);

/* The collector: whether so many marks wait that it should take them now. */
bool gate_presses(const struct session *session);
