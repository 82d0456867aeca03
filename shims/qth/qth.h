/* SPDX-License-Identifier: MIT */
/*
 * qth.h - what the wrappers of Qthreads' entry points share: the real functions, and what a
 * worker keeps.
 *
 * ABI facts: libqthread calls its own entry points through the PLT, so that wrappers see what a
 * task's code asks for and what the library does for it.  A call from the library's own code is
 * `internal`; it is recorded only if the thread is in the midst of a task's strand, that is, if
 * no wrapper farther out has ended it.  For that, and because a task may come back from any
 * call that blocks on another thread, worker->task is 0 while a task is inside of such a call,
 * and the wrapper has the task's id in its own frame, which moves with the task.
 */
#pragma once

#include <stdarg.h>
#include <stdint.h>
#include <sys/types.h>
#include "shims/common/pool.h"
#include "shims/common/row.h"

typedef uintptr_t word; /* aligned_t, and an argument as it is passed */
typedef word (*qth_fn)(void *);
typedef void (*qth_loop_fn)(size_t, size_t, void *);
typedef void (*qth_accum_fn)(size_t, size_t, void *, void *);
typedef void (*qth_combine_fn)(void *, const void *);

#include "shims/qth/qth_functions.h"

struct qth {
	struct instance head;
	QTH_FUNCTIONS(CALL_POINTER)
	QTH_ASKED(CALL_POINTER)
};
enum qth_entry { QTH_FUNCTIONS(CALL_ENTRY) };
CALL_DECLARE(qth)

/*
 * A loop that the library runs, in the frame of the wrapper that was called for it.  Its tasks
 * belong to the bag of that address; only they, and the caller, look at it, while it runs.
 */
struct qth_loop {
	union {
		qth_loop_fn each;
		qth_accum_fn accum;
	};
	void *arg;
	uint64_t bag;
	record_id caller;
	uint32_t site;
	bool flat;    /* its tasks create none */
	bool waiting; /* the caller's wait has been recorded */
};

/* State of a worker, besides the recorder's. */
struct qth_place {
	_Alignas(64) struct qth_loop *loop; /* whose machinery runs here, not its body; or NULL */
	bool yielded;			    /* it has yielded since it created a task */
	uintptr_t team;			    /* of the task that runs, as an owner; or 0 */
	struct pool_list spare;		    /* records of tasks (qth_task.c) */
	char *room;			    /* for the copy of an argument */
};
_Static_assert(sizeof(struct qth_place) <= WORKER_PLACE_BYTES, "lies in a worker");

/* The task inside of a call, in the wrapper's frame. */
struct qth_stay {
	struct stay stay;
	struct qth_loop *loop;
	uintptr_t team;
	bool yielded;
};

#define QTH_WORKER(callsite) qth_worker(callsite, __builtin_return_address(0))

static inline struct qth_place *qth_place_of(struct worker *worker)
{
	return pool_place(worker, POOL_QTH);
}

/* Whether the library made the call itself. */
static inline bool qth_internal(const struct callsite *callsite, void *return_address)
{
	return segment_has(&callsite->instance->code, (uintptr_t)return_address);
}

/*
 * Hot path: the worker to record the call on, or NULL when it is to be passed on as it is.  A call
 * that returns to us is a tail call, of the library's in one of ours, or of a task's code.
 */
static inline struct worker *qth_worker(const struct callsite *callsite, void *return_address)
{
	struct worker *worker = callsite_worker(callsite);

	if (!worker || worker->task)
		return worker;
	if (callsite_is_internal(&callsite->instance->code, (uintptr_t)return_address))
		return NULL;
	qth_place_of(worker)->loop = NULL; /* may be what a thread that is gone has left */
	qth_place_of(worker)->team = 0;
	return worker;
}

/* Hot path: after the task's strand has ended: the thread is in no task any more. */
static inline struct qth_stay qth_leave(struct worker *worker)
{
	struct qth_place *place = qth_place_of(worker);
	struct qth_stay stay = { stay_leave(worker), place->loop, place->team, place->yielded };

	place->loop = NULL;
	return stay;
}

/* Hot path: the task goes on, on whatever thread this is. */
static inline void qth_return(const struct qth_stay *stay)
{
	struct worker *worker = record_worker();

	if (!worker)
		return;
	qth_place_of(worker)->loop = stay->loop;
	qth_place_of(worker)->team = stay->team;
	qth_place_of(worker)->yielded = stay->yielded;
	stay_resume_from(worker, stay->stay.worker, stay->stay.task);
}

/*
 * qth_team.c: teams (qt_team_*), a first task and those that it creates.  A team is a bag by the
 * word that its first task returns, which the library fills when all of them have ended.  As an
 * owner it has one bit set, or two for the first task itself.
 */
#define QTH_TEAM 1u
#define QTH_LEADER 2u
#define QTH_TEAM_BAG(team) (((team) | QTH_LEADER) & ~(uintptr_t)QTH_TEAM)

/* The code of a team's first task is done; it ends when the library fills that word. */
void qth_team_leader_waits(struct worker *worker, uintptr_t team) CALL_HIDDEN;
void qth_team_fills(uintptr_t at) CALL_HIDDEN;

/* qth.c: the words that a task waits for, as qthread_spawn() wants them: n, and the addresses of n
 * words, which follow one by one, or, if n is negative, in an array of -n.  NULL for none.  The
 * library frees it with free(), as it does its own. */
void *qth_preconds(int n, va_list words) CALL_HIDDEN;

/*
 * qth_loop.c: the library waits for the tasks of the loop that it runs here: what there is to
 * record is recorded, and the call is to be passed on.
 */
void qth_loop_waits(struct worker *worker) CALL_HIDDEN;
