/* SPDX-License-Identifier: MIT */
/* collapse_tally.c - what a slice's collapsed tasks come to, by site, and as events. */
#include "collector/collapse/collapse_tally.h"

#include <string.h>

void tally_begin(struct collapse *c)
{
	if (c->n_tallies > c->tally_room / 2) {
		memset(c->by_site, 0, sizeof(c->by_site));
		c->n_tallies = 0;
	}
	c->n_waits = c->n_taken_out = 0;
	c->n_heard = 0;
}

static void tally_clear(struct collapse_tally *tally)
{
	struct tallied *sum = &tally->sum;

	sum->n_tasks = sum->work = sum->ready = sum->most = 0;
	sum->least = UINT64_MAX;
	tally->low = WIRE_BUCKETS;
	tally->high = 0;
}

uint32_t tally_new(struct collapse *c, uint32_t site)
{
	uint32_t at = tally_slot(site);

	while (c->by_site[at].tally && c->by_site[at].site != site)
		at = (at + 1) % TALLY_SLOTS;
	if (!c->by_site[at].tally) {
		if (c->n_tallies == c->tally_room || site >= WIRE_TALLY_SITES)
			return 0;
		c->tally[c->n_tallies].site = site;
		tally_clear(&c->tally[c->n_tallies]);
		c->by_site[at].site = site;
		c->by_site[at].tally = ++c->n_tallies;
	}
	return c->by_site[at].tally;
}

/* That bucket has tasks. */
static void tally_widen(struct collapse_tally *tally, uint32_t bucket)
{
	if (bucket < tally->low)
		tally->low = bucket;
	if (bucket > tally->high)
		tally->high = bucket;
}

void tally_pending(const struct collapse *c, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		const struct pending *task = &c->pending[i];
		struct collapse_tally *tally = &c->tally[task->tally - 1];
		struct tallied *sum = &tally->sum;

		sum->n_tasks++;
		sum->work += task->own;
		sum->ready += task->ready;
		if (task->own < sum->least)
			sum->least = task->own;
		if (task->own > sum->most)
			sum->most = task->own;
		sum->n_by_work[wire_bucket(task->own)]++;
		tally_widen(tally, wire_bucket(task->own));
	}
}

void tally_hear(struct collapse *c, uint64_t b)
{
	uint32_t part = tally_part(b);
	uint64_t value = tally_value(b);
	struct collapse_tally *tally;

	c->n_heard++;
	if (part == WIRE_TALLY_WAITS)
		c->n_waits += value;
	else if (part == WIRE_TALLY_EVENTS)
		c->n_taken_out += value;
	if (part == WIRE_TALLY_WAITS || part == WIRE_TALLY_EVENTS)
		return;
	tally = tally_at(c, tally_of(c, tally_site(b)));
	c->full |= !tally;
	if (!tally)
		return;
	tallied_add(&tally->sum, part, value);
	if (part >= WIRE_TALLY_BY_WORK && part < WIRE_TALLY_PARTS)
		tally_widen(tally, part - WIRE_TALLY_BY_WORK);
}

/* ---- as events ---- */

/* Events that are written one behind the other, as long as there is room. */
struct tally_out {
	struct wire_event *event;
	uint32_t n, n_most;
};

/* A sum that is too large for one event is written in several. */
static void tally_put(struct tally_out *out, uint32_t site, uint32_t part, uint64_t value)
{
	do {
		uint64_t some = value < WIRE_TALLY_MOST ? value : WIRE_TALLY_MOST;

		if (out->n < out->n_most)
			out->event[out->n] =
				(struct wire_event){ WIRE_TALLY, tally_make(site, part, some) };
		out->n++;
		value -= some;
	} while (value);
}

static void tally_put_site(struct tally_out *out, struct collapse_tally *tally)
{
	struct tallied *sum = &tally->sum;
	uint32_t site = tally->site;

	tally_put(out, site, WIRE_TALLY_TASKS, sum->n_tasks);
	tally_put(out, site, WIRE_TALLY_WORK, sum->work);
	tally_put(out, site, WIRE_TALLY_READY, sum->ready);
	if (sum->least <= sum->most) /* else the program wrote over its ring */
		tally_put(out, site, WIRE_TALLY_MIN, sum->least);
	tally_put(out, site, WIRE_TALLY_MAX, sum->most);
	for (uint32_t k = tally->low; k <= tally->high; k++) {
		if (sum->n_by_work[k])
			tally_put(out, site, WIRE_TALLY_BY_WORK + k, sum->n_by_work[k]);
		sum->n_by_work[k] = 0;
	}
	tally_clear(tally);
}

uint32_t tally_put_all(struct collapse *c, struct wire_event *event, uint32_t n_most)
{
	struct tally_out out = { event, 0, n_most };

	for (uint32_t i = 0; i < c->n_tallies; i++)
		if (c->tally[i].low <= c->tally[i].high || c->tally[i].sum.n_tasks)
			tally_put_site(&out, &c->tally[i]);
	if (c->n_waits)
		tally_put(&out, 0, WIRE_TALLY_WAITS, c->n_waits);
	if (c->n_taken_out)
		tally_put(&out, 0, WIRE_TALLY_EVENTS, c->n_taken_out);
	return out.n;
}
