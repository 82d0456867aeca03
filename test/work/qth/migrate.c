/* migrate.c - tasks that move from shepherd to shepherd, and keep their own */
#include <qthread/qthread.h>
#include <stdio.h>

static aligned_t wrong;

static aligned_t one(void *arg)
{
	return (uintptr_t)arg + 1;
}

static aligned_t wander(void *arg)
{
	uintptr_t me = (uintptr_t)arg, sum = me;

	for (unsigned i = 0; i < 20; i++) {
		qthread_shepherd_id_t to = (me + i) % qthread_num_shepherds();
		aligned_t ret;

		if (qthread_migrate_to(to) != QTHREAD_SUCCESS || qthread_shep() != to)
			qthread_incr(&wrong, 1);
		qthread_fork(one, (void *)sum, &ret);
		qthread_readFF(&sum, &ret);
	}
	return sum;
}

int main(void)
{
	aligned_t ret[6];
	int status;

	qthread_initialize();
	for (uintptr_t i = 0; i < 6; i++)
		qthread_fork(wander, (void *)(i * 100), &ret[i]);
	status = qthread_migrate_to(0);
	for (int i = 0; i < 6; i++)
		qthread_readFF(NULL, &ret[i]);
	printf("%d %lu:", status, (unsigned long)wrong);
	for (int i = 0; i < 6; i++)
		printf(" %lu", (unsigned long)ret[i]);
	printf("\ntptrace-edges join=%d\n", 6 * 21);
	printf("tptrace-tasks %d\n", 6 * 21);
	return 0;
}
