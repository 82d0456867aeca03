/* SPDX-License-Identifier: MIT */
/*
 * starpu_depend.c - what tasks depend on: data, other tasks, tags, and data that the program holds.
 *
 * Dependences between tasks and between tags are declared before the task is submitted, and kept
 * until it is.
 */
#include "shims/starpu/starpu.h"
#include "shims/starpu/starpu_fields.h"

#include <stdarg.h>

#include "shims/common/memo.h"

enum { MODE_R = 1, MODE_W = 2, MODE_SCRATCH = 4, MODE_REDUX = 8, MODE_COMMUTE = 16 };
#define MODE_MASK 31
#define CL_NBUFFERS_OF_TASK -1 /* STARPU_VARIABLE_NBUFFERS */

static struct memo declared, held;

void starpu_keep(uint64_t key, uint64_t word)
{
	memo_put(&declared, key, word);
}

uint64_t starpu_take(uint64_t key)
{
	return memo_take(&declared, key);
}

/* ---- data that the program has acquired ---- */

enum holding { HELD_READ = 1, HELD_WRITE };

static void handle_hold(uintptr_t handle, bool writing)
{
	memo_put(&held, handle, writing ? HELD_WRITE : HELD_READ);
}

/* Hot path: a task that is about to access the handle waits until the program lets it go. */
static void depend_on_holder(struct worker *worker, uintptr_t handle, bool writing)
{
	uint64_t holding = memo_find(&held, handle, true);

	if (holding && (writing || holding == HELD_WRITE))
		starpu_depend_put(worker, starpu_name((void *)handle, STARPU_NAME_RELEASE),
				  WIRE_DEPEND_ON);
}

/* ---- a task's dependences ---- */

/* As StarPU orders accesses.  [_starpu_detect_implicit_data_deps_with_handle()] */
static enum wire_depend type_of(int mode)
{
	if ((mode & MODE_MASK) == MODE_REDUX || (mode & MODE_W && mode & MODE_COMMUTE))
		return WIRE_DEPEND_SET; /* one at a time, but in any order */
	return (mode & MODE_MASK & ~MODE_COMMUTE) == MODE_R ? WIRE_DEPEND_IN : WIRE_DEPEND_OUT;
}

static void depend_on_data(struct worker *worker, uintptr_t handle, int mode)
{
	if (mode & MODE_SCRATCH)
		return;
	starpu_depend_put(worker, handle, type_of(mode));
	depend_on_holder(worker, handle, (mode & MODE_MASK) != MODE_R);
}

/* STARPU_TASK_GET_NBUFFERS(), _GET_HANDLE(), _GET_MODE() */
static void depend_on_all_data(struct starpu *s, struct worker *worker, const void *task)
{
	const struct starpu_layout *l = s->layout;
	const char *cl = starpu_cl(s, task);
	int n = (int)starpu_half_at(cl, l->cl_nbuffers);
	const char *handles = (const char *)starpu_word_at(task, l->dyn_handles);
	const char *modes = (const char *)starpu_word_at(task, l->dyn_modes);
	const uint8_t *flags =
		l->handles_sequential_consistency
			? (void *)starpu_word_at(task, l->handles_sequential_consistency)
			: NULL;
	bool ordered = starpu_flag(s, task, STARPU_FLAG_SEQUENTIAL_CONSISTENCY);

	if (!handles)
		handles = (const char *)task + l->handles;
	if (n == CL_NBUFFERS_OF_TASK) {
		n = (int)starpu_half_at(task, l->nbuffers);
		if (!modes)
			modes = (const char *)task + l->modes;
	} else if (!modes) {
		modes = (const char *)starpu_word_at(cl, l->cl_dyn_modes);
		if (!modes)
			modes = cl + l->cl_modes;
	}
	for (int i = 0; i < n; i++) {
		void *handle = (void *)starpu_word_at(handles, (unsigned)i * 8);

		/* else their order is free: StarPU only keeps them apart */
		if (ordered && (!flags || flags[i]) && handle &&
		    s->starpu_data_get_sequential_consistency_flag(handle))
			depend_on_data(worker, (uintptr_t)handle,
				       (int)starpu_half_at(modes, (unsigned)i * 4));
	}
}

