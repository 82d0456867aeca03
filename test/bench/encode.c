/* SPDX-License-Identifier: MIT */
/*
 * encode.c - what packing and collapsing a trace's events costs: encode_block(), pending_add().
 *
 *	encode FILE [ROUNDS]	"ns_per_event N bytes_per_event N collapse_ns_per_event N
 *				 left_of_1000 N events N timed N held_ns N"
 *
 * The events are turned back into what lay in the rings, and packed again in blocks of half a
 * ring, which is when a worker wakes the collector; and, apart from that, collapsed as if all of
 * them were below the limits.  left_of_1000: events that remain then.  timed: those that took a
 * clock reading; held_ns: how long workers waited for the collector when the trace was recorded.
 */
#include "tools/trace/decode.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/drain/pending.h"
#include "tools/trace/reader.h"
#include "test/bench/median.h"
#include "test/bench/now.h"
#include "test/bench/recorded.h"

#define BLOCK_EVENTS 32768u /* as collector/drain/stream.c has it */
#define STEP_EVENTS 2048u
#define LEAST_EVENTS 96u
#define ROUNDS_MAX 1000

struct counts {
	uint64_t n_events, n_timed, held_ns;
};

static int fail(const char *what)
{
	fprintf(stderr, "encode: %s\n", what);
	return 1;
}

static int lane_read(struct recorded *lane, const struct reader *reader, uint32_t worker,
		     struct counts *counts, struct err *err)
{
	struct cursor cursor;
	const struct event *event;
	int got;

	cursor_open(&cursor, reader, worker);
	while ((got = cursor_next(&cursor, &event, err)) > 0) {
		counts->n_events++;
		counts->n_timed += kind_timed(event->kind);
		if (event->kind == WIRE_TRACER)
			counts->held_ns += reader_duration_ns(reader, event->b);
		if (!recorded_add(lane, event)) {
			got = err_set(err, ENOMEM, "out of memory");
			break;
		}
	}
	cursor_close(&cursor);
	return got;
}

/* Packs the lane, block by block; adds to *bytes.  False if out of memory. */
static bool lane_pack(const struct recorded *lane, uint32_t worker, struct encoder *encoder,
		      uint64_t *bytes)
{
	struct encode_source source = { .slot = lane->event };

	for (uint64_t i = 0; i < lane->n; i += source.n) {
		struct wire_block block = { .worker = worker };
		const void *body;

		source.slot = lane->event + i;
		source.n = lane->n - i < BLOCK_EVENTS ? (uint32_t)(lane->n - i) : BLOCK_EVENTS;
		if (encode_block(encoder, &source, &block, &body) < 0)
			return false;
		*bytes += sizeof(block) + block.body_bytes;
	}
	return true;
}

/* Collapses the lane, step by step; adds what remains to *n_left.  False if out of memory. */
static bool lane_collapse(const struct recorded *lane, uint32_t worker, struct collapse *collapse,
			  uint64_t *n_left)
{
	const struct collapse_limits limits = { UINT64_MAX, UINT64_MAX, false, LEAST_EVENTS,
						false };
	struct slice source = { .slot = lane->event,
					  .worker = worker };
	struct pending_spare spare = { .most = PENDING_SLOTS, .room = PENDING_SLOTS };
	struct pending_buffer pending = { .spare = &spare };
	bool done = true;

	for (uint64_t i = 0; i < lane->n && done; i += source.n) {
		source.slot = lane->event + i;
		source.n = lane->n - i < STEP_EVENTS ? (uint32_t)(lane->n - i) : STEP_EVENTS;
		if (!pending_make_room(&pending, collapse, &limits, worker, source.n)) {
			*n_left += pending.n;
			pending_clear(&pending);
		}
		done = pending_open(&pending);
		if (done)
			pending_add(&pending, collapse, &limits, &source);
	}
	pending_collapse(&pending, collapse, &limits, worker);
	*n_left += pending.n;
	pending_free(&pending);
	pending_free_spare(&spare);
	return done;
}

static int measure(const struct recorded *lane, uint32_t n_lanes, const struct counts *counts,
		   int n_rounds)
{
	struct encoder *encoder = encoder_new();
	double pack_ns[ROUNDS_MAX], collapse_ns[ROUNDS_MAX], n = (double)counts->n_events;
	uint64_t bytes = 0, n_left = 0;
	bool done = encoder;

	for (int round = 0; round < n_rounds && done; round++) {
		struct collapse *collapse = collapse_new();
		uint64_t begin_ns = now_cpu_ns();

		bytes = n_left = 0;
		for (uint32_t w = 0; w < n_lanes && done; w++)
			done = lane_pack(&lane[w], w, encoder, &bytes);
		pack_ns[round] = (double)(now_cpu_ns() - begin_ns);
		begin_ns = now_cpu_ns();
		for (uint32_t w = 0; w < n_lanes && done; w++)
			done = collapse && lane_collapse(&lane[w], w, collapse, &n_left);
		collapse_ns[round] = (double)(now_cpu_ns() - begin_ns);
		collapse_free(collapse);
	}
	encoder_free(encoder);
	if (!done)
		return fail("out of memory");
	printf("ns_per_event %.4f bytes_per_event %.4f ", median(pack_ns, n_rounds) / n,
	       (double)bytes / n);
	printf("collapse_ns_per_event %.4f left_of_1000 %.1f events %llu timed %llu held_ns %llu\n",
	       median(collapse_ns, n_rounds) / n, (double)n_left * 1000 / n,
	       (unsigned long long)counts->n_events, (unsigned long long)counts->n_timed,
	       (unsigned long long)counts->held_ns);
	return 0;
}

int main(int argc, char **argv)
{
	int n_rounds = argc > 2 ? atoi(argv[2]) : 9;
	struct counts counts = { 0 };
	struct reader *reader = NULL;
	struct recorded *lane = NULL;
	struct err err = { 0 };
	uint32_t n_lanes = 0;
	int status = 1;

	if (argc < 2 || n_rounds < 1 || n_rounds > ROUNDS_MAX)
		return 2;
	if (reader_open(&reader, argv[1], &err) < 0)
		return fail(err.text);
	lane = calloc(reader_facts(reader)->n_workers + 1, sizeof(*lane));
	for (; lane && n_lanes < reader_facts(reader)->n_workers; n_lanes++)
		if (lane_read(&lane[n_lanes], reader, n_lanes, &counts, &err) < 0)
			break;
	if (!lane || n_lanes < reader_facts(reader)->n_workers)
		fail(err.text[0] ? err.text : "out of memory");
	else if (counts.n_events == 0)
		fail("no events in it");
	else
		status = measure(lane, n_lanes, &counts, n_rounds);
	for (uint32_t w = 0; lane && w < reader_facts(reader)->n_workers; w++)
		free(lane[w].event);
	free(lane);
	reader_close(reader);
	return status;
}
