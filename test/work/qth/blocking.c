/* blocking.c - stretches of code that may block a thread, and have one of their own for it */
#include <qthread/qthread.h>
#include <stdio.h>
#include <unistd.h>

void qt_begin_blocking_action(void); /* in no header */
void qt_end_blocking_action(void);

static aligned_t one(void *arg)
{
	return (uintptr_t)arg;
}

static aligned_t sleeper(void *arg)
{
	aligned_t ret, other;

	qt_begin_blocking_action();
	usleep(2000);
	qthread_fork(one, arg, &other);
	qt_end_blocking_action();
	qthread_fork(one, arg, &ret);
	qthread_readFF(NULL, &ret);
	qthread_readFF(NULL, &other);
	return ret + other;
}

int main(void)
{
	aligned_t slept[5];

	qthread_initialize();
	for (uintptr_t i = 0; i < 5; i++)
		qthread_fork(sleeper, (void *)i, &slept[i]);
	for (int i = 0; i < 5; i++) {
		qthread_readFF(NULL, &slept[i]);
		printf("%lu\n", (unsigned long)slept[i]);
	}
	printf("tptrace-tasks 15\n");
	return 0;
}
