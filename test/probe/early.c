/* SPDX-License-Identifier: MIT */
/* early.c - a library that runs tasks in its constructor, before that of any probe; and its
 * program. */
#ifdef LIBRARY
volatile int n_tasks;

__attribute__((constructor)) static void run_tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 20; i++) {
#pragma omp task
#pragma omp atomic
		n_tasks++;
	}
}
#else
extern volatile int n_tasks;

int main(void)
{
	return n_tasks != 20;
}
#endif
