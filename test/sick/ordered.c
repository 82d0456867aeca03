/* SPDX-License-Identifier: MIT */
/* ordered.c - a loop does all its work in its ordered part.  FIXED: it keeps what it makes, for
 * later. */
#include "spin.h"

int main(void)
{
	static int made[1000];
	int sum = 0;

#pragma omp parallel for schedule(dynamic, 1) num_threads(2) ordered
	for (int i = 0; i < 1000; i++) {
#ifndef FIXED
#pragma omp ordered
#endif
		{
			spin_us(200);
			made[i] = i;
		}
	}
	for (int i = 0; i < 1000; i++)
		sum += made[i];
	return sum != 499500;
}
