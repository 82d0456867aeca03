/* SPDX-License-Identifier: MIT */
/* cancel.c - a thread that finds itself cancelled doesn't come back from myth_testcancel(). */
#include <stdio.h>
#include "myth/myth.h"

static volatile int cancelled;

static void *loops(void *arg)
{
	myth_testcancel();
	while (!cancelled)
		myth_yield();
	if (arg)
		myth_testcancel();
	return arg;
}

int main(void)
{
	myth_thread_t kept = myth_create(loops, NULL), lost = myth_create(loops, &kept);
	void *result;

	myth_cancel(lost);
	cancelled = 1;
	myth_join(lost, &result);
	printf("%ld, ", (long)result);
	myth_join(kept, &result);
	printf("%ld\ntptrace-tasks 2\n", (long)result);
	return 0;
}
