/* SPDX-License-Identifier: MIT */
/* GOMP_taskloop and GOMP_taskloop_ull called by hand: start and end in the first two words,
 * arguments aligned to 64, cpyfn and not, if(0), zero iterations. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

void GOMP_parallel(void (*fn)(void *), void *data, unsigned n_threads, unsigned flags);
void GOMP_taskloop(void (*fn)(void *), void *data, void (*cpy)(void *, void *), long size,
		   long align, unsigned flags, unsigned long n_tasks, int priority, long start,
		   long end, long step);
void GOMP_taskloop_ull(void (*fn)(void *), void *data, void (*cpy)(void *, void *), long size,
		       long align, unsigned flags, unsigned long n_tasks, int priority, ull start,
		       ull end, ull step);

#define UP	  (1u << 8)
#define GRAINSIZE (1u << 9)
#define IF	  (1u << 10)

struct args {
	long start, end;
	long pad[6], step, mark;
} __attribute__((aligned(64)));

static long n_tasks, n_wrong, sum;
static ull ull_sum;

static int args_wrong(const volatile struct args *a)
{
	__sync_fetch_and_add(&n_tasks, 1);
	return (uintptr_t)a % 64 != 0 || a->mark != 0x5a5a || a->pad[0] != 11 || a->pad[5] != 16;
}

static void body(void *data)
{
	struct args *a = data;

	__sync_fetch_and_add(&n_wrong, args_wrong(a));
	for (long i = a->start; a->step > 0 ? i < a->end : i > a->end; i += a->step)
		__sync_fetch_and_add(&sum, i);
}

static void body_ull(void *data)
{
	struct args *a = data;
	ull start = (ull)a->start, end = (ull)a->end;

	__sync_fetch_and_add(&n_wrong, args_wrong(a));
	for (ull i = start; a->step > 0 ? i < end : i > end; i += a->step)
		__sync_fetch_and_add(&ull_sum, i);
}

static void copy(void *to, void *from)
{
	memcpy(to, from, sizeof(struct args));
}

static void outlined(void *data)
{
	static int taken;
	struct args a = { 0, 0, { 11, 12, 13, 14, 15, 16 }, 1, 0x5a5a }, b = a;

	if (__sync_fetch_and_add(&taken, 1))
		return;
	b.step = -3;
	for (int how = 0; how < 4; how++) {
		void (*cpy)(void *, void *) = how & 1 ? copy : NULL;
		unsigned flags = how & 2 ? IF : 0;

		GOMP_taskloop(body, &a, cpy, sizeof(a), 64, flags | UP, 7, 0, -50, 100, 1);
		GOMP_taskloop(body, &b, cpy, sizeof(b), 64, flags | GRAINSIZE, 8, 0, 100, -50, -3);
		GOMP_taskloop(body, &a, cpy, sizeof(a), 64, flags | UP, 7, 0, 100, 100, 1);
		GOMP_taskloop_ull(body_ull, &a, cpy, sizeof(a), 64, flags | UP, 4, 0, -5ull - 100,
				  -5ull, 1);
		GOMP_taskloop_ull(body_ull, &b, cpy, sizeof(b), 64, flags, 4, 0, (1ull << 63) + 60,
				  (1ull << 63) - 60, -3);
	}
}

int main(void)
{
	GOMP_parallel(outlined, NULL, 0, 0);
	printf("tasks %ld wrong %ld sum %ld ull %llu\n", n_tasks, n_wrong, sum, ull_sum);
	printf("tptrace-tasks %ld\n", n_tasks);
	return n_wrong != 0;
}
