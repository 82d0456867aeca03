/* SPDX-License-Identifier: MIT */
/* decode.c - unpacks what encode.c packed, and trusts none of it. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zstd.h>

#include "collector/encode.h"
#include "collector/predict.h"

struct bytes {
	const uint8_t *at, *end;
};

struct decoder {
	struct predictor predictor;
	struct bytes column[ENCODE_COLUMNS];
	ZSTD_DCtx *zstd;
	uint8_t *raw;
	size_t raw_room;
	uint64_t last_address;
	const char *what; /* is wrong; NULL while nothing is */
};

struct decoder *decoder_new(void)
{
	struct decoder *decoder = calloc(1, sizeof(*decoder));

	if (!decoder)
		return NULL;
	decoder->zstd = ZSTD_createDCtx();
	if (!decoder->zstd) {
		free(decoder);
		return NULL;
	}
	return decoder;
}

void decoder_free(struct decoder *decoder)
{
	if (!decoder)
		return;
	ZSTD_freeDCtx(decoder->zstd);
	free(decoder->raw);
	free(decoder);
}

static inline uint64_t take_varint(struct decoder *decoder, struct bytes *in)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (in->at == in->end)
			break;
		uint8_t byte = *in->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	decoder->what = "a number is cut off";
	return 0;
}

static uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ -(value & 1);
}

static uint64_t take_id(struct decoder *decoder)
{
	struct bytes *ids = &decoder->column[COLUMN_IDS];
	uint64_t worker = take_varint(decoder, ids);
	uint64_t n = decoder->predictor.n_ids + unzigzag(take_varint(decoder, ids));

	if (worker >= WIRE_WORKERS || n >> WIRE_ID_WORKER_SHIFT)
		decoder->what = "an id is out of range";
	return worker << WIRE_ID_WORKER_SHIFT | n;
}

static inline __attribute__((always_inline)) uint64_t
take_reference(struct decoder *decoder, enum wire_kind kind, unsigned guess)
{
	struct bytes *sites = &decoder->column[COLUMN_SITES];

	if (guess)
		return predict_guess(&decoder->predictor, kind, guess);
	switch (kind) {
	case WIRE_ROOT:
	case WIRE_END:
	case WIRE_GROUP:
	case WIRE_NOWAIT:
	case WIRE_MOVED:
		return 0;
	case WIRE_BEGIN:
	case WIRE_RESUME:
	case WIRE_MEMBER:
	case WIRE_DISCARD:
		return take_id(decoder);
	case WIRE_CREATE:
	case WIRE_FORK:
	case WIRE_WAIT:
	case WIRE_YIELD: {
		uint64_t low = take_varint(decoder, sites);

		return (low & UINT32_MAX) | take_varint(decoder, sites) << 32;
	}
	case WIRE_HIDDEN: {
		struct bytes *hidden = &decoder->column[COLUMN_HIDDEN];
		uint64_t field = take_varint(decoder, hidden), value = take_varint(decoder, hidden);

		if (field == WIRE_HIDDEN_NONE || field >= WIRE_HIDDEN_FIELDS ||
		    value >> WIRE_HIDDEN_SHIFT)
			decoder->what = "hidden tasks of which unknown things are said";
		return field << WIRE_HIDDEN_SHIFT | value;
	}
	default:
		decoder->last_address +=
			unzigzag(take_varint(decoder, &decoder->column[COLUMN_VALUES]));
		return decoder->last_address;
	}
}

/* A count of ids goes on from what the file says: what follows must stay below the worker's bits.
 */
static uint64_t check_value(struct decoder *decoder, enum wire_kind kind, uint64_t value)
{
	if (kind == WIRE_NEXT_ID && value > ENCODE_IDS_MAX)
		decoder->what = "an id is out of range";
	return value;
}

static bool guess_exists(enum wire_kind kind, unsigned guess)
{
	return guess == 0 || (guess == 1 && kind >= WIRE_BEGIN && kind <= WIRE_YIELD) ||
	       (guess == 2 && kind == WIRE_BEGIN);
}

