/* SPDX-License-Identifier: MIT */
/*
 * gomp_virtual.c - where a probe rules time, tasks do nothing (record_virtual()): stands between
 * the wrappers of GOMP_task and GOMP_taskloop and the real functions, and puts an empty function in
 * the place of the program's into the head of each task's block.  The wrappers know nothing of it.
 *
 * Of one instance of libgomp; tasks of a second one run as they are.  So do detachable tasks: their
 * code fulfills the event, or lets another thread do it.
 */
#include "shims/gomp/gomp.h"

static struct gomp real; /* the instance's own functions */
static gomp_body_setter set_body;

static void do_nothing(void *data)
{
}

/* In constructors that run before ours there is no setter. */
static void empty(gomp_fn fn, void *block)
{
	if (set_body)
		set_body(fn, block, do_nothing);
}

static void virtual_GOMP_task(gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes, long align,
			      bool if_clause, unsigned flags, void **depend, int priority,
			      void *detach)
{
	empty(fn, data);
	real.GOMP_task(fn, data, cpyfn, bytes, align, if_clause, flags, depend, priority, detach);
}

#define TASKLOOP(name, bound)                                                                      \
	static void virtual_##name(gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes,           \
				   long align, unsigned flags, unsigned long n_tasks,              \
				   int priority, bound start, bound end, bound step)               \
	{                                                                                          \
		empty(fn, data);                                                                   \
		real.name(fn, data, cpyfn, bytes, align, flags, n_tasks, priority, start, end,     \
			  step);                                                                   \
	}
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)

void gomp_tell_setter(gomp_body_setter setter)
{
	set_body = setter;
}

void gomp_be_virtual(struct gomp *gomp)
{
	if (real.GOMP_task || !record_virtual())
		return;
	real = *gomp;
	gomp->GOMP_task = virtual_GOMP_task;
	gomp->GOMP_taskloop = virtual_GOMP_taskloop;
	gomp->GOMP_taskloop_ull = virtual_GOMP_taskloop_ull;
}
