/* SPDX-License-Identifier: MIT */
/* A timer's signal handler that interrupts tasks and waits, with errno changed and restored in it.
 * */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile sig_atomic_t n_signals;

static void on_signal(int sig)
{
	int error = errno;

	n_signals += sig == SIGALRM;
	errno = error;
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct itimerval every = { { 0, 500 }, { 0, 500 } }, off = { { 0, 0 }, { 0, 0 } };
	long n = 0, rounds = 0;

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (n_signals < 20) {
		n = 0;
#pragma omp parallel
#pragma omp single
		for (int i = 0; i < 500; i++)
#pragma omp task shared(n)
#pragma omp atomic
			n++;
		rounds += n != 500;
	}
	setitimer(ITIMER_REAL, &off, NULL);
	printf("signalled %d wrong rounds %ld\n", n_signals >= 20, rounds);
	return rounds != 0;
}
