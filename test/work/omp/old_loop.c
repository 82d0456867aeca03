/* SPDX-License-Identifier: MIT */
/* As gcc 4.4 to 4.8 compiled it: GOMP_parallel_loop_{static,dynamic,guided,runtime}_start with
 * GOMP_loop_{static,dynamic,guided,runtime}_next, GOMP_loop_end_nowait, GOMP_parallel_end. */
// env: OMP_SCHEDULE=dynamic,4
#include <stdbool.h>
#include <stdio.h>

typedef void (*body)(void *);

void GOMP_parallel_loop_static_start(body, void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_dynamic_start(body, void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_guided_start(body, void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_runtime_start(body, void *, unsigned, long, long, long);
void GOMP_parallel_end(void);
bool GOMP_loop_static_next(long *, long *);
bool GOMP_loop_dynamic_next(long *, long *);
bool GOMP_loop_guided_next(long *, long *);
bool GOMP_loop_runtime_next(long *, long *);
void GOMP_loop_end_nowait(void);

#define BODY(schedule)                                           \
	static void schedule##_body(void *data)                  \
	{                                                        \
		long begin, end;                                 \
								 \
		while (GOMP_loop_##schedule##_next(&begin, &end)) \
			for (long i = begin; i < end; i++)       \
				__sync_fetch_and_add((long *)data, i); \
		GOMP_loop_end_nowait();                          \
	}

BODY(static)
BODY(dynamic)
BODY(guided)
BODY(runtime)

int main(void)
{
	long sum[4] = { 0 };

	for (int k = 0; k < 5; k++) {
		GOMP_parallel_loop_static_start(static_body, &sum[0], 0, 0, 100, 1, k);
		static_body(&sum[0]);
		GOMP_parallel_end();
		GOMP_parallel_loop_dynamic_start(dynamic_body, &sum[1], 0, 0, 100, 1, 3);
		dynamic_body(&sum[1]);
		GOMP_parallel_end();
		GOMP_parallel_loop_guided_start(guided_body, &sum[2], 3, 0, 100, 1, 2);
		guided_body(&sum[2]);
		GOMP_parallel_end();
		GOMP_parallel_loop_runtime_start(runtime_body, &sum[3], 1, 0, 100, 1);
		runtime_body(&sum[3]);
		GOMP_parallel_end();
	}
	printf("sums %ld %ld %ld %ld\n", sum[0], sum[1], sum[2], sum[3]);
	printf("tptrace-tasks 0\n");
	return sum[0] != 24750 || sum[1] != 24750 || sum[2] != 24750 || sum[3] != 24750;
}
