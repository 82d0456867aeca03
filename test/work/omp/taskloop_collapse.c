/* SPDX-License-Identifier: MIT */
/* taskloop collapse(3) and taskloop simd: GOMP_taskloop over one folded iteration space. */
// not-on: bare
#include <stdio.h>

int main(void)
{
	unsigned char hit[4][5][6] = { { { 0 } } };
	float f[64];
	long sum = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop collapse(3) num_tasks(11) shared(hit)
		for (int i = 0; i < 4; i++)
			for (long j = 5; j > 0; j--)
				for (unsigned k = 0; k < 12; k += 2)
					hit[i][j - 1][k / 2]++;
#pragma omp taskloop simd num_tasks(4) shared(f)
		for (int i = 0; i < 64; i++)
			f[i] = i * 0.5f;
	}
	for (int i = 0; i < 120; i++)
		sum = sum * 3 % 1000003 + (&hit[0][0][0])[i];
	for (int i = 0; i < 64; i++)
		sum += (long)(f[i] * 2);
	printf("sum %ld\n", sum);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 15\n");
	return 0;
}
