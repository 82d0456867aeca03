/* SPDX-License-Identifier: MIT */
/* parallel proc_bind(..): GOMP_parallel with the policy in its flags. */
// env: OMP_PLACES=cores
#include <omp.h>
#include <stdio.h>

int main(void)
{
	int n = 0, bind[3] = { 0 };

#pragma omp parallel proc_bind(spread) num_threads(3)
	{
#pragma omp atomic
		n++;
#pragma omp master
		bind[0] = omp_get_proc_bind();
	}
#pragma omp parallel proc_bind(close) num_threads(2)
	{
#pragma omp atomic
		n++;
#pragma omp task shared(n)
#pragma omp atomic
		n++;
	}
#pragma omp parallel for proc_bind(master) num_threads(2) schedule(dynamic)
	for (int i = 0; i < 10; i++)
#pragma omp atomic
		n++;
	printf("n %d bind %d\n", n, bind[0] == omp_get_proc_bind());
	printf("tptrace-tasks 2\n");
	return n != 17;
}