/* Hot path, but for tasks with declared dependences. */
void starpu_depends(struct starpu *s, struct worker *worker, const void *task, bool data)
{
	uint64_t name;

	if (s->layout && data && starpu_cl(s, task))
		depend_on_all_data(s, worker, task);
	while ((name = starpu_take((uintptr_t)task)) != 0)
		starpu_depend_put(worker, name, WIRE_DEPEND_ON);
	if (!starpu_flag(s, task, STARPU_FLAG_USE_TAG))
		return;
	while ((name = starpu_take(starpu_tag_name(starpu_word_at(task, s->layout->tag_id)))) != 0)
		starpu_depend_put(worker, name, WIRE_DEPEND_ON);
}

void starpu_end_others(struct worker *worker, const void *task)
{
	record_id self = worker->task;
	uint64_t other;

	while ((other = starpu_take(starpu_name(task, STARPU_NAME_END))) != 0) {
		record_end_strand(worker, WIRE_SIGNAL, starpu_name((void *)other, STARPU_NAME_END));
		record_resume(worker, self);
	}
}

/* ---- declarations ---- */

#define DECLARES(result, name, parameters, arguments, key, word)                                   \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(starpu, name, NULL);                          \
                                                                                                   \
		for (unsigned i = 0; callsite->site && i < n; i++)                                 \
			starpu_keep(key, word);                                                    \
		starpu_of(callsite)->name arguments;                                               \
	}

STARPU_IN_DEPEND(CALL_MADE)

CALL_EXPORT void starpu_tag_declare_deps(uint64_t tag, unsigned n, ...);
CALL_EXPORT void starpu_tag_declare_deps(uint64_t tag, unsigned n, ...)
{
	struct callsite *callsite = CALLSITE(starpu, starpu_tag_declare_deps, NULL);
	uint64_t tags[n + 1];
	va_list list;

	va_start(list, n);
	for (unsigned i = 0; i < n; i++) {
		tags[i] = va_arg(list, uint64_t);
		if (callsite->site)
			starpu_keep(starpu_tag_name(tag), starpu_tag_name(tags[i]));
	}
	va_end(list);
	starpu_of(callsite)->starpu_tag_declare_deps_array(tag, n, tags);
}

/* ---- what releases others, and what waits for data ---- */

/* Where nothing is known of tasks and handles, neither is recorded. */
static inline struct worker *data_worker(const struct callsite *callsite)
{
	return starpu_of(callsite)->layout ? starpu_worker(callsite) : NULL;
}

#define SIGNALS(...)                                                                               \
	WRAP_ROW(starpu, data_worker(callsite), starpu_leave(worker), starpu_return(&stay),        \
		 __VA_ARGS__)

static bool is_ordered(struct starpu *s, void *handle)
{
	return s->starpu_data_get_sequential_consistency_flag(handle);
}

static void wait_data(struct worker *worker, const struct callsite *callsite, void *handle,
		      int mode)
{
	record_wait(worker, callsite->site, WIRE_WAIT_DEPEND | WIRE_WAIT_GLOBAL);
	if (is_ordered(starpu_of(callsite), handle))
		starpu_depend_put(worker, (uintptr_t)handle, type_of(mode));
}

/* The program holds the data from here on, if it has got it. */
static void data_acquired(struct starpu *s, void *handle, int mode, const struct stay *stay,
			  int returned)
{
	if (returned == 0 && is_ordered(s, handle))
		handle_hold((uintptr_t)handle, (mode & MODE_MASK) != MODE_R);
	starpu_return(stay);
}

#define ACQUIRES(result, name, n, mode)                                                            \
	WRAP_ROW(starpu, data_worker(callsite), starpu_leave(worker),                              \
		 data_acquired(starpu_of(callsite), (void *)a1, mode, &stay, (int)returned),       \
		 result, name, n, wait_data, (void *)a1, mode)

/* The program lets the data go, but what it still does with it, in this mode (StarPU 1.4) or in
 * none. */
static struct worker *data_releaser(const struct callsite *callsite, void *handle, int mode)
{
	struct worker *worker = starpu_worker(callsite);

	if (!worker || !memo_take(&held, (uintptr_t)handle))
		return NULL;
	if (mode & MODE_MASK)
		handle_hold((uintptr_t)handle, (mode & MODE_MASK) != MODE_R);
	return worker;
}

#define RELEASES(result, name, n, mode)                                                            \
	WRAP_ROW(starpu, data_releaser(callsite, (void *)a1, mode), starpu_leave(worker),          \
		 starpu_return(&stay), result, name, n,                                            \
		 SIGNAL(starpu_name((void *)a1, STARPU_NAME_RELEASE)))

STARPU_DATA(CALL_ROW)
