/* SPDX-License-Identifier: MIT */
/* rate.c - the same loop with samples and without. */
#include "tools/sample/rate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tools/sample/sample_ring.h"

#define TURNS 8u
#define TURN_NS 600000u	 /* of CPU time: without and with samples, 8 times, 10 ms in all */
#define PERIOD_NS 99993u /* 6 samples a turn, which the ring has room for */
#define BUDGET .004	 /* 0.5 %, less a fifth for caches, which a short loop does not miss */

struct turn {
	uint64_t steps, cpu_ns;
};

static uint64_t thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct turn take_turn(void)
{
	uint64_t begin_ns = thread_ns();
	struct turn turn = { 0 };

	while (turn.cpu_ns < TURN_NS) {
		for (unsigned i = 0; i < 1000; i++)
			__asm__ volatile("" ::: "memory");
		turn.steps++;
		turn.cpu_ns = thread_ns() - begin_ns;
	}
	return turn;
}

static uint64_t count_samples(struct sample_ring *ring)
{
	struct sample sample;
	uint64_t n = 0;

	while (sample_ring_take(ring, &sample), sample.what != SAMPLE_NONE)
		n += sample.what == SAMPLE_LOST ? sample.n_lost : 1;
	return n;
}

static bool open_ring(struct sample_ring *ring)
{
	uint32_t thread = (uint32_t)syscall(SYS_gettid);

	return sample_ring_open(ring, thread, PERIOD_NS, true) == 0 ||
	       sample_ring_open(ring, thread, PERIOD_NS, false) == 0;
}

static int compare_costs(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The fastest turn without samples says what a step takes.  Other interrupts only add to one with
 * samples: the median turn has few. */
static uint64_t measure_cost(void)
{
	struct turn sampled[TURNS];
	uint64_t cost_ns[TURNS], n_samples[TURNS];
	double step_ns = TURN_NS;

	for (uint32_t i = 0; i < TURNS; i++) {
		struct turn plain = take_turn();
		double its_ns = (double)plain.cpu_ns / (double)plain.steps;
		struct sample_ring ring;

		step_ns = its_ns < step_ns ? its_ns : step_ns;
		if (!open_ring(&ring))
			return 0;
		sampled[i] = take_turn();
		n_samples[i] = count_samples(&ring);
		sample_ring_close(&ring);
	}
	for (uint32_t i = 0; i < TURNS; i++) {
		double extra_ns = (double)sampled[i].cpu_ns - (double)sampled[i].steps * step_ns;

		cost_ns[i] = n_samples[i] && extra_ns > 0
				     ? (uint64_t)(extra_ns / (double)n_samples[i])
				     : 0;
	}
	qsort(cost_ns, TURNS, sizeof(cost_ns[0]), compare_costs);
	return cost_ns[TURNS / 2];
}

uint64_t rate_cost_ns(void)
{
	static uint64_t cost_ns;
	static bool asked;

	if (!asked)
		cost_ns = measure_cost();
	asked = true;
	return cost_ns;
}

uint32_t rate_hz(uint64_t cost_ns)
{
	double hz = cost_ns ? BUDGET * 1e9 / (double)cost_ns : RATE_HZ_MOST;

	if (hz > RATE_HZ_MOST)
		return RATE_HZ_MOST;
	return hz < RATE_HZ_LEAST ? RATE_HZ_LEAST : (uint32_t)hz;
}
