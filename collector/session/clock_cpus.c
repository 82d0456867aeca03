/* SPDX-License-Identifier: MIT */
/* clock_cpus.c - visits CPUs and looks at both clocks on each. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity() */
#endif
#include "collector/session/clock_cpus.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "collector/session/clock.h"

#define LOOKS 24
#define UNSURE_MOST_NS 100u /* a clock this slow to read tells nothing about 20 ns */

#define WORD_BITS (8 * sizeof(unsigned long))

bool clock_mask_has(const struct clock_mask *mask, uint32_t cpu)
{
	return mask->word[cpu / WORD_BITS] >> cpu % WORD_BITS & 1;
}

bool clock_mask_get(struct clock_mask *mask)
{
	*mask = (struct clock_mask){ { 0 } };
	return sched_getaffinity(0, sizeof(*mask), (cpu_set_t *)(void *)mask) == 0;
}

void clock_mask_set(const struct clock_mask *mask)
{
	sched_setaffinity(0, sizeof(*mask), (const cpu_set_t *)(const void *)mask);
}

static struct clock_look look(void)
{
	struct clock_look best = { .width = UINT64_MAX };

	for (int i = 0; i < LOOKS; i++) {
		uint64_t before = clock_ticks(), ns = clock_monotonic_ns(),
			 width = clock_ticks() - before;

		if (width < best.width)
			best = (struct clock_look){ { before + width / 2, ns }, width };
	}
	return best;
}

bool clock_look_on(uint32_t cpu, struct clock_look *out)
{
	struct clock_mask one = { { 0 } };

	one.word[cpu / WORD_BITS] = 1ul << cpu % WORD_BITS;
	if (sched_setaffinity(0, sizeof(one), (cpu_set_t *)(void *)&one))
		return false;
	*out = look();
	return true;
}

/* CPUs to visit, in order: some of the mask's, its first and last among them. */
static uint32_t choose_cpus(const struct clock_mask *mask, uint32_t *cpu)
{
	uint32_t n = 0, n_chosen = 0, k = 0;

	for (uint32_t i = 0; i < CLOCK_CPUS; i++)
		n += clock_mask_has(mask, i);
	for (uint32_t i = 0; i < CLOCK_CPUS && n_chosen < CLOCK_CPUS_MOST; i++) {
		uint32_t next =
			n > CLOCK_CPUS_MOST
				? (uint32_t)((uint64_t)n_chosen * (n - 1) / (CLOCK_CPUS_MOST - 1))
				: n_chosen;

		if (clock_mask_has(mask, i) && k++ == next)
			cpu[n_chosen++] = i;
	}
	return n_chosen;
}

double clock_look_rate(const struct clock_look *first, const struct clock_look *last)
{
	return (double)(last->pair.ticks - first->pair.ticks) /
	       (double)(last->pair.ns - first->pair.ns);
}

double clock_look_off(const struct clock_look *first, const struct clock_look *last,
		      const struct clock_look *at, double *unsure)
{
	uint64_t line = first->width > last->width ? first->width : last->width;

	*unsure = (double)(at->width + line) / 2;
	return (double)(int64_t)(at->pair.ticks - first->pair.ticks) -
	       (double)(int64_t)(at->pair.ns - first->pair.ns) * clock_look_rate(first, last);
}

static void compare(struct clock_cpus *cpus, const struct clock_look *first,
		    const struct clock_look *last, const struct clock_look *at)
{
	double unsure, off = clock_look_off(first, last, at, &unsure);
	double rate = clock_look_rate(first, last);
	uint64_t off_ns = (uint64_t)((off < 0 ? -off : off) / rate);
	uint64_t unsure_ns = (uint64_t)(unsure / rate);

	if (off_ns > cpus->off_ns)
		cpus->off_ns = off_ns;
	if (unsure_ns > cpus->unsure_ns)
		cpus->unsure_ns = unsure_ns;
}

struct clock_cpus clock_cpus_measure(void)
{
	struct clock_look at[CLOCK_CPUS_MOST], last;
	uint32_t cpu[CLOCK_CPUS_MOST], n = 0;
	struct clock_cpus cpus = { 0 };
	struct clock_mask mask;
	int saved = errno;

	if (clock_mask_get(&mask))
		n = choose_cpus(&mask, cpu);
	for (uint32_t i = 0; i < n; i++)
		if (clock_look_on(cpu[i], &at[cpus.n])) /* others went offline */
			cpus.n++;
		else if (i == 0)
			break;
	if (cpus.n && (!clock_look_on(cpu[0], &last) || last.pair.ns <= at[0].pair.ns ||
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
