/* SPDX-License-Identifier: MIT */
/*
 * states.h - elapsed x P as a table: what workers were in, by component of the breakdown.
 *
 *	running	a strand: all of the work, and nothing else
 *	runtime	a task on the worker is inside a call, or the worker goes on to a strand of its own
 *	blocked	a task on the worker waits for a lock, critical, ordered, or the like
 *	message	a task on the worker is inside a call of MPI
 *	device	a task on the worker waits for what a device runs or copies
 *	idle	all else: no task on the worker may go on.  So are workers that nobody saw
 *	tracer	the recorder held the worker, whatever it was in besides (tracer.h)
 *
 * Ready strands are charged to idle workers first, then to those in the runtime, then to those
 * in MPI, to those that wait for a device and to blocked ones, last to held ones: with q workers in
 * a state and r strands left, delay = min(q, r), and no-work is the rest of q.  The rows add up to
 * the components, exactly.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum state {
	STATE_RUNNING,
	STATE_RUNTIME,
	STATE_BLOCKED,
	STATE_IDLE,
	STATE_TRACER,
	STATES_ALWAYS,
	STATE_MESSAGE = STATES_ALWAYS, /* from here on: of programs that have any */
	STATE_DEVICE,
	STATES
};
extern const char *const state_name[STATES]; /* "running", .. as in the JSON report */
extern const char *const state_said[STATES]; /* "in MPI", .. as screens say it */
#define STATES_FREE (STATES - 1)
extern const enum state states_charged[STATES_FREE]; /* all but RUNNING, in the order above */

/*
 * What tables have of a row's tasks beside their work, from the left: X(state, its column in data,
 * its title, and when a narrow screen leaves it out, the largest first).
 */
#define STATES_OF_TASKS(X)                                                                         \
	X(BLOCKED, "blocked_ns", "blocked", 2)                                                     \
	X(MESSAGE, "message_ns", "message", 2)                                                     \
	X(DEVICE, "device_ns", "device", 2)                                                        \
	X(RUNTIME, "runtime_ns", "runtime", 3)                                                     \
	X(IDLE, "starved_ns", "starved", 4)                                                        \
	X(TRACER, "tracer_ns", "tptrace", 5)

/* Of the tasks of one row, by state; what they are charged with of RUNNING is their work. */
struct state_times {
	uint64_t ns[STATES];
};

static inline void state_times_add(struct state_times *to, const struct state_times *times)
{
	for (int i = 0; i < STATES; i++)
		to->ns[i] += times->ns[i];
}

static inline uint64_t state_times_sum(const struct state_times *times)
{
	uint64_t sum = 0;

	for (int i = 0; i < STATES; i++)
		sum += times->ns[i];
	return sum;
}

/* Whether a task waits in it, and keeps the worker: as long as it is in its call. */
static inline bool state_waits(enum state state)
{
	return state == STATE_BLOCKED || state == STATE_MESSAGE || state == STATE_DEVICE;
}

/* Whether its time is charged to the task of a pause (blame.h). */
static inline bool state_is_blamed(enum state state)
{
	return state == STATE_RUNTIME || state_waits(state);
}

/* What a worker is in the runtime for. */
enum runtime_call {
	CALL_CREATE, /* from a creation back to its task, or on to the created one */
	CALL_FORK,
	CALL_WAIT, /* from the end of what a task waits for, or from the wait on to another task */
	CALL_LOCK, /* an object that was free, or had become so */
	CALL_YIELD,
	CALL_SIGNAL,
	CALL_BEGIN, /* from one task's end to the first strand of another */
	CALLS
};
extern const char *const call_name[CALLS]; /* "create", .. as in the JSON report */

struct charge {
	uint64_t work_ns, delay_ns, no_work_sched_ns, no_work_app_ns;
};

static inline uint64_t charge_sum(const struct charge *charge)
{
	return charge->work_ns + charge->delay_ns + charge->no_work_sched_ns +
	       charge->no_work_app_ns;
}

/* Whether a table has that state: the last ones only where there is any of it. */
static inline bool state_seen(const struct charge state[STATES], int which)
{
	return which < STATES_ALWAYS || charge_sum(&state[which]);
}

static inline void charge_add(struct charge *to, const struct charge *charge)
{
	to->work_ns += charge->work_ns;
	to->delay_ns += charge->delay_ns;
	to->no_work_sched_ns += charge->no_work_sched_ns;
	to->no_work_app_ns += charge->no_work_app_ns;
}

/*
 * The four components over time, in bins of equal length, taken along by a sweep whose rates are
 * constant from step to step (sweep_step.h: a plain one); exact, as integers.
 */
struct charge_bins {
	uint64_t width_ns;
	uint32_t n;
	struct charge *bin; /* n; NULL: no sweep was plain */
	uint64_t next_ns;   /* where bin[at] ends */
	uint32_t at;
	struct charge until_at; /* total at the begin of bin[at] */
};

/* Of a window of elapsed_ns. */
void charge_bins_open(struct charge_bins *bins, uint64_t elapsed_ns, uint32_t n);
/* [from_ns, to_ns) in which the total grew from `before` to `after` reaches next_ns. */
void charge_bins_pass(struct charge_bins *bins, uint64_t from_ns, uint64_t to_ns,
		      const struct charge *before, const struct charge *after);
void charge_bins_end(struct charge_bins *bins, const struct charge *total);
void charge_bins_free(struct charge_bins *bins); /* a zeroed one is fine */
