/* SPDX-License-Identifier: MIT */
/*
 * ompt_virtual.c - libomp in virtual time (preload/virtual.h).
 *
 * Tasks get an empty function when they are allocated.  Detachable ones run as they are, since
 * their code fulfills the event; so do those with a false if clause, which clang's code calls
 * itself, and those of a libomp that is linked statically, whose calls nobody sees.
 *
 * A thread without a task never sleeps while its region has tasks: it looks at the tasks of one
 * other thread, drawn at random, and yields.  [kmp_wait_release.h, __kmp_wait_template();
 * kmp_tasking.cpp, __kmp_execute_tasks_template()]
 */
#include "shims/ompt/ompt_kmpc.h"

#include <sched.h>

#include "preload/libc.h"

int ompt_no_code(int gtid, void *task)
{
	(void)gtid;
	(void)task;
	return 0;
}

static bool is_libomps(uintptr_t address)
{
	for (uint32_t i = 0; i < ompt_state.n_copies; i++)
		if (segment_has(&ompt_state.copy[i], address))
			return true;
	return false;
}

CALL_EXPORT int sched_yield(void)
{
	if (ompt_state.is_virtual && is_libomps((uintptr_t)__builtin_return_address(0)))
		record_looked(true);
	else
		libc_yield();
	return 0;
}
