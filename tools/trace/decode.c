/* SPDX-License-Identifier: MIT */
/* decode.c - unpacks what encode.c packed, and trusts none of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "tools/trace/decode.h"
#include "collector/trace/guess_note.h"
#include "collector/trace/steps.h"
#include "collector/trace/varint.h"

struct bytes {
	const uint8_t *at, *end;
};

struct decoder {
	struct predictor predictor;
	struct bytes column[ENCODE_COLUMNS];
	struct steps steps; /* as they are at the first time */
	ZSTD_DCtx *zstd;
	uint8_t *raw;
	size_t raw_room;
	uint64_t last_address, last_tally;
	const char *what; /* is wrong; NULL while nothing is */
	char said[96];	  /* room for it */
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
	uint64_t value;

	if (varint_load(&in->at, in->end, &value))
		return value;
	decoder->what = "a number is cut off";
	return 0;
}

/* Only a later version writes this, and a reader that does not know it cannot read the trace. */
static void decoder_unknown(struct decoder *decoder, const char *thing, uint64_t number)
{
	snprintf(decoder->said, sizeof(decoder->said),
		 "unknown %s %" PRIu64 "; use a newer tptrace", thing, number);
	decoder->what = decoder->said;
}

static uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ -(value & 1);
}

/* A varint of which the first byte is in one column, and the rest in the other: encode.c. */
static inline uint64_t take_split(struct decoder *decoder, struct bytes *low, struct bytes *more)
{
	unsigned two;
	uint64_t value, rest;

	if (low->at == low->end) {
		decoder->what = "a number is cut off";
		return 0;
	}
	value = *low->at++;
	two = (unsigned)value >> 7;
	if (__builtin_expect(more->at < more->end && *more->at < 0x80, 1)) {
		value = (value & 0x7f) | (uint64_t)(*more->at * two) << 7;
		more->at += two;
		return value;
	}
	if (!two)
		return value;
	rest = take_varint(decoder, more);
	if (rest >> 57) /* with the 7 bits of the first byte it must fit into 64 */
		decoder->what = "a number is out of range";
	return (value & 0x7f) | rest << 7;
}

/* The units that value stands for: encode.c. */
static inline uint64_t take_steps(struct decoder *decoder, struct steps *steps,
				  enum encode_column beside, uint64_t value)
{
	uint64_t units;
	int64_t off = 0;

	if (value & 1)
		off = (int64_t)unzigzag(take_varint(decoder, &decoder->column[beside]));
	if (!steps_take(steps, value >> 1, off, &units))
		decoder->what = "a time is out of range";
	return units;
}

static uint64_t take_id(struct decoder *decoder)
{
	struct bytes *ids = &decoder->column[COLUMN_IDS];
	uint64_t worker = take_varint(decoder, ids);
	uint64_t n = decoder->predictor.n_ids + unzigzag(take_varint(decoder, ids));

	if (worker >= WIRE_WORKERS || n != id_n(n))
		decoder->what = "an id is out of range";
	return id_make(worker, n);
}

static uint64_t take_collapsed(struct decoder *decoder, bool guess, uint64_t guessed)
{
	struct bytes *in = &decoder->column[COLUMN_COLLAPSED];
	uint64_t field = guess ? collapsed_field(guessed) : take_varint(decoder, in), value;

	if (field == WIRE_COLLAPSED_NONE || field >= WIRE_COLLAPSED_FIELDS) {
		decoder_unknown(decoder, "field of collapsed tasks", field);
		return 0;
	}
	value = take_split(decoder, &decoder->column[COLUMN_FIELDS + field],
			   &decoder->column[COLUMN_FIELDS_MORE + field]);
	if (decoder->steps.step && !collapsed_is_count((unsigned)field)) {
		struct steps sum = decoder->steps;

		value = take_steps(decoder, &sum, COLUMN_SUM_OFF, value);
	}
	if (value != collapsed_value(value))
		decoder->what = "a value is out of range";
	return collapsed_make(field, value);
}

static uint64_t take_tally(struct decoder *decoder)
{
	struct bytes *in = &decoder->column[COLUMN_TALLY];
	uint64_t what = decoder->last_tally + unzigzag(take_varint(decoder, in));
	uint64_t value = take_varint(decoder, in);

	if (what >> (64 - WIRE_TALLY_SHIFT) || value > WIRE_TALLY_MOST)
		decoder->what = "a tally is out of range";
	else if (what % 512 == WIRE_TALLY_NONE || what % 512 >= WIRE_TALLY_PARTS)
		decoder_unknown(decoder, "part of a tally", what % 512);
	decoder->last_tally = what;
	return what << WIRE_TALLY_SHIFT | value;
}

