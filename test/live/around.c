/* SPDX-License-Identifier: MIT */
/* around.c [kill] - 200 ms before a parallel region, and 100 ms after it; then it ends, or is killed. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	(void)argv;
	usleep(200000);
#pragma omp parallel num_threads(2)
	usleep(1000);
	usleep(100000);
	if (argc > 1)
		raise(SIGKILL);
	puts("done");
	return 0;
}
