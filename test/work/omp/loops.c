/* SPDX-License-Identifier: MIT */
/*
 * Loops of every schedule, of signed and unsigned long long bounds, in a region and as one, plain
 * and ordered: GOMP_parallel for static and auto, GOMP_parallel_loop_*, GOMP_loop_* and
 * GOMP_loop_ull_*, of {nonmonotonic_,}{dynamic,guided,runtime}, maybe_nonmonotonic_runtime and
 * ordered_*, GOMP_loop_end and _end_nowait, GOMP_ordered_start and _end.
 */
// env: OMP_SCHEDULE=guided,2
#include <omp.h>
#include <stdio.h>

#define MID (1ull << 63)
typedef unsigned long long ull;

static ull sum;
static unsigned order;

static void add(ull i)
{
#pragma omp atomic
	sum += i;
}

static void add_ordered(ull i)
{
#pragma omp ordered
	order = order * 31 + (unsigned)i;
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define LOOP(construct, type, first, more, step)                                                   \
	PRAGMA(omp construct)                                                                      \
	for (type i = first; more; step)                                                           \
		add((ull)i)
#define ORDERED(construct, type, first, more)                                                      \
	PRAGMA(omp construct)                                                                      \
	for (type i = first; more; i++)                                                            \
		add_ordered((ull)i)
#define SCHEDULE(kind)                                                                             \
	LOOP(for schedule(kind, 3), int, 0, i < 100, i++);                                         \
	LOOP(for schedule(monotonic : kind) nowait, int, 100, i > 0, i--);                         \
	PRAGMA(omp for schedule(nonmonotonic : kind) nowait)                                       \
	for (long i = 0; i < 20; i++) {                                                            \
		PRAGMA(omp task)                                                                   \
		add(1);                                                                            \
	}

static void regions(void)
{
	LOOP(parallel for schedule(static), int, 0, i < 100, i++);
	LOOP(parallel for schedule(static, 3), int, 0, i < 100, i++);
	LOOP(parallel for schedule(dynamic, 3), int, 100, i > 0, i -= 2);
	LOOP(parallel for schedule(guided, 2), long, -50, i < 50, i++);
	LOOP(parallel for schedule(runtime), int, 0, i < 100, i++);
	LOOP(parallel for schedule(auto), int, 0, i < 100, i++);
	LOOP(parallel for schedule(monotonic : dynamic, 3), int, 0, i < 100, i++);
	LOOP(parallel for schedule(monotonic : guided), int, 0, i < 100, i++);
	LOOP(parallel for schedule(monotonic : runtime), int, 0, i < 100, i++);
	LOOP(parallel for schedule(nonmonotonic : dynamic) num_threads(3), int, 0, i < 100, i++);
	LOOP(parallel for schedule(nonmonotonic : guided) if (0), int, 0, i < 100, i++);
	LOOP(parallel for schedule(dynamic), ull, MID, i < MID + 10, i++);
	ORDERED(parallel for ordered schedule(dynamic), int, 200, i < 250);
#pragma omp parallel for schedule(nonmonotonic : runtime) collapse(2)
	for (int i = 0; i < 10; i++)
		for (int k = 0; k < 10; k++)
			add((ull)(i * 10 + k));
}

static void in_a_region(void)
{
#pragma omp parallel
	for (int k = 0; k < 10; k++) {
		SCHEDULE(dynamic)
		SCHEDULE(guided)
	}
#pragma omp parallel
	{
		LOOP(for schedule(static), int, 0, i < 1000, i++);
		LOOP(for schedule(static, 7) nowait, int, 0, i < 1000, i++);
		ORDERED(for ordered schedule(static, 1), int, 0, i < 50);
		ORDERED(for ordered schedule(dynamic, 2), int, 50, i < 100);
		ORDERED(for ordered schedule(guided), int, 100, i < 150);
		ORDERED(for ordered schedule(runtime), int, 150, i < 200);
	}
}

static void unsigned_bounds(void)
{
#pragma omp parallel
	{
		LOOP(for schedule(dynamic, 3), ull, MID - 50, i < MID + 50, i++);
		LOOP(for schedule(monotonic : dynamic, 3), ull, MID + 50, i > MID - 50, i -= 4);
		LOOP(for schedule(guided) nowait, ull, MID, i < MID + 100, i++);
		LOOP(for schedule(monotonic : guided), ull, MID + 100, i > MID, i--);
		LOOP(for schedule(runtime), ull, ~0ull, i > ~0ull - 100, i--);
		LOOP(for schedule(monotonic : runtime), ull, MID, i < MID + 100, i += 7);
		LOOP(for schedule(nonmonotonic : runtime), ull, MID, i < MID + 100, i += 9);
		ORDERED(for schedule(dynamic) ordered, ull, MID + 1, i < MID + 5);
		ORDERED(for schedule(static, 1) ordered, ull, MID + 5, i < MID + 7);
		ORDERED(for schedule(guided) ordered, ull, MID + 7, i < MID + 9);
		ORDERED(for schedule(runtime) ordered, ull, MID + 9, i < MID + 10);
	}
}

/* The schedule that the program sets itself; of the environment's in the functions above. */
static void set_schedules(void)
{
	static const omp_sched_t kinds[] = { omp_sched_static, omp_sched_dynamic, omp_sched_guided,
					     omp_sched_auto };

	for (int k = 0; k < 4; k++) {
		omp_set_schedule(kinds[k], k + 1);
#pragma omp parallel
		{
			LOOP(for schedule(runtime), int, 0, i < 100, i++);
			LOOP(for schedule(monotonic : runtime), int, 0, i < 100, i++);
			LOOP(for schedule(nonmonotonic : runtime) nowait, int, 0, i < 100, i++);
		}
	}
}

int main(void)
{
	regions();
	in_a_region();
	unsigned_bounds();
	set_schedules();
	printf("sum %llu order %u\n", sum, order);
	printf("tptrace-tasks 400\n");
	return 0;
}
