/* SPDX-License-Identifier: MIT */
/* clock_cpus.c - visits CPUs and looks at both clocks on each. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity() */
#endif
#include "collector/session/clock.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#define TRIES 24
#define UNSURE_MOST_NS 100u /* a clock this slow to read tells nothing about 20 ns */

#define CPUS 8192u

/* CPUs that a thread may use. */
struct mask {
	unsigned long word[CPUS / 8 / sizeof(unsigned long)];
};

#define WORD_BITS (8 * sizeof(unsigned long))

/* The tightest of a few tries: an interrupt between the two clocks would skew the pair. */
struct reading {
	struct clock_pair pair;
	uint64_t width; /* ticks that reading the other clock took */
};

static bool mask_has(const struct mask *mask, uint32_t cpu)
{
	return mask->word[cpu / WORD_BITS] >> cpu % WORD_BITS & 1;
}

static struct reading read_both(void)
{
	struct reading best = { .width = UINT64_MAX };

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = clock_ticks(), ns = clock_monotonic_ns(),
			 width = clock_ticks() - before;

		if (width < best.width)
			best = (struct reading){ { before + width / 2, ns }, width };
	}
	return best;
}

/* Moves the calling thread there.  False if it may not use that CPU, or it is offline. */
static bool read_on(uint32_t cpu, struct reading *out)
{
	struct mask one = { { 0 } };

	one.word[cpu / WORD_BITS] = 1ul << cpu % WORD_BITS;
	if (sched_setaffinity(0, sizeof(one), (cpu_set_t *)(void *)&one))
		return false;
	*out = read_both();
	return true;
}

/* CPUs to visit, in order: some of the mask's, its first and last among them. */
static uint32_t choose_cpus(const struct mask *mask, uint32_t *cpu)
{
	uint32_t n = 0, n_chosen = 0, k = 0;

	for (uint32_t i = 0; i < CPUS; i++)
		n += mask_has(mask, i);
	for (uint32_t i = 0; i < CPUS && n_chosen < CLOCK_CPUS_MOST; i++) {
		uint32_t next =
			n > CLOCK_CPUS_MOST
				? (uint32_t)((uint64_t)n_chosen * (n - 1) / (CLOCK_CPUS_MOST - 1))
				: n_chosen;

		if (mask_has(mask, i) && k++ == next)
			cpu[n_chosen++] = i;
	}
	return n_chosen;
}

/* How far a reading is from the line through two others on one CPU; how sure that is. */
static void compare(struct clock_cpus *cpus, const struct reading *first,
		    const struct reading *last, const struct reading *at)
{
	uint64_t width = first->width > last->width ? first->width : last->width;
	double rate = (double)(last->pair.ticks - first->pair.ticks) /
		      (double)(last->pair.ns - first->pair.ns);
	double off = (double)(int64_t)(at->pair.ticks - first->pair.ticks) -
		     (double)(int64_t)(at->pair.ns - first->pair.ns) * rate;
	uint64_t off_ns = (uint64_t)((off < 0 ? -off : off) / rate);
	uint64_t unsure_ns = (uint64_t)((double)(at->width + width) / 2 / rate);

	if (off_ns > cpus->off_ns)
		cpus->off_ns = off_ns;
	if (unsure_ns > cpus->unsure_ns)
		cpus->unsure_ns = unsure_ns;
}

struct clock_cpus clock_cpus_measure(void)
{
	struct reading at[CLOCK_CPUS_MOST], last;
	uint32_t cpu[CLOCK_CPUS_MOST], n = 0;
	struct clock_cpus cpus = { 0 };
	struct mask mask = { { 0 } };
	int saved = errno;

	if (sched_getaffinity(0, sizeof(mask), (cpu_set_t *)(void *)&mask) == 0)
		n = choose_cpus(&mask, cpu);
	for (uint32_t i = 0; i < n; i++)
		if (read_on(cpu[i], &at[cpus.n])) /* others went offline */
			cpus.n++;
		else if (i == 0)
			break;
	if (cpus.n && (!read_on(cpu[0], &last) || last.pair.ns <= at[0].pair.ns ||
		       last.pair.ticks <= at[0].pair.ticks))
		cpus.n = 0;
	for (uint32_t i = 1; i < cpus.n; i++)
		compare(&cpus, &at[0], &last, &at[i]);
	errno = saved;
	return cpus;
}

bool clock_cpus_agree(const struct clock_cpus *cpus)
{
	return cpus->n && cpus->unsure_ns <= UNSURE_MOST_NS &&
	       cpus->off_ns <= CLOCK_OFF_MOST_NS + cpus->unsure_ns;
}