static inline void unpack_reference(struct decoder *decoder, struct event *event, unsigned guess)
{
	switch (event->kind) {
#define CASE(k)                                                                                    \
	case k:                                                                                    \
		event->b = take_reference(decoder, k, guess);                                      \
		event->made = predict_note(&decoder->predictor, k, event->b);                      \
		return;
		PREDICT_EACH_KIND(CASE)
#undef CASE
	default:
		event->b = check_value(decoder, event->kind,
				       take_reference(decoder, event->kind, guess));
		event->made = predict_note(&decoder->predictor, event->kind, event->b);
	}
}

static void unpack_events(struct decoder *decoder, const struct wire_block *block,
			  struct event *out)
{
	struct bytes *tags = &decoder->column[COLUMN_TAGS];
	unsigned last_kind = 0;
	uint64_t units = block->first_units;

	for (uint32_t i = 0; i < block->n_events && !decoder->what; i++) {
		struct event *event = &out[i];
		unsigned kind = *tags->at & 31, guess = *tags->at >> 5;

		tags->at++;
		if (kind == WIRE_NONE || kind >= WIRE_KINDS || !guess_exists(kind, guess)) {
			decoder->what = "an event of unknown kind";
			return;
		}
		if (kind < WIRE_FIRST_UNTIMED) {
			unsigned column = COLUMN_TIMES + last_kind * WIRE_FIRST_UNTIMED + kind;

			uint64_t since = take_varint(decoder, &decoder->column[column]);

			if (units + since < units)
				decoder->what = "a time that is out of range";
			units += since;
			last_kind = kind;
		}
		event->units = units;
		event->kind = kind;
		unpack_reference(decoder, event, guess);
	}
	if (!decoder->what && units != block->last_units)
		decoder->what = "times that do not end where the block says";
}

/* Reads the table of columns and lets each column know its bytes. */
static void find_columns(struct decoder *decoder, const struct wire_block *block)
{
	struct bytes in = { decoder->raw, decoder->raw + block->raw_bytes };
	uint64_t n = take_varint(decoder, &in);
	struct bytes table = in;

	for (uint64_t i = 0; i < 2 * n && !decoder->what; i++)
		take_varint(decoder, &in);
	for (uint64_t i = 0; i < n && !decoder->what; i++) {
		uint64_t column = take_varint(decoder, &table);
		uint64_t bytes = take_varint(decoder, &table);

		if (column >= ENCODE_COLUMNS || bytes > (uint64_t)(in.end - in.at)) {
			decoder->what = "a column is out of bounds";
			return;
		}
		decoder->column[column] = (struct bytes){ in.at, in.at + bytes };
		in.at += bytes;
	}
	const struct bytes *tags = &decoder->column[COLUMN_TAGS];

	if (!decoder->what && tags->end - tags->at != (ptrdiff_t)block->n_events)
		decoder->what = "not as many events as the block says";
}

int decode_block(struct decoder *decoder, const struct wire_block *block, const void *body,
		 struct event *out, const char **what)
{
	*what = "out of memory";
	if (decoder->raw_room < block->raw_bytes) {
		free(decoder->raw);
		decoder->raw = malloc(block->raw_bytes);
		decoder->raw_room = decoder->raw ? block->raw_bytes : 0;
		if (!decoder->raw)
			return -ENOMEM;
	}
	size_t n = ZSTD_decompressDCtx(decoder->zstd, decoder->raw, block->raw_bytes, body,
				       block->body_bytes);

	decoder->what = NULL;
	decoder->last_address = 0;
	memset(decoder->column, 0, sizeof(decoder->column));
	predict_reset(&decoder->predictor, block->worker, block->first_id);
	if (ZSTD_isError(n) || n != block->raw_bytes)
		decoder->what = ZSTD_isError(n) ? ZSTD_getErrorName(n) : "a body of another size";
	else
		find_columns(decoder, block);
	if (!decoder->what)
		unpack_events(decoder, block, out);
	*what = decoder->what;
	return decoder->what ? -EPROTO : 0;
}
