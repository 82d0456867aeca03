/* queue.c - tasks that wait in a queue until they are released */
#include <qthread/qthread.h>
#include <stdio.h>

#define TASKS 12

static qthread_queue_t queue;
static aligned_t released;

static aligned_t join(void *arg)
{
	qthread_queue_join(queue);
	qthread_incr(&released, 1);
	return (uintptr_t)arg;
}

int main(void)
{
	aligned_t ret[TASKS], sum = 0;

	qthread_initialize();
	queue = qthread_queue_create(QTHREAD_QUEUE_MULTI_JOIN_LENGTH, 0);
	for (uintptr_t i = 0; i < TASKS; i++)
		qthread_fork(join, (void *)i, &ret[i]);
	while (qthread_queue_length(queue) != TASKS)
		qthread_yield();
	for (aligned_t i = 1; i <= 3; i++) {
		qthread_queue_release_one(queue);
		while (qthread_incr(&released, 0) != i)
			qthread_yield();
	}
	qthread_queue_release_all(queue);
	for (int i = 0; i < TASKS; i++) {
		qthread_readFF(NULL, &ret[i]);
		sum += ret[i];
	}
	qthread_queue_destroy(queue);
	printf("%lu\n", (unsigned long)sum);
	printf("tptrace-tasks %d\n", TASKS);
	return 0;
}
