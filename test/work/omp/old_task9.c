/* SPDX-License-Identifier: MIT */
/* GOMP_task of nine arguments, as gcc 6 to 10 called it, with PRIORITY, with and without DEPEND. */
// env: OMP_MAX_TASK_PRIORITY=9
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

void GOMP_parallel(void (*fn)(void *), void *data, unsigned n_threads, unsigned flags);
void GOMP_task(void (*fn)(void *), void *data, void (*cpy)(void *, void *), long size, long align,
	       bool if_clause, unsigned flags, void **depend, int priority);

#define DEPEND	 8u
#define PRIORITY 16u

static unsigned chain = 1, bag;

static void link_on(void *data)
{
	chain = chain * 31 + *(int *)data;
}

static void add(void *data)
{
	__sync_fetch_and_add(&bag, *(int *)data);
}

static void outlined(void *data)
{
	void *dep[] = { NULL, (void *)(uintptr_t)1, (void *)(uintptr_t)1, NULL, NULL, &chain };
	static int taken;

	if (__sync_fetch_and_add(&taken, 1))
		return;
	for (int i = 0; i < 100; i++) {
		GOMP_task(link_on, &i, NULL, sizeof(i), _Alignof(int), true, DEPEND | PRIORITY, dep,
			  i % 10);
		GOMP_task(add, &i, NULL, sizeof(i), _Alignof(int), i % 7 != 0, PRIORITY,
			  (void **)8 /* not read */, 9 - i % 10);
	}
}

int main(void)
{
	unsigned want = 1;

	GOMP_parallel(outlined, NULL, 0, 0);
	for (unsigned i = 0; i < 100; i++)
		want = want * 31 + i;
	printf("chain %u bag %u\n", chain, bag);
	printf("tptrace-tasks 200\n");
	return chain != want || bag != 4950;
}
