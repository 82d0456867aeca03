/* SPDX-License-Identifier: MIT */
/* counted.c - three tasks and a wait; what the runtime of counted_so.c was called for. */
#include <stdbool.h>
#include <stdio.h>

extern int n_tasks, n_waits;

void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long align,
	       bool if_clause, unsigned flags, void **depend, int priority, void *detach);
void GOMP_taskwait(void);

static void count(void *data)
{
	++**(int **)data;
}

int main(void)
{
	int n = 0, *data = &n;

	for (int i = 0; i < 3; i++)
		GOMP_task(count, &data, NULL, sizeof(data), 8, true, 0, NULL, 0, NULL);
	GOMP_taskwait();
	printf("%d %d %d\n", n, n_tasks, n_waits);
	return 0;
}
