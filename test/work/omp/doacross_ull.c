/* SPDX-License-Identifier: MIT */
/* ordered(1) depend(sink, source) over unsigned long long: GOMP_loop_ull_doacross_{static,dynamic,
 * guided,runtime}_start, GOMP_doacross_ull_wait, GOMP_doacross_ull_post. */
// not-on: gcc-on-libomp
// env: OMP_SCHEDULE=dynamic,2
#include <stdio.h>

#define MID (1ull << 63)
#define N   60
typedef unsigned long long ull;

static unsigned a[N + 1];

static void step(ull i)
{
	a[i - MID] = a[i - MID - 1] * 31 + (unsigned)(i - MID);
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define STEPS(...)                                                                                 \
	a[N] = 0;                                                                                  \
	PRAGMA(omp parallel for ordered(1) schedule(__VA_ARGS__))                                  \
	for (ull i = begin; i <= end; i++) {                                                       \
		PRAGMA(omp ordered depend(sink : i - 1))                                           \
		step(i);                                                                           \
		PRAGMA(omp ordered depend(source))                                                 \
	}                                                                                          \
	wrong += a[N] != want

int main(void)
{
	volatile ull mid = MID; /* of constant bounds gcc makes the signed calls */
	ull begin = mid + 1, end = mid + N;
	unsigned want = 1, wrong = 0;

	for (unsigned i = 1; i <= N; i++)
		want = want * 31 + i;
	a[0] = 1;
	STEPS(static, 1);
	STEPS(dynamic);
	STEPS(guided);
	STEPS(runtime);
	printf("last %u wrong %u\n", a[N], wrong);
	printf("tptrace-tasks 0\n");
	return wrong != 0;
}
