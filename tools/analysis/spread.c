/* SPDX-License-Identifier: MIT */
/* spread.c - counts in a hash table, which becomes a sorted list. */
#include "tools/analysis/spread.h"

#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"

#define BUCKET_BITS 9 /* of a key; WIRE_BUCKETS fit */

void spreads_open(struct spreads *spreads, uint64_t n_rows)
{
	*spreads = (struct spreads){ .n_rows = n_rows };
	spreads->row = xcalloc(n_rows + 1, sizeof(*spreads->row));
}

void spreads_free(struct spreads *spreads)
{
	free(spreads->row);
	free(spreads->bin);
	map_free(&spreads->count);
	*spreads = (struct spreads){ 0 };
}

void spreads_count_bucket(struct spreads *spreads, uint64_t row, uint32_t bucket, uint64_t n)
{
	uint64_t *count = map_put(&spreads->count, row << BUCKET_BITS | bucket);

	*count += n;
	spreads->row[row].n += n;
}

void spreads_count(struct spreads *spreads, uint64_t row, uint64_t value)
{
	struct spread *spread = &spreads->row[row];

	if (spread->n == 0 || value < spread->least)
		spread->least = value;
	if (value > spread->most)
		spread->most = value;
	spread->sum += value;
	spreads_count_bucket(spreads, row, wire_bucket(value), 1);
}

ORDER(by_key, struct map_entry, BY_LEAST(key))

void spreads_settle(struct spreads *spreads)
{
	const struct map *count = &spreads->count;
	struct map_entry *entry = xmalloc((count->n + 1ull) * sizeof(*entry));
	uint32_t n = 0;

	spreads->bin = xmalloc((count->n + 1ull) * sizeof(*spreads->bin));
	for (uint32_t i = 0; i < count->n_slots; i++)
		if (count->used[i])
			entry[n++] = count->entry[i];
	SORT(entry, n, by_key);
	for (uint32_t i = 0; i < n; i++) {
		struct spread *spread = &spreads->row[entry[i].key >> BUCKET_BITS];

		if (spread->n_bins++ == 0)
			spread->first_bin = i;
		spreads->bin[i].bucket = entry[i].key & ((1u << BUCKET_BITS) - 1);
		spreads->bin[i].n = entry[i].value;
	}
	free(entry);
	map_free(&spreads->count);
}

uint64_t spreads_quantile(const struct spreads *spreads, uint64_t row, double part)
{
	const struct spread *spread = &spreads->row[row];
	const struct spread_bin *bin = &spreads->bin[spread->first_bin];
	uint64_t rank = spread->n ? (uint64_t)((double)(spread->n - 1) * part) : 0;
	uint64_t low, high, value;

	if (spread->n == 0)
		return 0;
	while (rank >= bin->n)
		rank -= bin++->n;
	low = wire_bucket_least(bin->bucket);
	high = bin->bucket + 1 < WIRE_BUCKETS ? wire_bucket_least(bin->bucket + 1) : UINT64_MAX;
	value = low + (uint64_t)((double)(high - low) * ((double)rank + .5) / (double)bin->n);
	if (value < spread->least)
		return spread->least;
	return value > spread->most ? spread->most : value;
}
