/* SPDX-License-Identifier: MIT */
/* cancel taskgroup with dependences and cpyfn-less children: how many tasks begin is unknown, but
 * what ran is consistent and the next group is whole. */
// env: OMP_CANCELLATION=true
#include <stdio.h>

int main(void)
{
	int a = 0, wrong = 0, whole = 0, b = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup
		for (int i = 0; i < 40; i++)
#pragma omp task depend(inout : a) shared(a, wrong)
		{
			wrong += a != i;
			a = i + 1;
			if (i == 20) {
#pragma omp cancel taskgroup
				wrong++;
			}
		}
#pragma omp taskgroup
		for (int i = 0; i < 40; i++)
#pragma omp task depend(inout : b) shared(b, whole)
			whole += b++ == i;
	}
	printf("a %d wrong %d whole %d\n", a, wrong, whole);
	return wrong || whole != 40 || a != 21;
}
