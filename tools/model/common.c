/* SPDX-License-Identifier: MIT */
/*
 * common.c - ready items that any worker may take: the oldest first, or the longest way first.
 *
 *	ring	the oldest first, where no worker is barred from any
 *	ranked	the rank of each ready step as a bit; above 64 bits one that says whether there is
 *		any of them.  So to put one, or to take the first, costs a few words, however many
 *		there are.  The first few stand in front, in their order
 *
 * In the order of both, tasks lie anywhere in memory: who takes one fetches some of those after it.
 */
#include "tools/model/sim.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"

#define FETCHED_AHEAD 8u
#define WORD_BITS 64u

/* Inline always: GCC 12 drops calls that only prefetch. */
__attribute__((always_inline)) static inline void fetch(const struct sim *sim, uint32_t item,
							strand_id at)
{
	__builtin_prefetch(&sim->item[item]);
	__builtin_prefetch(&sim->graph->step[at]);
}

/* ---- ring ---- */

static void ring_grow(struct ring *ring)
{
	uint32_t room = ring->mask ? (ring->mask + 1) * 2 : 64;
	struct ring_slot *slot = xmalloc(room * sizeof(*slot));

	for (uint32_t i = 0; i < ring->n; i++)
		slot[i] = ring->slot[(ring->first + i) & ring->mask];
	free(ring->slot);
	ring->slot = slot;
	ring->mask = room - 1;
	ring->first = 0;
}

void ring_push(struct sim *sim, uint32_t item, bool as_oldest)
{
	struct ring *ring = &sim->ring;
	struct ring_slot slot = { item, sim->item[item].at };

	if (ring->n == (ring->slot ? ring->mask + 1 : 0))
		ring_grow(ring);
	if (as_oldest)
		ring->slot[--ring->first & ring->mask] = slot;
	else
		ring->slot[(ring->first + ring->n) & ring->mask] = slot;
	ring->n++;
}

uint32_t ring_pop(struct sim *sim)
{
	struct ring *ring = &sim->ring;
	const struct ring_slot *ahead;
	uint32_t item;

	if (!ring->n)
		return NONE;
	item = ring->slot[ring->first & ring->mask].item;
	ring->first++;
	if (--ring->n > FETCHED_AHEAD) {
		ahead = &ring->slot[(ring->first + FETCHED_AHEAD) & ring->mask];
		fetch(sim, ahead->item, ahead->at);
	}
	return item;
}

/* ---- ranked ---- */

void ranked_open(struct ranked *ranked, uint32_t n_steps, uint32_t n_parts)
{
	uint64_t n = n_steps, n_words = 0, at[RANKED_FLOORS];
	uint32_t floors = 0;

	do {
		n = (n + WORD_BITS - 1) / WORD_BITS;
		at[floors++] = n_words;
		n_words += n;
	} while (n > 1);
	ranked->floors = floors;
	ranked->word = xcalloc(n_words, sizeof(*ranked->word));
	ranked->parts = xmalloc((n_parts + 1ull) * sizeof(*ranked->parts));
	for (uint32_t f = 0; f < floors; f++)
		ranked->floor[f] = ranked->word + at[f];
	for (uint32_t i = 0; i < n_parts; i++)
		ranked->parts[i] = NONE;
}

void ranked_close(struct ranked *ranked)
{
	free(ranked->word);
	free(ranked->parts);
}

/* The newest item of the step's parts that is queued. */
static uint32_t *parts_of(const struct sim *sim, strand_id s)
{
	return &sim->ranked.parts[graph_parts(sim->graph, s) - sim->graph->parts];
}

static void set(struct ranked *ranked, uint64_t rank)
{
	ranked->n++;
	for (uint32_t f = 0; f < ranked->floors; f++, rank /= WORD_BITS) {
		uint64_t *word = &ranked->floor[f][rank / WORD_BITS];
		bool any = *word != 0;

		*word |= UINT64_C(1) << rank % WORD_BITS;
		if (any)
			break;
	}
}

/* The first one of those behind the front. */
static uint32_t unset_first(struct ranked *ranked)
{
	uint64_t first = 0, rank;

	for (uint32_t f = ranked->floors; f-- > 0;)
		first = first * WORD_BITS + (uint64_t)__builtin_ctzll(ranked->floor[f][first]);
	rank = first;
	for (uint32_t f = 0; f < ranked->floors; f++, rank /= WORD_BITS) {
		uint64_t *word = &ranked->floor[f][rank / WORD_BITS];

		*word &= *word - 1;
		if (*word)
			break;
	}
	ranked->n--;
	return (uint32_t)first;
}

/* Nothing is behind a front that has room. */
static void add_rank(struct ranked *ranked, uint32_t rank)
{
	uint32_t at;

	if (ranked->n_front == RANKED_FRONT) {
		uint32_t last = ranked->front[RANKED_FRONT - 1];

		set(ranked, rank > last ? rank : last);
		if (rank > last)
			return;
		ranked->n_front--;
	}
	for (at = ranked->n_front++; at && ranked->front[at - 1] > rank; at--)
		ranked->front[at] = ranked->front[at - 1];
	ranked->front[at] = rank;
}

void ranked_push(struct sim *sim, uint32_t item)
{
	strand_id s = sim->item[item].at;

	if (item >= sim->n_tasks) {
		uint32_t *newest = parts_of(sim, s), before = *newest;

		sim->item[item].after = before;
		*newest = item;
		if (before != NONE)
			return;
	}
	add_rank(&sim->ranked, sim->ranking->rank[s]);
}

/* Each rank of the front has time to come: first its step's number, then the step, then the task.
 * Inline always, as fetch(). */
__attribute__((always_inline)) static inline void fetch_front(const struct sim *sim)
{
	const uint32_t *front = sim->ranked.front;
	const strand_id *step = sim->ranking->step;

	if (sim->ranked.n_front < RANKED_FRONT)
		return;
	__builtin_prefetch(&step[front[7]]);
	__builtin_prefetch(&sim->graph->step[step[front[5]]]);
	__builtin_prefetch(&sim->item[sim->graph->step[step[front[2]]].task]);
}

static void remove_first(struct ranked *ranked)
{
	for (uint32_t i = 1; i < ranked->n_front; i++)
		ranked->front[i - 1] = ranked->front[i];
	ranked->n_front--;
	if (ranked->n)
		ranked->front[ranked->n_front++] = unset_first(ranked);
}

uint32_t ranked_pop(struct sim *sim)
{
	struct ranked *ranked = &sim->ranked;
	uint32_t item = NONE;
	strand_id s;

	if (!ranked->n_front)
		return NONE;
	s = sim->ranking->step[ranked->front[0]];
	if (sim->graph->step[s].flags & STEP_PARTS) {
		uint32_t *newest = parts_of(sim, s);

		item = *newest;
		*newest = item == NONE ? NONE : sim->item[item].after;
		if (*newest != NONE)
			return item;
	}
	remove_first(ranked);
	fetch_front(sim);
	return item == NONE ? sim->graph->step[s].task : item;
}
