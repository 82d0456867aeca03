// part-of: plugin.c
/* plugged.c - what the plugin does */
#include <qthread/qthread.h>

static aligned_t one(void *arg)
{
	return (uintptr_t)arg;
}

int run(void)
{
	aligned_t ret[100], sum = 0;

	qthread_initialize();
	for (uintptr_t i = 0; i < 100; i++)
		qthread_fork(one, (void *)i, &ret[i]);
	for (int i = 0; i < 100; i++) {
		qthread_readFF(NULL, &ret[i]);
		sum += ret[i];
	}
	qthread_finalize();
	return (int)sum;
}
