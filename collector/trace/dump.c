/* SPDX-License-Identifier: MIT */
/* dump.c - a trace to text. */
#include "collector/trace/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/trace/reader.h"
#include "collector/trace/event_text.h"

static void put_field(FILE *out, const char *key, const char *value)
{
	char *room;

	if (!value)
		return;
	room = malloc(3 * strlen(value) + 1);
	if (room)
		fprintf(out, " %s=%s", key, defs_escape(room, value));
	free(room);
}

static void put_marks(FILE *out, const struct defs *defs)
{
	for (uint32_t i = 0; i < defs->n_marks; i++) {
		const struct defs_mark *mark = &defs->mark[i];
		char *room = mark->name ? malloc(3 * strlen(mark->name) + 1) : NULL;

		fprintf(out, "mark %" PRIu64 " %s%s%s\n", mark->units, defs_mark_word[mark->what],
			room ? " " : "", room ? defs_escape(room, mark->name) : "");
		free(room);
	}
}

static void put_cpus(FILE *out, const struct defs *defs)
{
	struct lines cpus = { 0 };

	for (uint32_t i = 0; i < defs->n_cpus; i++)
		defs_put_cpu(&cpus, &defs->cpu[i]);
	lines_pour(&cpus, out);
}

static void put_samples(FILE *out, const struct defs *defs)
{
	struct lines lines = { 0 };

	for (uint32_t i = 0; i < defs->n_frames; i++)
		defs_put_frame(&lines, i, &defs->frame[i]);
	for (uint32_t i = 1; i < defs->n_stacks; i++)
		defs_put_stack(&lines, i, &defs->stack[i]);
	for (uint32_t i = 0; i < defs->n_samples; i++)
		defs_put_sample(&lines, &defs->sample[i]);
	lines_pour(&lines, out);
}

void text_put_modules(FILE *out, const struct defs *defs)
{
	for (uint32_t i = 0; i < defs->n_modules; i++) {
		const struct defs_module *module = &defs->module[i];

		fprintf(out, "module %u start=0x%" PRIx64 " end=0x%" PRIx64 " bias=0x%" PRIx64, i,
			module->start, module->end, module->bias);
		put_field(out, "build-id", module->build_id);
		put_field(out, "path", module->path);
		fputc('\n', out);
	}
}

void text_put_site(FILE *out, const struct defs *defs, uint32_t i)
{
	const struct defs_site *site = &defs->site[i];

	fprintf(out, "site %u runtime=%u ret=0x%" PRIx64 " fn=0x%" PRIx64, i, site->runtime,
		site->return_address, site->function);
	if (site->return_module)
		fprintf(out, " ret-module=%u", site->return_module - 1);
	if (site->function_module)
		fprintf(out, " fn-module=%u", site->function_module - 1);
	put_field(out, "name", site->name);
	put_field(out, "file", site->file);
	fprintf(out, " line=%u", site->line);
	put_field(out, "at", site->at);
	put_field(out, "at-file", site->at_file);
	if (site->at_line)
		fprintf(out, " at-line=%u", site->at_line);
	fputc('\n', out);
}

static void dump_counters(FILE *out, const struct defs *defs)
{
	for (uint32_t i = 0; i < defs->n_counters; i++) {
		fprintf(out, "counter %u", i);
		put_field(out, "name", defs->counter[i].name);
		put_field(out, "unit", defs->counter[i].unit);
		fputc('\n', out);
	}
}

static void dump_paths(FILE *out, const struct defs *defs)
{
	for (uint32_t i = 1; i < defs->n_paths; i++)
		fprintf(out, "path %u site=%u parent=%u\n", i, defs->path[i].site,
			defs->path[i].parent);
}

static void put_defs(FILE *out, const struct defs *defs)
{
	char *clock = malloc(3 * strlen(defs->clock ? defs->clock : "") + 3);

	fprintf(out, TEXT_FIRST_WORDS TEXT_VERSION "\nclock %s\n",
		clock && defs->clock ? defs_escape(clock, defs->clock) : "ns");
	free(clock);
	if (defs->n_syncs)
		fprintf(out, "sync %" PRIu64 " %" PRIu64 "\n", defs->first.units, defs->first.ns);
	for (uint32_t i = 0; i < defs->n_snapshots; i++)
		fprintf(out, "sync %" PRIu64 " %" PRIu64 " snapshot\n", defs->snapshot[i].units,
			defs->snapshot[i].ns);
	if (defs->n_syncs > 1)
		fprintf(out, "sync %" PRIu64 " %" PRIu64 "\n", defs->last.units, defs->last.ns);
	if (defs->whole_units)
		fprintf(out, "whole %" PRIu64 "\n", defs->whole_units);
	for (uint32_t i = 0; i < defs->n_metas; i++) {
		char *room = malloc(3 * strlen(defs->meta[i].value) + 1);

		char *key = malloc(3 * strlen(defs->meta[i].key) + 1);

		if (room && key)
			fprintf(out, "meta %s %s\n", defs_escape(key, defs->meta[i].key),
				defs_escape(room, defs->meta[i].value));
		free(room);
		free(key);
	}
	put_marks(out, defs);
	if (defs->n_cpus)
		put_cpus(out, defs);
	for (uint32_t i = 0; i < defs->n_runtimes; i++) {
		fprintf(out, "runtime %u", i);
		put_field(out, "name", defs->runtime[i].name);
		put_field(out, "version", defs->runtime[i].version);
		fprintf(out, " workers=%u", defs->runtime[i].n_workers);
		if (defs->runtime[i].calls_ps)
			fprintf(out, " calls-ps=%u", defs->runtime[i].calls_ps);
		put_field(out, "note", defs->runtime[i].note);
		fputc('\n', out);
	}
	text_put_modules(out, defs);
	dump_counters(out, defs);
	dump_paths(out, defs);
	for (uint32_t i = 0; i < defs->n_sites; i++)
		text_put_site(out, defs, i);
	put_samples(out, defs);
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

	dump->head = calloc(n + 1, sizeof(*dump->head));
	dump->heap = calloc(n + 1, sizeof(*dump->heap));
	dump->decoder = decoder_new();
	if (!dump->head || !dump->heap || !dump->decoder)
		return err_set(err, ENOMEM, "out of memory");
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

	if (dump.heap && dump.head && dump.decoder)
		put_defs(out, reader_defs(reader));
	while (got >= 0 && dump.n)
		got = dump_next(&dump, out, err);
	for (uint32_t w = 0; dump.head && w < n; w++)
		cursor_close(&dump.head[w].cursor);
	decoder_free(dump.decoder);
	free(dump.heap);
	free(dump.head);
	return got < 0 ? got : 0;
}
