/* fib.c - tasks that create tasks: fib(n) has 2 fib(n + 1) - 1 calls, each but the first a task */
#include <qthread/qthread.h>
#include <stdio.h>

static aligned_t fib(void *arg)
{
	uintptr_t n = (uintptr_t)arg;
	aligned_t a, b;

	if (n < 2)
		return n;
	qthread_fork(fib, (void *)(n - 1), &a);
	qthread_fork(fib, (void *)(n - 2), &b);
	qthread_readFF(NULL, &a);
	qthread_readFF(&b, &b);
	return a + b;
}

int main(void)
{
	aligned_t result;

	qthread_initialize();
	qthread_fork(fib, (void *)16, &result);
	qthread_readFF(NULL, &result);
	printf("fib(16) = %lu\n", (unsigned long)result);
	printf("tptrace-edges join=3193 sync=0\n");
	printf("tptrace-tasks 3193\n");
	return 0;
}
