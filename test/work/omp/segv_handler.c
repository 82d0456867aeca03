/* SPDX-License-Identifier: MIT */
/* A program that recovers from its own SIGSEGV by siglongjmp inside one task. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static __thread sigjmp_buf *here;

static void on_segv(int sig)
{
	siglongjmp(*here, 1);
}

static int fault(void)
{
	sigjmp_buf buf;
	int recovered = 0;
	volatile int *volatile null = NULL;

	here = &buf;
	if (sigsetjmp(buf, 1) == 0)
		*null = 1;
	else
		recovered = 1;
	return recovered;
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_segv, .sa_flags = SA_NODEFER };
	int n = 0;

	sigaction(SIGSEGV, &sa, NULL);
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 50; i++)
#pragma omp task shared(n)
	{
		int f = fault();
#pragma omp atomic
		n += f;
	}
	printf("recovered %d\n", n);
	printf("tptrace-tasks 50\n");
	return n != 50;
}
