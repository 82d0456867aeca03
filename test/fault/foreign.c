/* SPDX-License-Identifier: MIT */
/* foreign.c - thread 1 makes tasks, and thread 0 runs some: without a ring for thread 1 those make
 * theirs unseen. */
#include <stdatomic.h>
#include <stdio.h>
#include <omp.h>
#include <unistd.h>

#define TASKS 20

int main(void)
{
	static atomic_int n_done, n_foreign; /* n_foreign: begun by thread 0 */

#pragma omp parallel num_threads(2)
	for (int i = 0; i < TASKS && omp_get_thread_num() == 1; i++) {
#pragma omp task
		{
			n_foreign += omp_get_thread_num() == 0;
			while (!n_foreign)
				usleep(1000);
#pragma omp task
			n_done++;
#pragma omp taskwait
		}
	}
	printf("%d %s\n", n_done, n_foreign ? "moved" : "stayed");
	return n_done != TASKS;
}
