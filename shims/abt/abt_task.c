/* SPDX-License-Identifier: MIT */
/*
 * abt_task.c - ULTs and tasklets: creating, reviving, joining, ending them.
 *
 * Hot path, a task: ABT_thread_create(), create(), created(); run(); ABT_thread_join() or
 * ABT_thread_free(), join().  90 lines.
 */
#include "shims/abt/abt.h"
#include "shims/common/pool.h"

#include "preload/poison.h"

ABT_CREATES_MANY(CALL_WRAPPER)

/* ---- births ---- */

struct birth {
	void *pools; /* when it is free (pool.h) */
	abt_func func;
	void *arg;
	record_id id;
	bool has_handle; /* free when that is; else at its end */
	bool is_joined;
};

static struct pool births = { .record_bytes = sizeof(struct birth) };

static void birth_free(struct birth *birth)
{
	struct worker *worker = record_worker();

	if (worker)
		pool_give(&births, pool_place(worker, POOL_ABT), worker->index, birth);
}

/* Hot path: the runtime gets this as the task's function.  The task has its stack to itself, or is
 * a tasklet on its scheduler's, which is no task. */
CALLSITE_BODY static void run(void *arg)
{
	struct birth *birth = arg;
	struct worker *worker = record_worker();
	bool has_handle = birth->has_handle; /* else nobody else looks at it */

	if (!worker) {
		birth->func(birth->arg);
		return;
	}
	record_begin(worker, birth->id);
	birth->func(birth->arg);
	stay_end_moved();
	if (!has_handle)
		birth_free(birth);
}

/* The thread's birth; NULL: nothing was recorded when it was created. */
static struct birth *birth_of(const struct abt *abt, void *thread)
{
	abt_func func = NULL;
	void *arg = NULL;

	if (!thread || !abt->ABT_thread_get_thread_func ||
	    abt->ABT_thread_get_thread_func(thread, &func) != 0 || func != run)
		return NULL;
	return abt->ABT_thread_get_arg(thread, &arg) == 0 ? arg : NULL;
}

/* ---- creating ---- */

struct creation {
	struct stay stay;
	struct birth *birth;
	record_id id;
	bool outside; /* by a scheduler: by a task of its own */
};

/* Hot path: the task at hand creates one, and leaves.  False: pass the call on. */
static bool create(struct creation *creation, const struct callsite *callsite, abt_func func,
		   void *arg, bool has_handle)
{
	struct worker *worker = callsite_worker(callsite);
	struct birth *birth =
		worker && func ? pool_take(&births, pool_place(worker, POOL_ABT), worker->index)
			       : NULL;
	bool is_first;

	if (!birth)
		return false;
	is_first = !worker->task;
	creation->outside = is_first && !abt_is_program(abt_of(callsite));
	creation->birth = birth;
	creation->id = record_create(worker, callsite->site, 0);
	*birth = (struct birth){ NULL, func, arg, creation->id, has_handle, false };
	if (is_first && !creation->outside) {
		int is_primary = 0;

		abt_of(callsite)->ABT_self_is_primary(&is_primary);
		if (is_primary)
			atomic_store(&abt_primary, worker->task);
	}
	creation->stay = abt_leave(worker);
	return true;
}

/* Hot path: the creator goes on. */
static int created(struct creation *creation, const struct callsite *callsite, int error,
		   void *const *made)
{
	struct worker *worker;

	abt_return(&creation->stay);
	abt_count_workers(abt_of(callsite));
	worker = record_worker();
	if (!worker)
		return error;
	if (error) {
		record_event(worker, WIRE_DISCARD, creation->id);
		birth_free(creation->birth);
	} else if (made) {
		record_detail(worker, WIRE_NAME, (uintptr_t)*made);
	}
	if (creation->outside)
		record_end(worker, 0);
	return error;
}

#define CREATES(result, name, parameters, arguments, recorded)                                     \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(abt, name, func);                             \
		struct creation creation;                                                          \
                                                                                                   \
		if (!create(&creation, callsite, func, arg, made != NULL))                         \
			return abt_of(callsite)->name arguments;                                   \
		void *birth = creation.birth;                                                      \
		int error = abt_of(callsite)->name recorded;                                       \
                                                                                                   \
		return created(&creation, callsite, error, made);                                  \
	}
#define CREATES_ULT(...)                                                                           \
	CREATES(__VA_ARGS__, (pool, func, arg, attr, made), (pool, run, birth, attr, made))
#define CREATES_TASKLET(...) CREATES(__VA_ARGS__, (pool, func, arg, made), (pool, run, birth, made))

/* As the library does, one after the other. */
int ABT_thread_create_many(int n, void **pools, abt_func *funcs, void **args, void *attr,
			   void **made)
{
	struct callsite *callsite = CALLSITE(abt, ABT_thread_create_many, n > 0 ? funcs[0] : NULL);
	const struct abt *abt = abt_of(callsite);
	struct creation creation;
	int error = 0;

	if (!callsite_worker(callsite))
		return abt->ABT_thread_create_many(n, pools, funcs, args, attr, made);
	for (int i = 0; i < n && !error; i++) {
		void *arg = args ? args[i] : NULL, **one = made ? &made[i] : NULL;

		if (!create(&creation, callsite, funcs[i], arg, one != NULL)) {
			error = abt->ABT_thread_create(pools[i], funcs[i], arg, attr, one);
			continue;
		}
		error = abt->ABT_thread_create(pools[i], run, creation.birth, attr, one);
		error = created(&creation, callsite, error, one);
	}
	return error;
}

