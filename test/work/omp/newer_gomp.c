/* SPDX-License-Identifier: MIT */
/* GOMP_barrier_ext, GOMP_barrier_cancel_ext, GOMP_taskwait_depend_nowait, called as newer
 * compilers do. */
// not-on: libomp
// lib: newer_gomp_so.c
#include <stdbool.h>
#include <stdio.h>

void GOMP_barrier_ext(int kind);
bool GOMP_barrier_cancel_ext(int kind);
void GOMP_taskwait_depend_nowait(void **depend);

int main(void)
{
	int arrived = 0, late = 0, x = 0, y = 0;

#pragma omp parallel num_threads(3)
	{
#pragma omp atomic
		arrived++;
		GOMP_barrier_ext(2);
		if (arrived != 3)
#pragma omp atomic
			late++;
		if (GOMP_barrier_cancel_ext(0))
#pragma omp atomic
			late++;
#pragma omp master
		{
			/* y is written after x, because the empty task reads x and writes y */
			void *depend[] = { (void *)2, (void *)1, &y, &x };

#pragma omp task depend(out : x) shared(x)
			x = 5;
			GOMP_taskwait_depend_nowait(depend);
#pragma omp task depend(inout : y) shared(x, y)
			y = x + 1;
#pragma omp taskwait
		}
	}
	printf("arrived %d late %d x %d y %d\n", arrived, late, x, y);
	return late || y != 6;
}
