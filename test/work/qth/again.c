/* again.c - the library is started, ended and started again */
#include <qthread/qthread.h>
#include <stdio.h>

static aligned_t square(void *arg)
{
	return (uintptr_t)arg * (uintptr_t)arg;
}

int main(void)
{
	for (uintptr_t round = 1; round <= 3; round++) {
		aligned_t ret[10], sum = 0;

		qthread_initialize();
		for (uintptr_t i = 0; i < 10; i++)
			qthread_fork(square, (void *)(i * round), &ret[i]);
		for (int i = 0; i < 10; i++) {
			qthread_readFF(NULL, &ret[i]);
			sum += ret[i];
		}
		printf("%lu\n", (unsigned long)sum);
		qthread_finalize();
	}
	printf("tptrace-tasks 30\n");
	return 0;
}
