/* SPDX-License-Identifier: MIT */
/* firstprivate of 64 KiB: GOMP_task with a large arg_size, copied by memcpy. */
// not-on: gcc-on-libomp
#include <stdio.h>

struct big {
	unsigned word[16384];
};

int main(void)
{
	static struct big b;
	unsigned long sum = 0;

#pragma omp parallel
#pragma omp single
	for (unsigned i = 0; i < 40; i++) {
		for (unsigned k = 0; k < 16384; k++)
			b.word[k] = k * 2654435761u + i;
#pragma omp task firstprivate(b) if (i % 4) shared(sum)
		{
			unsigned long s = 0;

			for (unsigned k = 0; k < 16384; k++)
				s = s * 31 + b.word[k];
#pragma omp atomic
			sum += s;
		}
	}
	printf("sum %lx\n", sum);
	printf("tptrace-tasks 40\n");
	return 0;
}
