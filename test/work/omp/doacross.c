/* SPDX-License-Identifier: MIT */
/* ordered(2) depend(sink, source): GOMP_loop_doacross_{static,dynamic,guided,runtime}_start,
 * GOMP_doacross_wait, GOMP_doacross_post. */
#include <stdio.h>

#define N 12

static unsigned a[N][N];

static void cell(int i, int k)
{
	a[i][k] = a[i - 1][k] * 3 + a[i][k - 1] * 5 + 1;
}

static unsigned wave_hash(void)
{
	unsigned h = 0;

	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++) {
			h = h * 31 + a[i][k];
			a[i][k] = i + k;
		}
	return h;
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define WAVE(...)                                                                                  \
	PRAGMA(omp parallel for ordered(2) schedule(__VA_ARGS__))                                  \
	for (int i = 1; i < N; i++)                                                                \
		for (int k = 1; k < N; k++) {                                                      \
			PRAGMA(omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1))        \
			cell(i, k);                                                                \
			PRAGMA(omp ordered depend(source))                                         \
		}

int main(void)
{
	unsigned h[4];

	wave_hash();
	WAVE(static, 1)
	h[0] = wave_hash();
	WAVE(dynamic)
	h[1] = wave_hash();
	WAVE(guided)
	h[2] = wave_hash();
	WAVE(runtime)
	h[3] = wave_hash();
	printf("hash %u %u %u %u\n", h[0], h[1], h[2], h[3]);
	printf("tptrace-tasks 0\n");
	return h[0] != h[1] || h[1] != h[2] || h[2] != h[3];
}
