/* SPDX-License-Identifier: MIT */
/* pairs.c - looks at both clocks, and keeps what a reader needs. */
#include "collector/drain/pairs.h"

#include <stdlib.h>

#define LOOK_NS 10000000u /* from one look to the next, at least */
#define STEP_NS 100000u
#define STEP_PARTS 1000u
#define MANY 30u /* doublings: 34 years */

static void keep(struct pairs *pairs, struct clock_pair pair)
{
	if (pairs->n && pairs->kept[pairs->n - 1].ns >= pair.ns)
		return;
	if (pairs->n == pairs->room) {
		uint32_t room = pairs->room ? 2 * pairs->room : 64;
		struct clock_pair *more = pairs->room < PAIRS_MOST
						  ? realloc(pairs->kept, room * sizeof(*more))
						  : NULL;

		if (!more)
			return; /* a trace with fewer is as good a trace */
		pairs->kept = more;
		pairs->room = room;
	}
	pairs->kept[pairs->n++] = pair;
}

/* Whether the clock went another way since the last look than it did before. */
static bool stepped(const struct pairs *pairs, struct clock_pair now)
{
	double ns = (double)(now.ns - pairs->last.ns);
	double ticks = (double)(int64_t)(now.ticks - pairs->last.ticks);

	if (ticks <= 0)
		return true;
	if (!pairs->good.ns)
		return false;
	double off = ticks * (double)pairs->good.ns / (double)pairs->good.ticks - ns;

	off = off < 0 ? -off : off;
	return off > STEP_NS && off > ns / STEP_PARTS;
}

void pairs_look(struct pairs *pairs, enum clock_source clock, struct clock_pair begin,
		struct clock_pair now)
{
	uint32_t doubled = pairs->n / PAIRS_DOUBLES;
	uint64_t every_ns = (uint64_t)PAIRS_EVERY_NS << (doubled < MANY ? doubled : MANY);

	if (clock == CLOCK_SOURCE_MONOTONIC)
		return;
	if (!pairs->last.ns)
		pairs->last = begin;
	if (now.ns < pairs->last.ns + LOOK_NS)
		return;
	if (stepped(pairs, now)) {
		pairs->went_back |= (int64_t)(now.ticks - pairs->last.ticks) <= 0;
		keep(pairs, pairs->last);
		keep(pairs, now);
		if (++pairs->n_steps > 1)
			pairs->good = (struct clock_pair){ 0 };
	} else {
		pairs->n_steps = 0;
		pairs->good.ticks += now.ticks - pairs->last.ticks;
		pairs->good.ns += now.ns - pairs->last.ns;
		if (now.ns - (pairs->n ? pairs->kept[pairs->n - 1].ns : begin.ns) >= every_ns)
			keep(pairs, now);
	}
	pairs->last = now;
}

double pairs_rate(const struct pairs *pairs, struct clock_pair begin, struct clock_pair now)
{
	double ticks = (double)(int64_t)(now.ticks - begin.ticks), ns = (double)(now.ns - begin.ns);

	if (pairs->good.ns)
		return (double)pairs->good.ticks / (double)pairs->good.ns;
	return ticks > 0 && ns > 0 ? ticks / ns : 1;
}

static void put(const struct pairs *pairs, uint32_t from, uint32_t shift, struct lines *out)
{
	for (uint32_t i = from; i < pairs->n; i++)
		lines_print(out, "sync %llu %llu snapshot\n",
			    (unsigned long long)(pairs->kept[i].ticks >> shift),
			    (unsigned long long)pairs->kept[i].ns);
}

void pairs_put(struct pairs *pairs, uint32_t shift, struct lines *out)
{
	put(pairs, pairs->n_put, shift, out);
	pairs->n_put = pairs->n;
}

void pairs_put_all(const struct pairs *pairs, uint32_t shift, struct lines *out)
{
	put(pairs, 0, shift, out);
}

void pairs_free(struct pairs *pairs)
{
	free(pairs->kept);
	*pairs = (struct pairs){ 0 };
}
