/* SPDX-License-Identifier: MIT */
/*
 * mth_task.c - creates threads, one or many; mth_functions.h says how they are joined and end.
 *
 * Hot path, a task: myth_create(), birth_new(), mth_create(), mth_created(); birth_run(); and
 * myth_join().  75 lines.
 */
#include "shims/mth/mth.h"

#include <sys/mman.h>

#include "preload/budget.h"
#include "preload/poison.h"

MTH_OF_MANY(CALL_WRAPPER)

/* ---- creating ---- */

/* Hot path: by default the child runs at once, and this goes on when its thread is stolen or
 * the child blocks or ends. */
#define MAKES(result, name, parameters, arguments, recorded)                                       \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(mth, name, func);                             \
		struct worker *worker = callsite_worker(callsite);                                 \
		struct birth *birth = worker ? birth_new(worker) : NULL;                           \
                                                                                                   \
		if (!birth)                                                                        \
			return mth_of(callsite)->name arguments;                                   \
		struct stay stay = mth_create(worker, callsite, birth, arg);                       \
		void *handle = mth_of(callsite)->name recorded;                                    \
                                                                                                   \
		mth_created(callsite, stay, handle);                                               \
		return handle;                                                                     \
	}

MTH_IN_TASK(CALL_MADE)

/* ---- creating and joining many at once ---- */

/*
 * The runtime makes a binary tree of threads, whose leaves call func(args + i * arg_stride), some
 * of them on the caller's stack.  Each such call is a task here; the tree itself isn't seen.  The
 * runtime is handed an array of pointers to `many`, as arguments of many_run(), which tells i
 * from the address.
 */
#define MANY_ON_STACK 32

struct many {
	struct many **pointer; /* n of them */
	const char *funcs;     /* of which func_stride leads to the next */
	char *args;
	size_t func_stride, arg_stride;
	record_id group;
	struct stay stay; /* of who creates them */
	struct many *on_stack[MANY_ON_STACK];
};

CALLSITE_BODY static void *many_run(void *pointer)
{
	struct many *many = *(struct many **)pointer;
	size_t i = (size_t)((struct many **)pointer - many->pointer);
	mth_func func = *(const mth_func *)(const void *)(many->funcs + i * many->func_stride);
	struct worker *worker = record_worker();
	void *arg = many->args + i * many->arg_stride;
	void *result;

	if (!worker)
		return func(arg);
	record_member(worker, many->group);
	result = func(arg);
	stay_end_moved();
	return result;
}

/* False if nothing is recorded: then the call is passed on. */
static bool many_open(struct many *many, const struct callsite *callsite, long n)
{
	struct worker *worker = n > 0 ? callsite_worker(callsite) : NULL;

	many->pointer = many->on_stack;
	if (worker && n > MANY_ON_STACK)
		many->pointer = map_zeroed((size_t)n * sizeof(many->pointer[0]));
	if (!worker || !many->pointer)
		return false;
	for (long i = 0; i < n; i++)
		many->pointer[i] = many;
	many->group = record_fork(worker, callsite->site, WIRE_FORK_LOOP);
	many->stay = stay_leave(worker);
	return true;
}

static void many_close(struct many *many, const struct callsite *callsite, long n)
{
	mth_created(callsite, many->stay, NULL);
	if (many->pointer != many->on_stack)
		munmap(many->pointer, (size_t)n * sizeof(many->pointer[0]));
}

int myth_create_join_various_ex(void *handles, void *attrs, mth_func *funcs, void *args,
				void *results, size_t handle_stride, size_t attr_stride,
				size_t func_stride, size_t arg_stride, size_t result_stride, long n)
{
	struct callsite *callsite =
		CALLSITE(mth, myth_create_join_various_ex, n > 0 ? funcs[0] : NULL);
	struct many many = { .funcs = (const char *)funcs, .args = args };
	mth_func run = many_run;
	int err;

	many.func_stride = func_stride;
	many.arg_stride = arg_stride;
	if (!many_open(&many, callsite, n))
		return mth_of(callsite)->myth_create_join_various_ex(
			handles, attrs, funcs, args, results, handle_stride, attr_stride,
			func_stride, arg_stride, result_stride, n);
	err = mth_of(callsite)->myth_create_join_various_ex(
		handles, attrs, &run, many.pointer, results, handle_stride, attr_stride, 0,
		sizeof(many.pointer[0]), result_stride, n);
	many_close(&many, callsite, n);
	return err;
}

int myth_create_join_many_ex(void *handles, void *attrs, mth_func func, void *args, void *results,
			     size_t handle_stride, size_t attr_stride, size_t arg_stride,
			     size_t result_stride, long n)
{
	struct callsite *callsite = CALLSITE(mth, myth_create_join_many_ex, func);
	struct many many = { .funcs = (const char *)&func, .args = args, .arg_stride = arg_stride };
	int err;

	if (!many_open(&many, callsite, n))
		return mth_of(callsite)->myth_create_join_many_ex(
			handles, attrs, func, args, results, handle_stride, attr_stride, arg_stride,
			result_stride, n);
	err = mth_of(callsite)->myth_create_join_many_ex(handles, attrs, many_run, many.pointer,
							 results, handle_stride, attr_stride,
							 sizeof(many.pointer[0]), result_stride, n);
	many_close(&many, callsite, n);
	return err;
}
