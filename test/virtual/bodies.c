/* SPDX-License-Identifier: MIT */
/* bodies.c - tasks in every form in which their code is handed to the runtime; says how many ran.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static atomic_int n_ran;

struct wide {
	char bytes[2000];
};

/* Kept apart, so that each form is a kind of its own. */
static void run(int spin)
{
	for (volatile int i = 0; i < spin; i++)
		;
	n_ran++;
}

int main(void)
{
	struct wide wide;
	int chain = 0;

	memset(&wide, 1, sizeof(wide));
#pragma omp parallel
#pragma omp master
	{
		for (int i = 0; i < 12; i++) {
			usleep(i % 4 ? 0 : 2000); /* the creator sleeps while tasks wait */
#pragma omp task firstprivate(i)
			run(1000 + i);
#pragma omp task firstprivate(wide)
			run(wide.bytes[i] * 2000);
#pragma omp task depend(inout : chain)
			run(3000);
#pragma omp task if (0)
			run(500);
		}
#pragma omp taskloop num_tasks(6)
		for (int i = 0; i < 6; i++)
			run(4000);
#pragma omp taskwait
	}
	printf("%d ran\n", n_ran);
	return 0;
}
