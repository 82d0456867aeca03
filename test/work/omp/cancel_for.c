/* SPDX-License-Identifier: MIT */
/* cancel for: GOMP_cancel(2), GOMP_cancellation_point(2), of static and
 * dynamic loops. */
// env: OMP_CANCELLATION=true
#include <stdio.h>

int main(void)
{
	int found[2] = { -1, -1 }, n_after = 0;

#pragma omp parallel
	{
#pragma omp for schedule(dynamic, 2)
		for (int i = 0; i < 1000; i++) {
#pragma omp cancellation point for
			if (i == 321) {
				found[0] = i;
#pragma omp cancel for
				n_after++;
			}
		}
#pragma omp for schedule(static)
		for (int i = 0; i < 1000; i++) {
			if (i == 123) {
				found[1] = i;
#pragma omp cancel for
				n_after++;
			}
#pragma omp cancellation point for
		}
	}
	printf("found %d %d after %d\n", found[0], found[1], n_after);
	printf("tptrace-tasks 0\n");
	return found[0] != 321 || found[1] != 123 || n_after;
}
