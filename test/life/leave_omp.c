/* SPDX-License-Identifier: MIT */
/* leave_omp.c - the tasks of leave.c, with OpenMP. */
void burst(void (*run)(void), _Atomic long *n_made);

void burst(void (*run)(void), _Atomic long *n_made)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 1000; i++) {
		for (int k = 0; k < 32; k++) {
			++*n_made;
#pragma omp task
			run();
		}
#pragma omp taskwait
	}
}
