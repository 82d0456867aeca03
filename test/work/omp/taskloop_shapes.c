/* SPDX-License-Identifier: MIT */
/* taskloop grainsize(..), which makes floor(n / grain) tasks, collapse(3) and simd: GOMP_taskloop
 * with GRAINSIZE and over one folded iteration space. */
// not-on: bare
#include <stdio.h>

static long sum;

static void add(long i)
{
#pragma omp atomic
	sum += i;
}

int main(void)
{
	unsigned char hit[4][5][6] = { { { 0 } } };
	float f[64];

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop grainsize(7)
		for (int i = 0; i < 100; i++)
			add(i);
#pragma omp taskloop grainsize(200) untied priority(1)
		for (int i = 0; i < 100; i++)
			add(i);
#pragma omp taskloop grainsize(1) mergeable
		for (int i = 0; i < 100; i++)
			add(i);
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
	printf("tptrace-tasks %d\n", 100 / 7 + 1 + 100 + 11 + 4);
	return 0;
}