/* A thread that has ended runs once more: a task of its own. */
#define REVIVES(result, name, parameters)                                                          \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(abt, name, func);                             \
		struct birth *before = made ? birth_of(abt_of(callsite), *made) : NULL;            \
		struct creation creation;                                                          \
                                                                                                   \
		if (!create(&creation, callsite, func, arg, true))                                 \
			return abt_of(callsite)->name(pool, func, arg, made);                      \
		int error = abt_of(callsite)->name(pool, run, creation.birth, made);               \
                                                                                                   \
		if (before && !error)                                                              \
			birth_free(before);                                                        \
		return created(&creation, callsite, error, made);                                  \
	}

/* ---- joining ---- */

/* A task is joined once: who frees it, or joins it again, waits for nothing. */
static struct worker *joining(const struct callsite *callsite, const void *thread,
			      struct birth *birth)
{
	struct worker *worker = thread ? abt_worker(callsite) : NULL;

	if (!worker || (birth && birth->is_joined))
		return NULL;
	if (birth)
		birth->is_joined = true;
	wrap_wait_for(worker, callsite, WIRE_WAIT_NAMED, (uintptr_t)thread);
	return worker;
}

/* It may be freed then, and its birth goes with it, if this is not a call by another of these. */
static int join(const struct callsite *callsite, void **thread, int (*frees)(void **))
{
	struct birth *birth = thread && callsite->site ? birth_of(abt_of(callsite), *thread) : NULL;
	struct worker *worker = thread ? joining(callsite, *thread, birth) : NULL;
	struct stay stay;
	int error;

	if (worker)
		stay = abt_leave(worker);
	error = frees ? frees(thread) : abt_of(callsite)->ABT_thread_join(*thread);
	if (worker)
		abt_return(&stay);
	if (frees && birth && !error)
		birth_free(birth);
	return error;
}

#define JOINS(result, name, parameters)                                                            \
	result name parameters                                                                     \
	{                                                                                          \
		return join(CALLSITE(abt, name, NULL), &thread, NULL);                             \
	}

#define FREES(result, name, parameters)                                                            \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(abt, name, NULL);                             \
                                                                                                   \
		return join(callsite, thread, abt_of(callsite)->name);                             \
	}

#define JOINS_MANY(result, name, parameters, frees)                                                \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(abt, name, NULL);                             \
		const struct abt *abt = abt_of(callsite);                                          \
		int error = 0;                                                                     \
                                                                                                   \
		if (!abt_worker(callsite))                                                         \
			return abt->name(n, threads);                                              \
		for (int i = 0; i < n && !error; i++)                                              \
			if (threads[i])                                                            \
				error = join(callsite, &threads[i], frees);                        \
		return error;                                                                      \
	}

/* ---- ending ---- */

/* Does not return, but to the main ULT, which may not end so, and to who is in no ULT. */
static void ends(const struct callsite *callsite, void *resumed)
{
	struct worker *worker = abt_worker(callsite);
	int is_primary = 1;

	if (!worker || abt_of(callsite)->ABT_self_is_primary(&is_primary) != 0 || is_primary)
		return;
	if (resumed) {
		wrap_signal(worker, callsite, abt_resumed((uintptr_t)resumed));
		record_resume(worker, worker->task);
	}
	record_end(worker, 0);
}

#define EXITS(result, name, parameters, arguments, resumed)                                        \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(abt, name, NULL);                             \
                                                                                                   \
		ends(callsite, resumed);                                                           \
		return abt_of(callsite)->name arguments;                                           \
	}

/* ---- function and argument, as the program gave them ---- */

static void *self(const struct abt *abt)
{
	void *thread = NULL;

	return abt->ABT_self_get_thread && abt->ABT_self_get_thread(&thread) == 0 ? thread : NULL;
}

#define SHOWS(result, name, parameters, arguments, thread, field)                                  \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(abt, name, NULL);                             \
		const struct abt *abt = abt_of(callsite);                                          \
		int error = abt->name arguments;                                                   \
		struct birth *birth = error ? NULL : birth_of(abt, thread);                        \
                                                                                                   \
		if (birth)                                                                         \
			*field = birth->field;                                                     \
		return error;                                                                      \
	}

#define CHANGES(result, name, parameters, arguments, thread)                                       \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(abt, name, NULL);                             \
		const struct abt *abt = abt_of(callsite);                                          \
		struct birth *birth = birth_of(abt, thread);                                       \
                                                                                                   \
		if (!birth)                                                                        \
			return abt->name arguments;                                                \
		birth->arg = arg;                                                                  \
		return 0;                                                                          \
	}

ABT_IN_TASK(CALL_MADE)
