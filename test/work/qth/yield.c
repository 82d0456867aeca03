/* yield.c - tasks that take turns */
#include <qthread/qthread.h>
#include <stdio.h>

static volatile aligned_t turn;

static aligned_t player(void *arg)
{
	uintptr_t me = (uintptr_t)arg;

	for (aligned_t i = 0; i < 20; i++) {
		while (qthread_incr(&turn, 0) % 3 != me)
			qthread_yield();
		qthread_incr(&turn, 1);
	}
	return 0;
}

int main(void)
{
	aligned_t ret[3];

	qthread_initialize();
	for (uintptr_t i = 0; i < 3; i++)
		qthread_fork_to(player, (void *)i, &ret[i], i);
	for (int i = 0; i < 3; i++)
		qthread_readFF(NULL, &ret[i]);
	printf("%lu\n", (unsigned long)turn);
	printf("tptrace-tasks 3\n");
	return 0;
}
