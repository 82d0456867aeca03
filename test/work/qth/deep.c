/* deep.c - a long chain of tasks, each waiting on its own small stack for the next */
#include <qthread/qthread.h>
#include <stdio.h>
#include <string.h>

/* Uses most of a stack of 16 KiB, then blocks. */
static aligned_t link(void *arg)
{
	uintptr_t left = (uintptr_t)arg;
	volatile char room[8192];
	aligned_t ret, sum = 0;

	memset((char *)room, (int)left, sizeof(room));
	if (left == 0)
		return 0;
	qthread_fork(link, (void *)(left - 1), &ret);
	qthread_readFF(NULL, &ret);
	for (size_t i = 0; i < sizeof(room); i++)
		sum += room[i] != (char)left;
	return ret + 1 + sum;
}

int main(void)
{
	aligned_t ret;

	qthread_initialize();
	qthread_fork(link, (void *)300, &ret);
	qthread_readFF(NULL, &ret);
	printf("%lu\n", (unsigned long)ret);
	printf("tptrace-edges join=301\n");
	printf("tptrace-tasks 301\n");
	return 0;
}
