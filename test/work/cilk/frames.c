// SPDX-License-Identifier: MIT
// needs: gcc11
// flags: -lm
// What a function keeps over a spawn: values of all kinds, memory of its stack, rounding.
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "lowered.h"

static void child(int *to, int n)
{
	usleep(1000);
	*to = n;
}

CILK_HELPER(spawn_child, (int *to, int n), child(to, n))

static __attribute__((noinline)) double kept(int n, double x, float y, long a, long b, long c)
{
	char *room = alloca((size_t)(n + 1));
	int got[8];
	double z = x * y;
	long d = a * b, e = b * c, f = c - a;

	for (int i = 0; i < n; i++)
		room[i] = (char)i;
	CILK_ENTER;
	for (int i = 0; i < 8; i++) {
		CILK_SPAWN(spawn_child, &got[i], i);
		z += x / 3;
		d += e ^ f;
	}
	for (int i = 0; i < n; i++)
		z += room[i];
	CILK_SYNC;
	for (int i = 0; i < 8; i++)
		z += got[i];
	CILK_LEAVE;
	return z + (double)(a + b + c + d + e + f) + y;
}

int main(void)
{
	printf("%.6f\n", kept(100, 1.25, 3.5f, 3, 5, 7));
	fesetround(FE_UPWARD);
	printf("%.17g\n", kept(10, 1.1, 3.3f, 3, 5, 7));
	printf("%s\n", fegetround() == FE_UPWARD ? "upward" : "changed");
	fesetround(FE_TONEAREST);
	puts("tptrace-tasks 16");
	return 0;
}
