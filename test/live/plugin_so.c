/* SPDX-License-Identifier: MIT */
/* plugin_so.c - a plugin whose code is called NAME, and is as long whatever that is. */
static volatile int n_run;

static void __attribute__((noinline)) NAME(int n_tasks)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < n_tasks; i++) {
#pragma omp task
		n_run = i;
	}
}

void plugin_run(int n_tasks)
{
	NAME(n_tasks);
}
