/* SPDX-License-Identifier: MIT */
/*
 * collapse_packed.c - tallies as varints: the waits; of each site its number, tasks, work, ready,
 * least and most; and of each bucket that is not empty how far it is from the one before, plus one,
 * and how many tasks it has; then 0.
 */
#include "collector/collapse/collapse_packed.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/collapse/collapse_tally.h"
#include "collector/trace/varint.h"
#include "collector/session/layout.h"

#define SITE_MAX (VARINT_MAX * (7 + 2 * WIRE_BUCKETS)) /* bytes of a site, at most */

static void put(struct collapse_packed *out, uint64_t value)
{
	out->n = (size_t)(varint_store(out->byte + out->n, value) - out->byte);
}

static void put_site(struct collapse_packed *out, const struct collapse_tally *tally)
{
	uint32_t before = 0;

	put(out, tally->site);
	put(out, tally->n_tasks);
	put(out, tally->work);
	put(out, tally->ready);
	put(out, tally->least);
	put(out, tally->most);
	for (uint32_t k = wire_bucket(tally->least); k <= wire_bucket(tally->most); k++) {
		if (!tally->n_by_work[k])
			continue;
		put(out, k - before + 1);
		put(out, tally->n_by_work[k]);
		before = k;
	}
	put(out, 0);
	out->n_tasks += tally->n_tasks;
}

static bool make_room(struct collapse_packed *out)
{
	size_t room = 2 * out->room + SITE_MAX;
	uint8_t *byte;

	if (out->room - out->n >= SITE_MAX)
		return true;
	byte = realloc(out->byte, room);
	if (!byte)
		return false;
	out->byte = byte;
	out->room = room;
	return true;
}

int collapse_pack(struct collapse *from, struct collapse_packed *out)
{
	bool any = from->n_waits != 0;

	out->n = out->n_tasks = 0;
	for (uint32_t i = 0; i < from->n_tallies && !any; i++)
		any = from->tally[i].n_tasks != 0;
	if (!any)
		return 0;
	if (!make_room(out))
		return -ENOMEM;
	put(out, from->n_waits);
	for (uint32_t i = 0; i < from->n_tallies; i++) {
		if (!from->tally[i].n_tasks)
			continue;
		if (!make_room(out))
			return -ENOMEM;
		put_site(out, &from->tally[i]);
	}
	collapse_forget(from);
	return 0;
}

/* The next varint; 0 if it is cut off. */
static uint64_t take(const uint8_t **at, const uint8_t *end)
{
	uint64_t value;

	return varint_load(at, end, &value) ? value : 0;
}

static void take_buckets(uint64_t *n_by_work, const uint8_t **at, const uint8_t *end)
{
	uint64_t k = 0, step;

	while ((step = take(at, end)) && step <= WIRE_BUCKETS && k + step - 1 < WIRE_BUCKETS) {
		k += step - 1;
		n_by_work[k] += take(at, end);
	}
}

/* False if it makes no sense. */
static bool take_site(struct collapse *into, const uint8_t **at, const uint8_t *end)
{
	uint64_t site = take(at, end), least, most;
	struct collapse_tally *tally =
		site < SESSION_SITES ? tally_at(into, tally_of(into, (uint32_t)site)) : NULL;

	if (!tally)
		return false;
	tally->n_tasks += take(at, end);
	tally->work += take(at, end);
	tally->ready += take(at, end);
	least = take(at, end);
	most = take(at, end);
	tally->least = least < tally->least ? least : tally->least;
	tally->most = most > tally->most ? most : tally->most;
	take_buckets(tally->n_by_work, at, end);
	return true;
}

/* Sites that another has tallied were in its share of them, and not in this one's. */
void collapse_unpack(struct collapse *into, const void *bytes, size_t n)
{
	const uint8_t *at = bytes, *end = n ? at + n : at;
	uint32_t left = into->tally_room - into->n_tallies;

	into->n_waits += take(&at, end);
	into->tally_room = COLLAPSE_TALLIES;
	while (at < end && take_site(into, &at, end))
		;
	if (left < COLLAPSE_TALLIES - into->n_tallies)
		into->tally_room = into->n_tallies + left;
}

void collapse_forget(struct collapse *collapse)
{
	for (uint32_t i = 0; i < collapse->n_tallies; i++)
		if (collapse->tally[i].n_tasks)
			tally_empty(&collapse->tally[i]);
	collapse->n_waits = 0;
}

void collapse_packed_free(struct collapse_packed *packed)
{
	free(packed->byte);
	*packed = (struct collapse_packed){ 0 };
}
