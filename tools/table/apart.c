/* SPDX-License-Identifier: MIT */
/* apart.c - groups names by what they are cut to, until no group has names that differ. */
#include "tools/table/apart.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/map.h"
#include "tools/base/written.h"
#include "tools/base/xalloc.h"
#include "tools/table/fit.h"

struct apart_row {
	char *name, *place;
	int columns;
	size_t from;   /* bytes that the name may lose first */
	size_t shared; /* the first of a group: bytes that all its names begin with */
	uint64_t text; /* a hash of what is put */
};

void apart_add(struct apart *apart, const char *name, const char *place)
{
	ARRAY_ADD(apart->row, apart->n, apart->room,
		  (struct apart_row){ .name = xstrdup(name), .place = xstrdup(place) });
}

static void put_apart_row(FILE *out, const void *of)
{
	const struct apart_row *row = of;

	fit_name_from(out, row->name, row->from, row->place, row->columns);
}

static size_t shared_by(const char *a, const char *b, size_t most)
{
	size_t n = 0;

	while (n < most && a[n] && a[n] == b[n])
		n++;
	return n;
}

/* by_text: what is put -> the first of the group, from 1. */
static void group_rows(struct apart *apart, struct map *by_text)
{
	for (uint64_t i = 0; i < apart->n; i++) {
		struct apart_row *row = &apart->row[i], *first;
		FREED char *text = written(put_apart_row, row, NULL);
		uint64_t *found = map_put(by_text, row->text = map_hash(MAP_HASH, text));

		if (!*found)
			*found = i + 1;
		first = &apart->row[*found - 1];
		first->shared = first == row ? strlen(row->name)
					     : shared_by(first->name, row->name, first->shared);
	}
}

/* Whether any name begins later now. */
static bool part_groups(struct apart *apart, const struct map *by_text)
{
	bool any = false;

	for (uint64_t i = 0; i < apart->n; i++) {
		struct apart_row *row = &apart->row[i];
		const uint64_t *found = map_find(by_text, row->text);
		size_t shared = found && *found ? apart->row[*found - 1].shared : 0;

		if (shared > row->from && row->name[shared]) {
			row->from = shared;
			any = true;
		}
	}
	return any;
}

void apart_fit(struct apart *apart, int columns)
{
	for (uint64_t i = 0; i < apart->n; i++)
		apart->row[i].columns = columns;
	for (bool any = true; any;) {
		AT_END(map_free) struct map by_text = { 0 };

		group_rows(apart, &by_text);
		any = part_groups(apart, &by_text);
	}
}

void apart_put(FILE *out, const struct apart *apart, uint64_t row)
{
	put_apart_row(out, &apart->row[row]);
}

void apart_free(struct apart *apart)
{
	for (uint64_t i = 0; i < apart->n; i++) {
		free(apart->row[i].name);
		free(apart->row[i].place);
	}
	free(apart->row);
	*apart = (struct apart){ 0 };
}
