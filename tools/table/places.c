/* SPDX-License-Identifier: MIT */
/* places.c - texts and order of places. */
#include "tools/table/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/utf8.h"
#include "tools/base/base_name.h"

char *place_text(char *out, size_t room, const struct place *place)
{
	char where[300];
	size_t name = strlen(place->name), left = room;

	place_where(where, sizeof(where), place);
	if ((!place->file && !place->offset) || strcmp(place->name, where) == 0)
		where[0] = 0;
	if (where[0])
		left = strlen(where) + 2 < room ? room - strlen(where) - 2 : 0;
	if (name < left) {
		snprintf(out, room, "%s%s%s", place->name, where[0] ? ", " : "", where);
		return out;
	}
	name = utf8_part(place->name, left > sizeof("..") ? left - sizeof("..") : 0);
	snprintf(out, room, "%.*s..%s%s", (int)name, place->name, where[0] ? ", " : "", where);
	return out;
}

char *place_where(char *out, size_t room, const struct place *place)
{
	const char *base = path_base(place->file ? place->file : place->module);

	if (!place->file && base && place->offset)
		snprintf(out, room, "%s+0x%" PRIx64, base, place->offset);
	else if (!place->file)
		snprintf(out, room, "%s", base ? base : "");
	else if (place->last_line > place->line)
		snprintf(out, room, "%s:%u-%u", base, place->line, place->last_line);
	else
		snprintf(out, room, "%s:%u", base, place->line);
	return out;
}

int place_compare(const struct place *a, const struct place *b)
{
	int order = order_texts(a->name, b->name) ?: order_texts(a->file, b->file);

	order = order ?: order_least(a->line, b->line);
	if (!order && !a->file)
		order = order_texts(a->module, b->module) ?: order_least(a->offset, b->offset);
	return order;
}
