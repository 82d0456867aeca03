// SPDX-License-Identifier: MIT
// flags: -ldl
// Exceptions: out of a spawned call, whether its caller was stolen or not; out of a loop's body.
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
#include "lowered.h"

static int n_tasks;

static void thrower(int n, int us)
{
	usleep((unsigned)us);
	if (n % 3 == 0)
		throw n;
}

CILK_HELPER_THROWS(spawn_thrower, (int n, int us), thrower(n, us))

static int spawns(int n, int us)
{
	volatile int caught = 0;

	CILK_ENTER;
	try {
		n_tasks++;
		CILK_SPAWN(spawn_thrower, n, us);
		usleep((unsigned)us / 2);
		CILK_SYNC;
	} catch (int what) {
		caught = what + 1;
	}
	CILK_LEAVE;
	return caught;
}

static void body(void *, uint32_t low, uint32_t high)
{
	__atomic_add_fetch(&n_tasks, 1, __ATOMIC_RELAXED);
	for (uint32_t i = low; i < high; i++)
		if (i == 7)
			throw 7;
}

int main()
{
	if (!dlsym(RTLD_DEFAULT, "__cilkrts_return_exception")) {
		puts("no exceptions with this runtime");
		return 0;
	}
	for (int i = 0; i < 12; i++)
		printf("%d\n", spawns(i, 0));
	for (int i = 0; i < 12; i++)
		printf("%d\n", spawns(i, 2000));
	try {
		__cilkrts_cilk_for_32(body, NULL, 8, 8);
	} catch (int what) {
		printf("out of the loop: %d\n", what);
	}
	printf("tptrace-tasks %d\n", n_tasks);
	return 0;
}
