/* SPDX-License-Identifier: MIT */
/* kept.c - a trace's names, looked up once and written behind its events. */
#include "tools/run/kept.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/run/amend.h"
#include "tools/base/map.h"

static uint64_t max_bytes(const struct defs *defs)
{
	const char *text = defs_meta(defs, "max_size");

	return text ? strtoull(text, NULL, 10) : 0;
}

#define OBJECTS_MOST 256u		/* that get names */
#define EVENTS_MOST (UINT64_C(1) << 24) /* of larger traces objects are looked up at the report */

/* Names the objects that a worker's tasks waited for. */
static int put_objects_of(const struct reader *reader, uint32_t worker, const struct sites *sites,
			  struct map *seen, FILE *out)
{
	const struct event *event;
	struct cursor cursor;
	struct err err;
	int more = 1;

	cursor_open(&cursor, reader, worker);
	while (more > 0 && seen->n < OBJECTS_MOST &&
	       (more = cursor_next(&cursor, &event, &err)) > 0) {
		uint64_t *known = event->kind == WIRE_OBJECT ? map_put(seen, event->b) : NULL;

		if (known && !(*known)++)
			sites_put_object(sites, event->b, out);
	}
	cursor_close(&cursor);
	return more;
}

static void put_objects(const struct reader *reader, const struct sites *sites, FILE *out)
{
	const struct reader_facts *facts = reader_facts(reader);
	struct map seen = { 0 };

	for (uint32_t w = 0; facts->n_events <= EVENTS_MOST && w < facts->n_workers; w++)
		if (put_objects_of(reader, w, sites, &seen, out) < 0)
			break;
	map_free(&seen);
}

bool kept_is_wanted(const struct defs *defs)
{
	const char *names = defs_meta(defs, "names");

	return names && strcmp(names, "later") == 0;
}

int kept_put(const struct reader *reader, const struct sites *sites, struct err *err)
{
	const char *path = reader_facts(reader)->path;
	char *lines = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&lines, &bytes);
	int error = ENOMEM;

	if (out) {
		sites_put(sites, out);
		put_objects(reader, sites, out);
		error = fclose(out) == 0 ? 0 : ENOMEM;
	}
	error = error ? err_set(err, error, "%s: out of memory", path)
		      : trace_amend(path, lines, bytes, max_bytes(reader_defs(reader)), err);
	free(lines);
	return error;
}

int kept_leave(const char *path, struct err *err)
{
	static const char line[] = "meta names later\n";

	return trace_amend(path, line, sizeof(line) - 1, 0, err);
}
