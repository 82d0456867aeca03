/* SPDX-License-Identifier: MIT */
/* clock_offsets.c - visits CPUs several times, and compares. */
#include "collector/session/clock_offsets.h"

#include <errno.h>
#include <string.h>

#include "collector/session/clock_cpus.h"
#include "collector/session/futex.h"

#define ROUNDS 4u
#define PAUSE_NS 1000000u	   /* between two rounds */
#define MEASURE_MOST_NS 200000000u /* on a machine that is too busy the kernel's clock will do */
#define CHECKS 8u		   /* CPUs that are looked at again in one go */

/* What a round saw. */
struct round {
	uint32_t n;
	uint32_t cpu[CLOCK_TABLE];
	struct clock_look at[CLOCK_TABLE];
	struct clock_look last; /* on cpu[0], as at[0] was */
};
_Static_assert(sizeof(struct round) <= CLOCK_OFFSETS_BYTES, "has room");

static void pause_for(uint64_t ns)
{
	_Atomic uint32_t never = 0;

	futex_wait(&never, 0, ns);
}

/* All CPUs of the mask, the first one twice.  False if there is none, or time is over. */
static bool visit(struct round *round, const struct clock_mask *mask, uint64_t until_ns)
{
	round->n = 0;
	for (uint32_t cpu = 0; cpu < CLOCK_TABLE; cpu++) {
		if (!clock_mask_has(mask, cpu) ||
		    !clock_look_on(cpu, &round->at[round->n])) /* it went offline */
			continue;
		round->cpu[round->n++] = cpu;
		if (clock_monotonic_ns() > until_ns)
			return false;
	}
	if (round->n)
		pause_for(PAUSE_NS);
	return round->n && clock_look_on(round->cpu[0], &round->last) &&
	       round->last.pair.ns > round->at[0].pair.ns &&
	       round->last.pair.ticks > round->at[0].pair.ticks;
}

/* How far an offset is from what was known, in ns beyond what may be wrong. */
static double beyond_ns(double off, double known, double unsure, double rate)
{
	double ns = (off > known ? off - known : known - off) / rate - 2 * unsure / rate;

	return ns > 0 ? ns : 0;
}

/* Takes over the offsets of the first round, or compares with them. */
static bool take_round(struct clock *clock, const struct round *round, bool is_first)
{
	double rate = clock_look_rate(&round->at[0], &round->last);

	for (uint32_t i = 0; i < round->n; i++) {
		_Atomic int64_t *behind = &clock->behind[round->cpu[i]];
		double unsure,
			off = -clock_look_off(&round->at[0], &round->last, &round->at[i], &unsure);
		int64_t known = atomic_load(behind) - CLOCK_KNOWN;

		if (unsure / rate > CLOCK_OFFSET_UNSURE_NS)
			return false;
		if (is_first || !atomic_load(behind)) /* just come online */
			atomic_store(behind, (int64_t)off + CLOCK_KNOWN);
		else if (beyond_ns(off, (double)known, unsure, rate) > CLOCK_OFF_MOST_NS)
			return false;
	}
	return true;
}

static bool measure(struct clock *clock, struct round *round)
{
	uint64_t until_ns = clock_monotonic_ns() + MEASURE_MOST_NS;
	struct clock_look first;
	struct clock_mask mask;
	uint32_t cpu = 0;

	if (!clock_mask_get(&mask))
		return false;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		if (!visit(round, &mask, until_ns) || !take_round(clock, round, i == 0))
			return false;
		if (i == 0) {
			first = round->at[0];
			cpu = round->cpu[0];
		} else if (round->cpu[0] != cpu) {
			return false; /* what all are compared with went offline */
		}
	}
	clock->first = first.pair;
	clock->line[0] = clock->line[1] =
		(struct clock_line){ round->last.pair, clock_look_rate(&first, &round->last) };
	return true;
}

bool clock_offsets_measure(struct clock *clock, void *room)
{
	int saved = errno;
	bool stay;

	for (uint32_t cpu = 0; cpu < CLOCK_TABLE; cpu++)
		if (atomic_load(&clock->behind[cpu])) /* pages that nobody needs stay as they are */
			atomic_store(&clock->behind[cpu], 0);
	atomic_store(&clock->n_lines, 0);
	atomic_store(&clock->moved_ns, 0);
	stay = measure(clock, room);
	for (uint32_t cpu = 0; cpu < CLOCK_TABLE && !stay; cpu++)
		if (atomic_load(&clock->behind[cpu]))
			atomic_store(&clock->behind[cpu], 0);
	errno = saved;
	return stay;
}

/* ---- later ---- */

/* The next CPU from there on that is known and may be visited; CLOCK_TABLE if none is. */
static uint32_t next_known(const struct clock *clock, const struct clock_mask *mask, uint32_t cpu)
{
	while (cpu < CLOCK_TABLE &&
	       (!clock_mask_has(mask, cpu) || !atomic_load(&clock->behind[cpu])))
		cpu++;
	return cpu;
}

/* A look in ticks of the clock. */
static bool look_on(const struct clock *clock, uint32_t cpu, struct clock_look *look)
{
	int64_t behind = atomic_load(&clock->behind[cpu]);

	if (!behind || !clock_look_on(cpu, look))
		return false;
	look->pair.ticks += (uint64_t)(behind - CLOCK_KNOWN);
	return true;
}

static void check(struct clock *clock, const struct clock_mask *mask, uint32_t *next)
{
	uint32_t base = next_known(clock, mask, 0), cpu[CHECKS], n = 0;
	struct clock_look first, last, at[CHECKS];

	if (base == CLOCK_TABLE || !look_on(clock, base, &first))
		return;
	if (*next <= base || *next >= CLOCK_TABLE)
		*next = base + 1;
	while (n < CHECKS && (*next = next_known(clock, mask, *next)) < CLOCK_TABLE) {
		cpu[n] = (*next)++;
		n += look_on(clock, cpu[n], &at[n]);
	}
	pause_for(PAUSE_NS);
	if (!look_on(clock, base, &last) || last.pair.ns <= first.pair.ns ||
	    last.pair.ticks <= first.pair.ticks)
		return;
	for (uint32_t i = 0; i < n; i++) {
		double rate = clock_look_rate(&first, &last), unsure;
		double off = clock_look_off(&first, &last, &at[i], &unsure);
		double moved_ns = beyond_ns(off, 0, unsure, rate);

		if (moved_ns <= CLOCK_OFF_MOST_NS)
			continue;
		atomic_store(&clock->behind[cpu[i]], 0);
		if (moved_ns > (double)atomic_load(&clock->moved_ns))
			atomic_store(&clock->moved_ns, (uint64_t)moved_ns);
	}
}

void clock_offsets_check(struct clock *clock, uint32_t *next)
{
	struct clock_mask mask;
	int saved = errno;

	if (clock->source == CLOCK_SOURCE_TSC_BY_CPU && clock_mask_get(&mask)) {
		check(clock, &mask, next);
		clock_mask_set(&mask);
	}
	errno = saved;
}
