/* SPDX-License-Identifier: MIT */
/*
 * collapse.c - collapses a full trace, as the collector would have while it was recorded.
 *
 *	collapse TRACE STRAND TASK PARTS LEAST SLICE [THIN [CLOSELY]]	>collapsed.txt
 *
 * STRAND, TASK and LEAST are struct collapse_limits, and TASK is at least 1 / PARTS of the time so
 * far (unless 0); SLICE is how many events are taken at a time.  With THIN, 1 or 0, each slice was
 * collapsed by the worker itself before.  With CLOSELY, 1 or 0, the pass takes no short cuts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/drain/pending.h"
#include "tools/base/dump.h"
#include "tools/base/event_text.h"
#include "tools/base/load.h"

#define GROWN 40u /* events that one becomes at most, where LEAST is little */

static void die(const char *what)
{
	fprintf(stderr, "collapse: %s\n", what);
	exit(1);
}

/* All lines of the text form that are no events; and whether there are final tasks. */
static void put_definitions(const struct reader *reader, struct collapse_limits *limits)
{
	char *text = NULL, *line, *rest;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	struct err err = { 0 };

	if (!out || text_dump(reader, out, &err) < 0 || fclose(out))
		die(err.text);
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (*line && *line != '-' && (*line < '0' || *line > '9'))
			puts(line);
		else if (strstr(line, " final"))
			limits->final_tasks = true;
	free(text);
}

static void put_events(uint32_t worker, const struct wire_event *event, uint32_t n, uint64_t *n_ids)
{
	for (uint32_t i = 0; i < n; i++) {
		struct event out = { .units = event_ticks(&event[i]),
				     .b = event[i].b,
				     .kind = event_kind(&event[i]) };

		*n_ids = ids_after(out.kind, out.b, *n_ids);
		out.made = id_make(worker, *n_ids);
		text_event(stdout, worker, &out);
	}
}

/* The time of the last timed event. */
static uint64_t last_of(const struct slice *source)
{
	uint32_t i = source->n - 1;

	while (i > 0 && !kind_timed(event_kind(&source->slot[i])))
		i--;
	return event_ticks(&source->slot[i]);
}

/* As preload/worker.c does: what its own pass makes of a slice, if that is less.  A slice that is not
 * taken is counted all the same. */
static void thin(struct collapse *collapse, struct slice *source,
		 const struct collapse_limits *limits, struct wire_event *out)
{
	struct slice own = *source;
	uint32_t n = collapse_run(collapse, &own, limits, out);

	if (n >= source->n)
		return;
	source->slot = out;
	source->n = n;
}

static void collapse_worker(const struct reader *reader, uint32_t worker, struct collapse *collapse,
			    struct collapse *own, const struct collapse_limits *given,
			    uint64_t parts, uint32_t slice)
{
	struct wire_event *ring = calloc(slice, sizeof(*ring));
	struct wire_event *thinned = calloc(slice, GROWN * sizeof(*thinned));
	struct pending_spare spare = { .most = PENDING_SLOTS, .room = PENDING_SLOTS };
	struct pending_buffer pending = { .spare = &spare };
	struct cursor cursor;
	const struct event *event;
	struct err err = { 0 };
	uint64_t n_ids = 0, begin = UINT64_MAX;
	struct collapse_limits now = *given, *limits = &now;
	int got = 1;

	cursor_open(&cursor, reader, worker);
	while (ring && thinned && got > 0) {
		struct slice source = { .slot = ring,
						  .worker = worker };

		while (source.n < slice && (got = cursor_next(&cursor, &event, &err)) > 0)
			ring[source.n++] = (struct wire_event){
				(kind_timed(event->kind) ? event->units << 8 : 0) | event->kind,
				event->b
			};
		if (got < 0)
			die(err.text);
		if (begin == UINT64_MAX && source.n)
			begin = event_ticks(&ring[0]);
		if (parts && source.n && last_of(&source) - begin > given->task * parts)
			now.task = (last_of(&source) - begin) / parts;
		source.n_ids = pending.ids; /* of all before, also where it is in a table of few */
		if (own)
			thin(own, &source, limits, thinned);
		if (!pending_has_room(&pending, source.n))
			pending_collapse(&pending, collapse, limits, worker);
		if (!pending_has_room(&pending, source.n)) {
			put_events(worker, pending.event, pending.n, &n_ids);
			pending_clear(&pending);
		}
		if (!pending_open(&pending))
			die("out of memory");
		pending_add(&pending, collapse, limits, &source);
	}
	pending_collapse(&pending, collapse, limits, worker);
	put_events(worker, pending.event, pending.n, &n_ids);
	cursor_close(&cursor);
	pending_free(&pending);
	pending_free_spare(&spare);
	free(ring);
	free(thinned);
}

int main(int argc, char **argv)
{
	const struct collapse_size few = { .n_children = 64, .n_sites = 2 };
	struct collapse *collapse = collapse_new(), *own = NULL;
	struct collapse_limits limits = { 0 };
	struct reader *reader;
	struct err err = { 0 };
	uint32_t slice;

	if (argc < 7 || argc > 9 || !collapse)
		die("TRACE STRAND TASK PARTS LEAST SLICE [THIN [CLOSELY]]");
	if (argc >= 8 && strcmp(argv[7], "1") == 0)
		own = collapse_make(
			memset(aligned_alloc(64, collapse_bytes(few)), 0, collapse_bytes(few)),
			few);
	limits.strand = strtoull(argv[2], NULL, 0);
	limits.task = strtoull(argv[3], NULL, 0);
	limits.closely = argc == 9 && strcmp(argv[8], "1") == 0;
	limits.least = (uint32_t)strtoul(argv[5], NULL, 0);
	limits.grows = limits.least < WIRE_COLLAPSED_FIELDS;
	slice = (uint32_t)strtoul(argv[6], NULL, 0);
	if (slice == 0 || slice > PENDING_SLOTS)
		die("a slice of no events, or of too many");
	if (text_open(&reader, argv[1], &err) < 0)
		die(err.text);
	put_definitions(reader, &limits);
	for (uint32_t w = 0; w < reader_facts(reader)->n_workers; w++)
		collapse_worker(reader, w, collapse, own, &limits, strtoull(argv[4], NULL, 0),
				slice);
	reader_close(reader);
	collapse_free(collapse);
	free(own);
	return fflush(stdout) ? 1 : 0;
}