static uint64_t take_counter(struct decoder *decoder)
{
	struct bytes *in = &decoder->column[COLUMN_COUNTERS];
	uint64_t number = take_varint(decoder, in), value = take_varint(decoder, in);

	if (number >= WIRE_COUNTERS || value > WIRE_FIELD_MOST)
		decoder->what = "a counter is out of range";
	return field_make(number, value);
}

static uint64_t take_message(struct decoder *decoder)
{
	struct bytes *in = &decoder->column[COLUMN_MESSAGES];
	uint64_t field = take_varint(decoder, in), value = take_varint(decoder, in);

	if (!message_field_known(field) || value > WIRE_FIELD_MOST)
		decoder->what = "a message is out of range";
	return field_make(field, value);
}

/* An optional kind keeps its operands in the column of its own number. */
static uint64_t take_field(struct decoder *decoder, unsigned kind)
{
	struct bytes *in = &decoder->column[kind];
	uint64_t field = take_varint(decoder, in), value = take_varint(decoder, in);

	if (field == 0 || field >= WIRE_FIELDS)
		decoder_unknown(decoder, "field of data or of an operation", field);
	else if (value > WIRE_FIELD_MOST)
		decoder->what = "a value is out of range";
	return field_make(field, value);
}

/* Flags that are not known, and are no hints. */
static uint32_t unknown_flags(enum operand operand, uint32_t flags)
{
#define FLAG(number, ...) | (number)
	const uint32_t task = 0 WIRE_TASK_FLAGS(FLAG), fork = 0 WIRE_FORK_FLAGS(FLAG);
	const uint32_t wait = 0xff WIRE_WAIT_FLAGS(FLAG);
#undef FLAG

	flags &= WIRE_FLAG_HINT - 1;
	switch (operand) {
	case OPERAND_TASK:
		return flags & ~task;
	case OPERAND_FORK:
		return flags & ~fork;
	case OPERAND_WAIT:
		return flags & ~wait;
	default:
		return flags;
	}
}

static uint64_t take_site(struct decoder *decoder)
{
	struct bytes *sites = &decoder->column[COLUMN_SITES];
	uint64_t site = take_varint(decoder, sites), flags = take_varint(decoder, sites);

	if (site > UINT32_MAX || flags > UINT32_MAX)
		decoder->what = "a site is out of range";
	return site_make((uint32_t)site, (uint32_t)flags);
}

/* A guess may be another kind's operand. */
static uint64_t check_site(struct decoder *decoder, enum operand operand, uint64_t site)
{
	uint32_t flags = site_flags(site), wait = flags & 0xff;

	if (unknown_flags(operand, flags))
		decoder_unknown(decoder, "flags of a site", unknown_flags(operand, flags));
	else if (operand == OPERAND_WAIT && (wait == 0 || wait >= WIRE_WAITS))
		decoder_unknown(decoder, "wait", wait);
	return site;
}

static uint64_t take_value(struct decoder *decoder, enum operand operand)
{
	uint64_t value = decoder->last_address +
			 unzigzag(take_varint(decoder, &decoder->column[COLUMN_VALUES]));

	if (operand == OPERAND_DEPEND &&
	    (depend_type(value) == 0 || depend_type(value) >= WIRE_DEPENDS))
		decoder_unknown(decoder, "dependence", depend_type(value));
	else if (operand == OPERAND_LOST && lost_why(value) >= WIRE_LOSSES)
		decoder_unknown(decoder, "reason of a loss", lost_why(value));
	decoder->last_address = value;
	return value;
}

static inline __attribute__((always_inline)) uint64_t
take_operand(struct decoder *decoder, enum wire_kind kind, unsigned guess)
{
	uint64_t guessed = guess ? predict_guess(&decoder->predictor, kind, guess) : 0;
	enum operand operand = kind_operand(kind);

	switch (operand) {
	case OPERAND_NONE:
		return 0;
	case OPERAND_ID:
		return guess ? guessed : take_id(decoder);
	case OPERAND_SITE:
	case OPERAND_TASK:
	case OPERAND_FORK:
	case OPERAND_WAIT:
		return check_site(decoder, operand, guess ? guessed : take_site(decoder));
	case OPERAND_COLLAPSED:
		return take_collapsed(decoder, guess, guessed);
	case OPERAND_TALLY:
		return take_tally(decoder);
	case OPERAND_COUNTER:
		return take_counter(decoder);
	case OPERAND_PATH:
		return take_varint(decoder, &decoder->column[COLUMN_PATHS]);
	case OPERAND_MESSAGE:
		return take_message(decoder);
	case OPERAND_FIELD:
		return take_field(decoder, kind);
	default:
		return guess ? guessed : take_value(decoder, operand);
	}
}

