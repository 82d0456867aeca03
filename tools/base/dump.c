/* SPDX-License-Identifier: MIT */
/* dump.c - a trace to text. */
#include "tools/base/dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/trace/reader.h"
#include "tools/base/event_text.h"

static void put_metas(struct lines *out, const struct defs *defs)
{
	for (uint32_t i = 0; i < defs->n_metas; i++) {
		const struct defs_meta *meta = &defs->meta[i];
		char *key = malloc(3 * strlen(meta->key) + 1);

		if (key && *meta->value)
			lines_meta(out, lines_escape(key, meta->key), meta->value);
		else if (key)
			lines_print(out, "meta %s \n", lines_escape(key, meta->key));
		free(key);
	}
}

static void put_defs(FILE *to, const struct defs *defs)
{
	static const enum defs_numbered order[] = { DEFS_RUNTIME, DEFS_MODULE, DEFS_COUNTER,
						    DEFS_PATH,	  DEFS_SITE,   DEFS_FRAME,
						    DEFS_STACK };
	struct lines all = { 0 }, *out = &all;

	lines_print(out, TEXT_FIRST_WORDS TEXT_VERSION "\nclock");
	lines_word(out, defs->clock ? defs->clock : "ns");
	if (defs->n_syncs)
		defs_put_sync(out, defs->first, false);
	for (uint32_t i = 0; i < defs->n_snapshots; i++)
		defs_put_sync(out, defs->snapshot[i], true);
	if (defs->n_syncs > 1)
		defs_put_sync(out, defs->last, false);
	if (defs->whole_units)
		lines_print(out, "whole %" PRIu64 "\n", defs->whole_units);
	put_metas(out, defs);
	for (uint32_t i = 0; i < defs->n_marks; i++)
		defs_put_mark(out, &defs->mark[i]);
	for (uint32_t i = 0; i < defs->n_cpus; i++)
		defs_put_cpu(out, &defs->cpu[i]);
	for (uint32_t i = 0; i < defs->n_processes; i++)
		defs_put_process(out, &defs->process[i]);
	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++)
		defs_put_all(out, defs, order[k]);
	for (uint32_t i = 0; i < defs->n_samples; i++)
		defs_put_sample(out, &defs->sample[i]);
	lines_pour(out, to);
}

struct head {
	struct cursor cursor;
	const struct event *event; /* the next one */
};

struct dump {
	struct head *head; /* by worker */
	uint32_t *heap;	   /* workers that have events left, the earliest first */
	uint32_t n;
	struct decoder *decoder; /* of all cursors */
};

static bool dump_before(const struct dump *dump, uint32_t a, uint32_t b)
{
	uint64_t x = dump->head[a].event->units, y = dump->head[b].event->units;

	return x != y ? x < y : a < b;
}

/* Moves the worker at `at` down to its place. */
static void dump_sink(struct dump *dump, uint32_t at)
{
	uint32_t worker = dump->heap[at];

	for (uint32_t child; (child = 2 * at + 1) < dump->n; at = child) {
		if (child + 1 < dump->n &&
		    dump_before(dump, dump->heap[child + 1], dump->heap[child]))
			child++;
		if (dump_before(dump, worker, dump->heap[child]))
			break;
		dump->heap[at] = dump->heap[child];
	}
	dump->heap[at] = worker;
}

static int dump_begin(struct dump *dump, const struct reader *reader, uint32_t n, struct err *err)
{
	int got = 0;

	dump->head = xcalloc(n + 1, sizeof(*dump->head));
	dump->heap = xcalloc(n + 1, sizeof(*dump->heap));
	dump->decoder = decoder_new() ?: (out_of_memory(), NULL);
	for (uint32_t w = 0; w < n && got >= 0; w++) {
		cursor_open(&dump->head[w].cursor, reader, w);
		cursor_borrow(&dump->head[w].cursor, dump->decoder);
		got = cursor_next(&dump->head[w].cursor, &dump->head[w].event, err);
		if (got > 0)
			dump->heap[dump->n++] = w;
	}
	for (uint32_t i = dump->n; got >= 0 && i-- > 0;)
		dump_sink(dump, i);
	return got;
}

/* The earliest event, and those behind it that have no time of their own. */
static int dump_next(struct dump *dump, FILE *out, struct err *err)
{
	uint32_t worker = dump->heap[0];
	struct head *head = &dump->head[worker];
	int got;

	do {
		text_event(out, worker, head->event);
		got = cursor_next(&head->cursor, &head->event, err);
	} while (got > 0 && !kind_timed(head->event->kind));
	if (got == 0)
		dump->heap[0] = dump->heap[--dump->n];
	if (got >= 0 && dump->n)
		dump_sink(dump, 0);
	return got;
}

int text_dump(const struct reader *reader, FILE *out, struct err *err)
{
	uint32_t n = reader_facts(reader)->n_workers;
	struct dump dump = { 0 };
	int got = dump_begin(&dump, reader, n, err);

	put_defs(out, reader_defs(reader));
	while (got >= 0 && dump.n)
		got = dump_next(&dump, out, err);
	for (uint32_t w = 0; w < n; w++)
		cursor_close(&dump.head[w].cursor);
	decoder_free(dump.decoder);
	free(dump.heap);
	free(dump.head);
	return got < 0 ? got : 0;
}
