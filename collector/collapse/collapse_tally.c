/* SPDX-License-Identifier: MIT */
/* collapse_tally.c - tallies by site, in a table that is only added to, and how they are told. */
#include "collector/collapse/collapse_tally.h"

/*
 * An event that tells of them: a = site << 32 | part << 8 | kind, b its value.  From PART_WORK on a
 * part is four neighbouring buckets of 16 bits each.  PART_SLICE is ring_slice().
 */
enum part {
	PART_SLICE,
	PART_TASKS,
	PART_OWN,
	PART_READY,
	PART_LEAST,
	PART_MOST,
	PART_WAITS,
	PART_WORK
};
#define PART_BUCKETS 4u
#define PART_COUNT 0xffffu

uint32_t tally_new(struct collapse *c, uint32_t site)
{
	uint32_t at = tally_slot(site);

	while (c->by_site[at].tally && c->by_site[at].site != site)
		at = (at + 1) % TALLY_SLOTS;
	if (!c->by_site[at].tally) {
		if (c->n_tallies == c->tally_room)
			return 0;
		c->tally[c->n_tallies].site = site;
		c->tally[c->n_tallies].least = UINT64_MAX;
		c->by_site[at].site = site;
		c->by_site[at].tally = ++c->n_tallies;
	}
	return c->by_site[at].tally;
}

void tally_pending(const struct collapse *c, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		const struct pending *task = &c->pending[i];
		struct collapse_tally *tally = &c->tally[task->tally - 1];

		tally->n_tasks++;
		tally->work += task->own;
		tally->ready += task->ready;
		if (task->own < tally->least)
			tally->least = task->own;
		if (task->own > tally->most)
			tally->most = task->own;
		tally->n_by_work[wire_bucket(task->own)]++;
	}
}

const struct collapse_tally *collapse_tallies(const struct collapse *c, uint32_t *n)
{
	*n = c->n_tallies;
	return c->tally;
}

uint64_t collapse_waits(const struct collapse *c)
{
	return c->n_waits;
}

/* ---- tallies of several ---- */

void collapse_share_sites(struct collapse *c, const struct collapse *into, uint32_t n)
{
	c->tally_room = c->n_tallies + (COLLAPSE_TALLIES - into->n_tallies) / n;
}

void tally_empty(struct collapse_tally *tally)
{
	*tally = (struct collapse_tally){ .site = tally->site, .least = UINT64_MAX };
}

void collapse_pour(struct collapse *into, struct collapse *from)
{
	into->tally_room = COLLAPSE_TALLIES;
	for (uint32_t i = 0; i < from->n_tallies; i++) {
		struct collapse_tally *some = &from->tally[i];
		struct collapse_tally *all = tally_at(into, tally_of(into, some->site));

		if (!all || !some->n_tasks)
			continue;
		all->n_tasks += some->n_tasks;
		all->work += some->work;
		all->ready += some->ready;
		all->least = some->least < all->least ? some->least : all->least;
		all->most = some->most > all->most ? some->most : all->most;
		for (uint32_t k = 0; k < WIRE_BUCKETS; k++)
			all->n_by_work[k] += some->n_by_work[k];
		tally_empty(some);
	}
	into->n_waits += from->n_waits;
	from->n_waits = 0;
}

/* ---- tallies in the ring ---- */

/* Events that are written one behind the other, as long as there is room. */
struct told {
	struct wire_event *out;
	uint32_t n, n_most;
};

static void tell(struct told *told, uint32_t site, uint32_t part, uint64_t value)
{
	if (told->n < told->n_most)
		told->out[told->n] =
			(struct wire_event){ (uint64_t)site << 32 | part << 8 | RING_TALLY, value };
	told->n++;
}

/* Four buckets in one word; if one has more than fits there, in several. */
static void tell_buckets(struct told *told, struct collapse_tally *tally, uint32_t first)
{
	uint64_t left;

	do {
		uint64_t word = 0;

		left = 0;
		for (uint32_t k = 0; k < PART_BUCKETS; k++) {
			uint64_t n = tally->n_by_work[first + k];
			uint64_t some = n < PART_COUNT ? n : PART_COUNT;

			word |= some << 16 * k;
			tally->n_by_work[first + k] -= some;
			left |= tally->n_by_work[first + k];
		}
		if (word)
			tell(told, tally->site, PART_WORK + first / PART_BUCKETS, word);
	} while (left);
}

static void tell_site(struct told *told, struct collapse_tally *tally)
{
	tell(told, tally->site, PART_TASKS, tally->n_tasks);
	tell(told, tally->site, PART_OWN, tally->work);
	tell(told, tally->site, PART_READY, tally->ready);
	tell(told, tally->site, PART_LEAST, tally->least);
	tell(told, tally->site, PART_MOST, tally->most);
	for (uint32_t first = wire_bucket(tally->least) & ~(PART_BUCKETS - 1);
	     first <= wire_bucket(tally->most); first += PART_BUCKETS)
		tell_buckets(told, tally, first);
	tally->n_tasks = tally->work = tally->ready = tally->most = 0;
	tally->least = UINT64_MAX;
}

uint32_t collapse_tell(struct collapse *c, struct wire_event *out, uint32_t n_most)
{
	struct told told = { out, 0, n_most };

	_Static_assert(WIRE_BUCKETS % PART_BUCKETS == 0, "whole words");
	for (uint32_t i = 0; i < c->n_tallies; i++)
		if (c->tally[i].n_tasks)
			tell_site(&told, &c->tally[i]);
	if (c->n_waits)
		tell(&told, 0, PART_WAITS, c->n_waits);
	c->n_waits = 0;
	return told.n;
}

void tally_take(struct collapse *c, const struct wire_event *event)
{
	uint32_t part = event->a >> 8 & 0xffffff, site = (uint32_t)(event->a >> 32);
	uint32_t first = (part - PART_WORK) * PART_BUCKETS;
	struct collapse_tally *tally;

	if (part == PART_SLICE)
		return;
	if (part == PART_WAITS) {
		c->n_waits += event->b;
		return;
	}
	tally = tally_at(c, tally_of(c, site));
	if (!tally)
		return;
	if (part == PART_TASKS)
		tally->n_tasks += event->b;
	else if (part == PART_OWN)
		tally->work += event->b;
	else if (part == PART_READY)
		tally->ready += event->b;
	else if (part == PART_LEAST && event->b < tally->least)
		tally->least = event->b;
	else if (part == PART_MOST && event->b > tally->most)
		tally->most = event->b;
	for (uint32_t k = 0; part >= PART_WORK && k < PART_BUCKETS && first + k < WIRE_BUCKETS; k++)
		tally->n_by_work[first + k] += event->b >> 16 * k & PART_COUNT;
}

bool collapse_hears(struct collapse *c, const struct wire_event *event)
{
	if (event_kind(event) != RING_TALLY)
		return false;
	tally_take(c, event);
	return true;
}
