/* SPDX-License-Identifier: MIT */
/*
 * collapse.c - fuzz target: events of one worker, in slices, collapsed as the worker does it and
 * then as the collector does: in the program's memory nothing may go wrong, whatever they are.  And
 * the pass in short comes to the same as the one that looks closely.
 *
 * 4 bytes of limits and sizes; of each event 4 bytes: kind, operand, what the operand is, time.
 */
#include "collector/collapse/collapse.h"
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "collector/trace/events.h"
#include "collector/trace/operand.h"

#define MAKING_EVENTS 1024u /* a power of two: they lie in a ring */
#define WORKER 3u

struct making {
	struct wire_event slot[MAKING_EVENTS], out[2 * MAKING_EVENTS], closely[2 * MAKING_EVENTS];
	uint64_t now;
};

/* Few values, so that events have to do with one another. */
static uint64_t operand(const uint8_t *data)
{
	uint64_t small = data[1];

	switch (data[2] & 7) {
	case 0:
		return small;
	case 1:
	case 2:
		return id_make(WORKER, small);
	case 3:
		return site_make((uint32_t)small & 7, (uint32_t)(data[2] >> 3));
	case 4:
		return small << 56 | data[2];
	case 5:
		return UINT64_MAX - small;
	default:
		return small << (data[2] >> 3);
	}
}

static struct wire_event event_of(struct making *making, const uint8_t *data)
{
	unsigned kind = data[0] & 63;
	uint64_t dt = data[3] == 255 ? UINT64_C(1) << 33 : data[3];

	making->now += kind_timed(kind) ? dt : 0;
	return (struct wire_event){ kind_timed(kind) ? event_at(making->now, kind) : kind,
				    operand(data) };
}

static uint64_t ids_of(const struct wire_event *event, uint32_t n, uint64_t n_ids)
{
	for (uint32_t i = 0; i < n; i++)
		n_ids = ids_after(event_kind(&event[i]), event[i].b, n_ids);
	return n_ids;
}

/* Events that the worker made for those. */
static uint64_t made_of(const struct wire_event *event, uint32_t n)
{
	uint64_t made = 0;

	for (uint32_t i = 0; i < n; i++)
		made += events_made(&event[i]);
	return made;
}

static uint64_t made_in(const struct slice *source)
{
	uint64_t made = 0;

	for (uint32_t i = 0; i < source->n; i++)
		made += events_made(&source->slot[i]);
	return made;
}

/* The worker's pass and the collector's. */
struct passes {
	struct collapse *own, *collector;
	struct collapse_limits limits;
};

static struct passes passes_make(const struct collapse_limits *limits, bool closely)
{
	const struct collapse_size few = { .n_children = 16, .n_sites = 2 };
	void *memory = memset(aligned_alloc(64, collapse_bytes(few)), 0, collapse_bytes(few));
	struct passes passes = { collapse_make(memory, few), collapse_new(), *limits };

	passes.limits.closely = closely;
	return passes;
}

static void passes_free(struct passes *passes)
{
	free(passes->own);
	collapse_free(passes->collector);
}

/* A slice of a worker's, collapsed; ids are as many as before.  How many events are left in out. */
static uint32_t run(struct passes *passes, struct slice *source, struct wire_event *out)
{
	uint64_t n_ids = source->n_ids;
	struct slice left = { .slot = out, .worker = WORKER };
	struct wire_event *again = out + MAKING_EVENTS;

	left.n_ids = n_ids;
	left.n = collapse_run(passes->own, source, &passes->limits, out);
	fuzz_check(left.n <= source->n);
	fuzz_check(ids_of(out, left.n, n_ids) == source->n_ids);
	fuzz_check(made_of(out, left.n) == made_in(source));
	left.n = collapse_run(passes->collector, &left, &passes->limits, again);
	fuzz_check(ids_of(again, left.n, n_ids) == source->n_ids);
	return MAKING_EVENTS + left.n;
}

/* Both come to the same, tallies and all. */
static void run_both(struct making *making, struct passes *passes, struct passes *closely,
		     struct slice *source)
{
	struct slice same = *source;
	uint32_t n = run(passes, source, making->out);

	fuzz_check(n == run(closely, &same, making->closely));
	fuzz_check(!memcmp(making->out, making->closely, n * sizeof(*making->out)));
	fuzz_check(source->n_ids == same.n_ids);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct making making;
	struct collapse_limits limits = { 0 };
	struct slice source = { .slot = making.slot, .worker = WORKER };
	struct passes passes, closely;
	size_t n_slice;

	if (bytes < 4)
		return 0;
	making.now = 0;
	limits.strand = data[0] ? data[0] : UINT64_MAX;
	limits.task = data[1] ? data[1] * UINT64_C(4) : UINT64_MAX;
	limits.least = WIRE_COLLAPSED_FIELDS + data[2] % 8;
	limits.final_tasks = data[2] & 8;
	n_slice = 1 + 4 * (size_t)data[3];
	passes = passes_make(&limits, false);
	closely = passes_make(&limits, true);
	memset(making.out, 0, sizeof(making.out)); /* what is left unwritten is the same */
	memset(making.closely, 0, sizeof(making.closely));
	for (data += 4, bytes = (bytes - 4) / 4; bytes; bytes -= source.n) {
		source.n = (uint32_t)(bytes < n_slice ? bytes : n_slice);
		for (uint32_t i = 0; i < source.n; i++, data += 4)
			making.slot[i] = event_of(&making, data);
		run_both(&making, &passes, &closely, &source);
	}
	passes_free(&passes);
	passes_free(&closely);
	return 0;
}
