/* SPDX-License-Identifier: MIT */
/* calls.c - 50 tasks of which each allocates 3 times, frees 2 blocks and draws 10 numbers; and 50
 * that do none of it. */
#include <stdlib.h>

static void *volatile kept;
static volatile long sum;

static void draw(void)
{
	for (int k = 0; k < 5; k++)
		sum = rand() + random();
	kept = malloc(100);
	kept = realloc(kept, 5000);
	free(kept);
	kept = calloc(3, 7);
	free(kept);
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 50; i++) {
#pragma omp task
		draw();
#pragma omp task
		sum = i;
	}
	return 0;
}
