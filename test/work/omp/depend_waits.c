/* SPDX-License-Identifier: MIT */
/* Who waits for predecessors: a task if(0) depend(..), which GOMP_task then runs itself, and
 * taskwait depend(..), GOMP_taskwait_depend, with old and new depend arrays. */
// not-on: old-libomp
#include <omp.h>
#include <stdio.h>

static unsigned undeferred(void)
{
	unsigned a = 1, n_wrong = 0;

	for (int i = 0; i < 60; i++) {
		unsigned before = a, after = 0;

#pragma omp task depend(inout : a) shared(a) firstprivate(i)
		a = a * 5 + i;
#pragma omp task depend(inout : a) if (0) shared(a, after)
		after = a += 2;
		n_wrong += after != before * 5 + i + 2;
	}
	return n_wrong;
}

static unsigned taskwaits(void)
{
	unsigned a = 1, b = 1, sum = 0;
	omp_depend_t set_b;

#pragma omp depobj(set_b) depend(mutexinoutset : b)
	for (unsigned i = 0; i < 40; i++) {
#pragma omp task depend(inout : a) shared(a)
		a = a * 3 + i;
#pragma omp task depend(inout : b) shared(b)
		b = b * 7 + i;
#pragma omp taskwait depend(in : a)
		sum = sum * 31 + a;
		if (i % 4 == 0) {
#pragma omp taskwait depend(inout : a) depend(depobj : set_b)
			sum = sum * 31 + b;
		}
	}
#pragma omp taskwait
#pragma omp depobj(set_b) destroy
	return sum + a * b;
}

int main(void)
{
	unsigned n_wrong = 1, sum = 0;

#pragma omp parallel
#pragma omp single
	{
		n_wrong = undeferred();
		sum = taskwaits();
	}
	printf("wrong %u sum %u\n", n_wrong, sum);
	printf("tptrace-tasks 200\n");
	return n_wrong != 0;
}
