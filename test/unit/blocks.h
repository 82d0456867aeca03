/* SPDX-License-Identifier: MIT */
/*
 * blocks.h - an encoder and its decoder; and whether a block of events that goes through
 * both is what the model of stream.h says.
 */
#pragma once

#include "tools/trace/decode.h"

#include <stdlib.h>

#include "test/lib/test.h"
#include "test/unit/stream.h"

struct pair {
	struct encoder *encoder;
	struct decoder *decoder;
};

static inline void pair_new(struct pair *pair)
{
	pair->encoder = encoder_new();
	pair->decoder = decoder_new();
	assert_non_null(pair->encoder);
	assert_non_null(pair->decoder);
}

static inline void pair_free(struct pair *pair)
{
	encoder_free(pair->encoder);
	decoder_free(pair->decoder);
}

static inline void check_events(const struct event *want, const struct event *got, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!event_equals(&want[i], &got[i]))
			fail_msg("event %u: kind %u units %llu b %llx made %llx, "
				 "want kind %u units %llu b %llx made %llx",
				 i, got[i].kind, (unsigned long long)got[i].units,
				 (unsigned long long)got[i].b, (unsigned long long)got[i].made,
				 want[i].kind, (unsigned long long)want[i].units,
				 (unsigned long long)want[i].b, (unsigned long long)want[i].made);
}

/*
 * Packs and unpacks source->n events and compares them with the model.  The memory that is
 * decoded to ends with the last event, so that a tool sees what is written behind it.
 */
static inline void check_block(struct pair *pair, struct encode_source *source, struct model *model,
			       struct wire_block *block, const void **body)
{
	struct wire_event *in = malloc(source->n * sizeof(*in));
	struct event *want = malloc(source->n * sizeof(*want));
	struct event *got = malloc(source->n * sizeof(*got));
	uint64_t n_tasks = source->n_tasks, first_id = source->n_ids;
	const char *what = "";

	for (uint32_t i = 0; i < source->n; i++) {
		unsigned kind;

		in[i] = source->slot[i];
		kind = event_kind(&in[i]);
		n_tasks += tasks_made(kind, in[i].b);
	}
	model_block(model, in, source->n, want);
	*block = (struct wire_block){ .worker = model->worker };
	assert_int_equal(encode_block(pair->encoder, source, block, body), 0);
	assert_int_equal(decode_block(pair->decoder, block, *body, got, &what), source->n);
	assert_null(what);
	check_events(want, got, source->n);
	assert_int_equal(block->magic, WIRE_BLOCK_MAGIC);
	assert_int_equal(block->type, WIRE_EVENTS);
	assert_int_equal(block->n_events, source->n);
	assert_int_equal(block->first_id, first_id);
	assert_int_equal(block->first_units, want[0].units);
	assert_int_equal(block->last_units, want[source->n - 1].units);
	assert_true(block->raw_bytes >= source->n);
	assert_int_equal(source->last_units, model->last_units);
	assert_int_equal(source->n_ids, model->n_ids);
	assert_int_equal(source->n_tasks, n_tasks);
	free(in);
	free(want);
	free(got);
}