static inline void unpack_operand(struct decoder *decoder, struct event *event, unsigned guess)
{
	switch (event->kind) {
#define CASE(number, ...)                                                                          \
	case number:                                                                               \
		event->b = take_operand(decoder, number, guess);                                   \
		event->made = predict_note(&decoder->predictor, number, event->b);                 \
		return;
		EVENTS_TIMED(CASE)
#undef CASE
	default:
		event->b = take_operand(decoder, event->kind, guess);
		event->made = predict_note(&decoder->predictor, event->kind, event->b);
		/* the count of ids goes on from what the file says: below the worker's bits */
		if (decoder->predictor.n_ids > ENCODE_IDS_MAX)
			decoder->what = "an id is out of range";
	}
}

/* Units since the last time. */
static inline uint64_t take_since(struct decoder *decoder, struct steps *steps, struct bytes *low,
				  unsigned kind)
{
	uint64_t value = take_split(decoder, low, &decoder->column[COLUMN_MORE + kind]);

	return steps->step ? take_steps(decoder, steps, COLUMN_OFF, value) : value;
}

/* Reads the step of the clock, for all times of the block. */
static void take_step(struct decoder *decoder)
{
	uint64_t step = take_varint(decoder, &decoder->column[COLUMN_STEP]);

	if (step > UINT32_MAX)
		decoder->what = "a step of the clock is out of range";
	steps_begin(&decoder->steps, (uint32_t)step);
}

/* How many. */
static uint32_t unpack_events(struct decoder *decoder, const struct wire_block *block,
			      struct event *out)
{
	struct steps steps;
	const uint8_t *tag = decoder->column[COLUMN_TAGS].at;
	unsigned last_kind = 0;
	uint64_t units = block->first_units;
	uint32_t n = 0;

	take_step(decoder);
	steps = decoder->steps;
	for (uint32_t i = 0; i < block->n_events && !decoder->what; i++) {
		struct event *event = &out[n];
		unsigned kind = tag[i] >> TAG_GUESS_BITS, guess = tag[i] & (TAG(1, 0) - 1);

		if (!kind_known(kind)) {
			if (kind < WIRE_OPTIONAL)
				decoder_unknown(decoder, "kind of event", kind);
			continue;
		}
		if (guess > kind_guesses(kind)) {
			decoder_unknown(decoder, "guess of an event", guess);
			continue;
		}
		if (kind_timed(kind)) {
			unsigned column = COLUMN_TIMES + last_kind * WIRE_UNTIMED + kind;

			uint64_t since =
				take_since(decoder, &steps, &decoder->column[column], kind);

			if (units + since < units)
				decoder->what = "a time is out of range";
			units += since;
			last_kind = kind;
		}
		event->units = units;
		event->kind = kind;
		event->worker = block->worker;
		unpack_operand(decoder, event, guess);
		n++;
	}
	if (!decoder->what && units != block->last_units)
		decoder->what = "its times do not end where the block says";
	return n;
}

/* Reads the table of columns and lets each column know its bytes. */
static void find_columns(struct decoder *decoder, const struct wire_block *block)
{
	struct bytes in = { decoder->raw, decoder->raw + block->raw_bytes };
	uint64_t n = take_varint(decoder, &in);
	struct bytes table = in;
	uint64_t column = 0;

	for (uint64_t i = 0; i < 2 * n && !decoder->what; i++)
		take_varint(decoder, &in);
	for (uint64_t i = 0; i < n && !decoder->what; i++) {
		uint64_t number = take_varint(decoder, &table);
		uint64_t bytes = take_varint(decoder, &table);

		if (bytes > (uint64_t)(in.end - in.at) || (i && (number == 0 || number > column))) {
			decoder->what = "a column is out of bounds";
			return;
		}
		column = i ? column - number : number;
		if (column >= COLUMN_REQUIRED && column < COLUMN_OPTIONAL)
			decoder_unknown(decoder, "column", column);
		if (column < ENCODE_COLUMNS)
			decoder->column[column] = (struct bytes){ in.at, in.at + bytes };
		in.at += bytes;
	}
	const struct bytes *tags = &decoder->column[COLUMN_TAGS];

	if (!decoder->what && tags->end - tags->at != (ptrdiff_t)block->n_events)
		decoder->what = "its events are not as many as the block says";
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
	decoder->last_address = decoder->last_tally = 0;
	memset(decoder->column, 0, sizeof(decoder->column));
	predict_reset(&decoder->predictor, block->worker, block->first_id);
	if (ZSTD_isError(n) || n != block->raw_bytes)
		decoder->what = ZSTD_isError(n) ? ZSTD_getErrorName(n) : "a body of another size";
	else
		find_columns(decoder, block);
	uint32_t n_events = decoder->what ? 0 : unpack_events(decoder, block, out);

	*what = decoder->what;
	return decoder->what ? -EPROTO : (int)n_events;
}
