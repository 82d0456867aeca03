/* SPDX-License-Identifier: MIT */
/*
 * interposed.c - functions whose place the probe takes: by their calls a runtime shows that one of
 * its threads has looked for a task, and found none (looking.h).
 *
 * A thread of libomp without a task never sleeps while its region has tasks: it looks at the tasks
 * of one other thread, drawn at random, and yields.  [kmp_wait_release.h, __kmp_wait_template();
 * kmp_tasking.cpp, __kmp_execute_tasks_template()]  One of StarPU calls
 * _starpu_cpu_driver_run_once() for each look; one that finds a task has begun it on the way, and
 * so there is something new.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>

#include "preload/libc.h"
#include "preload/probe.h"
#include "preload/probes/virtual/looking.h"
#include "preload/session.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- who calls ---- */

#define CALLERS 64u

/* Return addresses of sched_yield(), of which a process has few; entries stay. */
static struct caller {
	_Atomic uintptr_t address; /* 0: nobody's; set last */
	bool is_libomp;
} callers[CALLERS];

static bool ask_module(uintptr_t address)
{
	static const char *const names[] = { "libomp", "libiomp", NULL };
	struct session *session = session_lock();
	bool is_libomp = module_is_named(session, address, names);

	for (uint32_t i = 0; i < CALLERS; i++) {
		if (atomic_load(&callers[i].address))
			continue;
		callers[i].is_libomp = is_libomp;
		atomic_store_explicit(&callers[i].address, address, memory_order_release);
		break;
	}
	session_unlock(session);
	return is_libomp;
}

static bool is_libomps(uintptr_t address)
{
	for (uint32_t i = 0; i < CALLERS; i++) {
		uintptr_t known = atomic_load_explicit(&callers[i].address, memory_order_acquire);

		if (known == address)
			return callers[i].is_libomp;
		if (!known)
			break;
	}
	return ask_module(address);
}

/* ---- the functions ---- */

EXPORT int sched_yield(void);
EXPORT int sched_yield(void)
{
	if (probe_rules_time() && is_libomps((uintptr_t)__builtin_return_address(0)))
		looking_found_nothing(true);
	else
		libc_yield();
	return 0;
}

typedef int (*run_once)(void *driver);

/* StarPU's own: it is the caller, whoever else may find it. */
static run_once find_run_once(void *return_address)
{
	static run_once _Atomic found;
	run_once function = atomic_load_explicit(&found, memory_order_relaxed);
	Dl_info caller;
	void *handle;

	if (function)
		return function;
	if (dladdr(return_address, &caller) &&
	    (handle = dlopen(caller.dli_fname, RTLD_NOW | RTLD_NOLOAD))) {
		*(void **)&function = dlsym(handle, "_starpu_cpu_driver_run_once");
		dlclose(handle);
	}
	if (!function)
		*(void **)&function = dlsym(RTLD_NEXT, "_starpu_cpu_driver_run_once");
	atomic_store_explicit(&found, function, memory_order_relaxed);
	return function;
}

EXPORT int _starpu_cpu_driver_run_once(void *driver);
EXPORT int _starpu_cpu_driver_run_once(void *driver)
{
	int result = find_run_once(__builtin_return_address(0))(driver);

	if (probe_rules_time())
		looking_found_nothing(false);
	return result;
}
