/* sinc.c - tasks that submit to a sinc when they end, and submissions by hand */
#include <qthread/qthread.h>
#include <qthread/sinc.h>
#include <stdio.h>

static void add(void *to, const void *value)
{
	*(aligned_t *)to += *(const aligned_t *)value;
}

static aligned_t total;

static aligned_t count(void *arg)
{
	qthread_incr(&total, (uintptr_t)arg);
	return (uintptr_t)arg;
}

static aligned_t submit(void *arg)
{
	qthread_incr(&total, 1);
	qthread_yield();
	qt_sinc_submit(arg, NULL);
	return 0;
}

/* The sinc grows while its tasks run. */
static aligned_t grow(void *arg)
{
	qt_sinc_t *sinc = ((void **)arg)[0];
	uintptr_t depth = (uintptr_t)((void **)arg)[1];

	qthread_incr(&total, 1);
	if (depth > 0) {
		void *args[2] = { sinc, (void *)(depth - 1) };

		qt_sinc_expect(sinc, 2);
		for (int i = 0; i < 2; i++)
			qthread_spawn(grow, args, sizeof(args), sinc, 0, NULL, NO_SHEPHERD,
				      QTHREAD_SPAWN_RET_SINC_VOID);
	}
	return 0;
}

int main(void)
{
	aligned_t zero = 0, sum = 0;
	qt_sinc_t *sinc, on_stack;
	void *args[2];

	qthread_initialize();
	sinc = qt_sinc_create(0, NULL, NULL, 50);
	for (uintptr_t i = 0; i < 50; i++)
		qthread_spawn(count, (void *)i, 0, sinc, 0, NULL, NO_SHEPHERD,
			      QTHREAD_SPAWN_RET_SINC_VOID);
	qt_sinc_wait(sinc, NULL);
	printf("%lu\n", (unsigned long)total);
	qt_sinc_reset(sinc, 30);
	for (int i = 0; i < 30; i++)
		qthread_fork(submit, sinc, NULL);
	qt_sinc_wait(sinc, NULL);
	printf("%lu\n", (unsigned long)total);
	qt_sinc_destroy(sinc);

	sinc = qt_sinc_create(sizeof(aligned_t), &zero, add, 20);
	for (uintptr_t i = 1; i <= 20; i++)
		qthread_spawn(count, (void *)i, 0, sinc, 0, NULL, NO_SHEPHERD,
			      QTHREAD_SPAWN_RET_SINC);
	qt_sinc_wait(sinc, &sum);
	printf("%lu %lu\n", (unsigned long)total, (unsigned long)sum);
	qt_sinc_destroy(sinc);

	qt_sinc_init(&on_stack, 0, NULL, NULL, 1);
	args[0] = &on_stack;
	args[1] = (void *)5;
	qthread_spawn(grow, args, sizeof(args), &on_stack, 0, NULL, NO_SHEPHERD,
		      QTHREAD_SPAWN_RET_SINC_VOID);
	qt_sinc_wait(&on_stack, NULL);
	qt_sinc_fini(&on_stack);
	printf("%lu\n", (unsigned long)total);
	printf("tptrace-edges join=%d\n", 50 + 20 + 63);
	printf("tptrace-tasks %d\n", 50 + 30 + 20 + 63);
	return 0;
}
