/* SPDX-License-Identifier: MIT */
/*
 * encode.c - packs events by column, then with zstd.
 *
 * Of a clock that moves by single units:
 *
 *	1000 resume 0.1			the block's first_units; its tag
 *	1040 create 0.2 site=5		tag; 40 into TIMES of (resume, create); site into SITES
 *	1340 resume 0.1			tag, in which a guess stands for 0.1; 300 into TIMES of
 *					(create, resume): 0xac there, and 2 into MORE of resume
 *
 * The time from a create to the next resume is mostly the same few units, and so is that of each
 * other pair of kinds: columns of such bytes get short Huffman codes, which a column of all times
 * would not.  A value of 128 or more is split for the same reason: its second byte, nearly always a
 * small one, is among its like.
 */
#include "collector/trace/encode.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zstd.h>

#include "collector/trace/guess_note.h"
#include "collector/trace/steps.h"
#include "collector/trace/varint.h"

/* columns of small differences have hardly any matches, which is what higher levels look for */
#define ZSTD_LEVEL 1
#define ZSTD_HASH_LOG                                                                              \
	8 /* few and long matches: Huffman codes do better than those of some bytes                \
	   */
#define STEP_BACK_UNITS (UINT64_C(1) << 42) /* an hour */

struct column {
	uint8_t *byte; /* from here up to `at` */
	uint8_t *at;
	uint8_t *full; /* from there on a varint may not fit: VARINT_MAX before the end of the room
			*/
};

struct encoder {
	struct predictor predictor;
	struct steps steps, steps_at_first;
	struct column column[ENCODE_COLUMNS];
	uint8_t head[16 + ENCODE_COLUMNS * 2 * VARINT_MAX];
	ZSTD_CCtx *zstd;
	uint8_t *packed;
	size_t packed_room;
	uint64_t last_address, last_tally;
	bool no_memory;

	/* the block so far */
	uint32_t n_events;
	unsigned last_kind; /* of the last timed event; 0 before the first */
	uint64_t first_id, first_units;
};

uint32_t block_check(const struct wire_block *block)
{
	const uint8_t *byte = (const uint8_t *)block;
	uint32_t hash = 2166136261u; /* FNV-1a [Fowler, Noll, Vo 1991] */

	for (size_t i = 0; i < offsetof(struct wire_block, check); i++)
		hash = (hash ^ byte[i]) * 16777619u;
	return hash;
}

struct encoder *encoder_new(void)
{
	struct encoder *encoder = calloc(1, sizeof(*encoder));

	if (!encoder)
		return NULL;
	encoder->zstd = ZSTD_createCCtx();
	if (!encoder->zstd) {
		free(encoder);
		return NULL;
	}
	ZSTD_CCtx_setParameter(encoder->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(encoder->zstd, ZSTD_c_hashLog, ZSTD_HASH_LOG);
	ZSTD_CCtx_setParameter(encoder->zstd, ZSTD_c_checksumFlag, 1);
	return encoder;
}

void encoder_free(struct encoder *encoder)
{
	if (!encoder)
		return;
	for (int i = 0; i < ENCODE_COLUMNS; i++)
		free(encoder->column[i].byte);
	ZSTD_freeCCtx(encoder->zstd);
	free(encoder->packed);
	free(encoder);
}

static uint32_t column_bytes(const struct column *column)
{
	return (uint32_t)(column->at - column->byte);
}

/* Makes room for so many bytes more. */
static bool column_grow(struct encoder *encoder, struct column *column, uint32_t bytes)
{
	uint32_t n = column_bytes(column), room = 256;
	uint8_t *byte;

	while (room - VARINT_MAX < n + bytes)
		room *= 2;
	byte = realloc(column->byte, room);
	if (!byte) {
		encoder->no_memory = true;
		return false;
	}
	*column = (struct column){ byte, byte + n, byte + room - VARINT_MAX };
	return true;
}

static inline void put_varint(struct encoder *encoder, struct column *column, uint64_t value)
{
	if (__builtin_expect(column->at >= column->full, 0) &&
	    !column_grow(encoder, column, VARINT_MAX))
		return;
	column->at = varint_store(column->at, value);
}

/* Small differences of either sign become small numbers. */
static inline uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ -(difference >> 63);
}

static inline bool column_has_room(struct encoder *encoder, struct column *column)
{
	return __builtin_expect(column->at < column->full, 1) ||
	       column_grow(encoder, column, VARINT_MAX);
}

/* A varint of which the first byte is in `low`, and the rest in `more`: again without a branch
 * between one byte and two. */
static inline void put_split(struct encoder *encoder, struct column *low, struct column *more,
			     uint64_t value)
{
	unsigned two = value >= 0x80;

	if (!column_has_room(encoder, low) || !column_has_room(encoder, more))
		return;
	*low->at++ = (uint8_t)((value & 0x7f) | two << 7);
	if (__builtin_expect(value < 1 << 14, 1)) {
		*more->at = (uint8_t)(value >> 7);
		more->at += two;
	} else {
		more->at = varint_store(more->at, value >> 7);
	}
}

/* So many units in steps: what stands for them. */
static inline uint64_t put_steps(struct encoder *encoder, struct steps *steps,
				 enum encode_column beside, uint64_t units)
{
	int64_t off;
	uint64_t n = steps_put(steps, units, &off);

	if (!off)
		return n << 1;
	put_varint(encoder, &encoder->column[beside], zigzag((uint64_t)off));
	return n << 1 | 1;
}

static void put_id(struct encoder *encoder, uint64_t id)
{
	struct column *column = &encoder->column[COLUMN_IDS];
	uint64_t n = id_n(id);

	put_varint(encoder, column, id_worker(id));
	put_varint(encoder, column, zigzag(n - encoder->predictor.n_ids));
}

static void put_value(struct encoder *encoder, uint64_t value)
{
	put_varint(encoder, &encoder->column[COLUMN_VALUES], zigzag(value - encoder->last_address));
	encoder->last_address = value;
}

/* The value is written out in any case, its field unless it can be guessed. */
static unsigned put_collapsed(struct encoder *encoder, uint64_t b)
{
	unsigned field = collapsed_field(b);
	struct column *column = &encoder->column[COLUMN_FIELDS + field % ENCODE_FIELDS];
	uint64_t value = collapsed_value(b);
	bool guessed =
		collapsed_field(predict_guess(&encoder->predictor, WIRE_COLLAPSED, 1)) == field;

	if (!guessed)
		put_varint(encoder, &encoder->column[COLUMN_COLLAPSED], field);
	if (encoder->steps.step && !collapsed_is_count(field)) {
		struct steps sum = encoder->steps_at_first;

		value = put_steps(encoder, &sum, COLUMN_SUM_OFF, value);
	}
	put_split(encoder, column, column + ENCODE_FIELDS, value);
	return guessed;
}

/* Site and part are mostly near those of the tally before. */
static void put_tally(struct encoder *encoder, uint64_t b)
{
	struct column *column = &encoder->column[COLUMN_TALLY];
	uint64_t what = b >> WIRE_TALLY_SHIFT;

	put_varint(encoder, column, zigzag(what - encoder->last_tally));
	put_varint(encoder, column, tally_value(b));
	encoder->last_tally = what;
}

/* Writes out the operand, unless it can be guessed: the number of the guess. */
static inline __attribute__((always_inline)) unsigned put_operand(struct encoder *encoder,
								  enum wire_kind kind, uint64_t b)
{
	if (kind_operand(kind) == OPERAND_COLLAPSED)
		return put_collapsed(encoder, b);
	if (kind_guesses(kind) >= 1 && predict_guess(&encoder->predictor, kind, 1) == b)
		return 1;
	if (kind_guesses(kind) >= 2 && predict_guess(&encoder->predictor, kind, 2) == b)
		return 2;
	switch (kind_operand(kind)) {
	case OPERAND_NONE:
		break;
	case OPERAND_ID:
		put_id(encoder, b);
		break;
	case OPERAND_SITE:
	case OPERAND_TASK:
	case OPERAND_FORK:
	case OPERAND_WAIT:
		put_varint(encoder, &encoder->column[COLUMN_SITES], site_number(b));
		put_varint(encoder, &encoder->column[COLUMN_SITES], site_flags(b));
		break;
	case OPERAND_TALLY:
		put_tally(encoder, b);
		break;
	case OPERAND_PATH:
		put_varint(encoder, &encoder->column[COLUMN_PATHS], b);
		break;
	case OPERAND_COUNTER: /* number << 56 | value, all three */
	case OPERAND_MESSAGE:
	case OPERAND_FIELD:
		put_varint(encoder, &encoder->column[kind], field_number(b));
		put_varint(encoder, &encoder->column[kind], field_value(b));
		break;
	default:
		put_value(encoder, b);
	}
	return 0;
}

/* An operand that is a time, or holds one, in units. */
static uint64_t in_units(unsigned kind, uint64_t b, uint32_t shift)
{
	switch (kind_operand(kind)) {
	case OPERAND_TICKS:
		return b >> shift;
	case OPERAND_COLLAPSED:
		if (collapsed_is_count(collapsed_field(b)))
			return b;
		return collapsed_make(collapsed_field(b), collapsed_value(b) >> shift);
	case OPERAND_TALLY:
		return tally_in_units(b, shift);
	case OPERAND_FIELD:
		if (field_number(b) != WIRE_FIELD_MOMENT)
			return b;
		return field_make(WIRE_FIELD_MOMENT, field_value(b) >> shift);
	default:
		return b;
	}
}

/* Stores the operand and takes note of the event: its tag. */
static inline __attribute__((always_inline)) uint8_t pack_operand(struct encoder *encoder,
								  enum wire_kind kind, uint64_t b)
{
	unsigned guess = put_operand(encoder, kind, b);

	predict_note(&encoder->predictor, kind, b);
	return TAG(kind, guess);
}

static inline struct column *times_after(struct encoder *encoder, unsigned kind)
{
	return &encoder->column[COLUMN_TIMES + kind * WIRE_UNTIMED];
}

/* So many units since the last time. */
static inline void put_since(struct encoder *encoder, struct steps *steps, struct column *low,
			     unsigned kind, uint64_t since)
{
	if (steps->step)
		since = put_steps(encoder, steps, COLUMN_OFF, since);
	put_split(encoder, low, &encoder->column[COLUMN_MORE + kind], since);
}

/*
 * Events that lie one behind the other; the code is there once for each timed kind.  Bytes are
 * stored all the time, and might be anything: so what is read is kept in locals.
 *
 * An event has the low 56 bits of the clock, which a machine that has been up for a year wraps
 * round.  So what counts is the difference; a little less than nothing is a step back of the
 * clock, and time never goes back.  The first event's time is the block's.
 */
static void add_events(struct encoder *encoder, struct encode_source *source)
{
	const uint32_t shift = source->shift;
	const uint64_t mask = (UINT64_C(1) << (56 - shift)) - 1;
	const struct wire_event *event = source->slot, *const end = event + source->n;
	struct column *times = times_after(encoder, encoder->last_kind);
	uint64_t last_units = source->last_units, n_tasks = 0;
	uint64_t most = encoder->last_kind ? mask - STEP_BACK_UNITS : 0; /* others are looked at */
	uint8_t *tag = encoder->column[COLUMN_TAGS].at;
	struct steps steps = encoder->steps;

	for (; event < end; event++) {
		unsigned kind = event_kind(event);
		uint64_t b = event->b;

		if (__builtin_expect(kind_timed(kind), 1)) {
			uint64_t since = ((event->a >> (8 + shift)) - last_units) & mask;

			if (__builtin_expect(since > most, 0)) {
				most = mask - STEP_BACK_UNITS;
				since = since <= most ? since : 0;
				if (times == times_after(encoder, 0)) {
					last_units += since;
					encoder->first_units = last_units;
					since = 0;
				}
			}
			last_units += since;
			put_since(encoder, &steps, &times[kind], kind, since);
		}
		switch (kind) {
#define CASE(number, ...)                                                                          \
	case number:                                                                               \
		times = times_after(encoder, number);                                              \
		n_tasks += kind_makes_task(number);                                                \
		*tag++ = pack_operand(encoder, number, b);                                         \
		break;
			EVENTS_TIMED(CASE)
#undef CASE
		case WIRE_NAME: /* with some runtimes, one each of every second event */
			*tag++ = pack_operand(encoder, WIRE_NAME, b);
			break;
		case WIRE_BAG:
			*tag++ = pack_operand(encoder, WIRE_BAG, b);
			break;
		case WIRE_OBJECT:
			*tag++ = pack_operand(encoder, WIRE_OBJECT, b);
			break;
		default:
			if (kind_timed(kind)) /* none such is known */
				times = times_after(encoder, kind);
			else
				b = in_units(kind, b, shift);
			n_tasks += tasks_made(kind, b);
			*tag++ = pack_operand(encoder, kind, b);
		}
	}
	encoder->column[COLUMN_TAGS].at = tag;
	encoder->steps = steps;
	encoder->last_kind = (unsigned)(times - times_after(encoder, 0)) / WIRE_UNTIMED;
	source->last_units = last_units;
	source->n_tasks += n_tasks;
}

void encode_add(struct encoder *encoder, struct encode_source *source)
{
	const uint32_t n = source->n;
	struct column *tags = &encoder->column[COLUMN_TAGS];

	if (tags->full - tags->at < (ptrdiff_t)n && !column_grow(encoder, tags, n))
		return;
	add_events(encoder, source);
	encoder->n_events += n;
	source->n_ids = encoder->predictor.n_ids;
}

/*
 * The table of columns: how many, then of each its number and its bytes.  The highest number comes
 * first; of the others the table has by how much they are lower than the one before.
 */
static uint32_t write_head(struct encoder *encoder, uint32_t *raw_bytes)
{
	uint8_t *at = encoder->head;
	uint32_t n = 0, last = 0;

	*raw_bytes = 0;
	for (int i = 0; i < ENCODE_COLUMNS; i++)
		n += column_bytes(&encoder->column[i]) > 0;
	at = varint_store(at, n);
	for (uint32_t i = ENCODE_COLUMNS; i-- > 0;) {
		uint32_t bytes = column_bytes(&encoder->column[i]);

		if (bytes == 0)
			continue;
		at = varint_store(at, last ? last - i : i);
		last = i;
		at = varint_store(at, bytes);
		*raw_bytes += bytes;
	}
	*raw_bytes += (uint32_t)(at - encoder->head);
	return (uint32_t)(at - encoder->head);
}

/* Adds one piece to the frame, in zstd blocks of its own. */
static bool pack_piece(struct encoder *encoder, ZSTD_outBuffer *out, const void *data, size_t bytes,
		       bool last)
{
	ZSTD_inBuffer in = { data, bytes, 0 };
	/* a block of its own has Huffman codes of its own: columns differ in what is frequent */
	size_t left =
		ZSTD_compressStream2(encoder->zstd, out, &in, last ? ZSTD_e_end : ZSTD_e_flush);

	return left == 0;
}

static bool pack_columns(struct encoder *encoder, struct wire_block *block)
{
	uint32_t raw_bytes;
	uint32_t head_bytes = write_head(encoder, &raw_bytes);
	size_t room = ZSTD_compressBound(raw_bytes) + ENCODE_COLUMNS * 16u;

	if (encoder->packed_room < room) {
		free(encoder->packed);
		encoder->packed = malloc(room);
		encoder->packed_room = encoder->packed ? room : 0;
	}
	if (!encoder->packed)
		return false;
	ZSTD_outBuffer out = { encoder->packed, encoder->packed_room, 0 };

	ZSTD_CCtx_reset(encoder->zstd, ZSTD_reset_session_only);
	/* the frame then says how much memory unpacking takes, before it does */
	ZSTD_CCtx_setPledgedSrcSize(encoder->zstd, raw_bytes);
	if (!pack_piece(encoder, &out, encoder->head, head_bytes, false))
		return false;
	for (int i = ENCODE_COLUMNS - 1; i >= 0; i--) { /* the tags, which are never empty, last */
		const struct column *column = &encoder->column[i];
		uint32_t bytes = column_bytes(column);

		if (bytes && !pack_piece(encoder, &out, column->byte, bytes, i == 0))
			return false;
	}
	block->raw_bytes = raw_bytes;
	block->body_bytes = (uint32_t)out.pos;
	return true;
}

void encode_begin(struct encoder *encoder, const struct encode_source *source, uint32_t worker)
{
	encoder->no_memory = false;
	encoder->last_address = encoder->last_tally = 0;
	encoder->last_kind = 0;
	encoder->n_events = 0;
	encoder->first_id = source->n_ids;
	encoder->first_units = source->last_units; /* or add_events() finds it later */
	for (int i = 0; i < ENCODE_COLUMNS; i++)
		encoder->column[i].at = encoder->column[i].byte;
	predict_reset(&encoder->predictor, worker, source->n_ids);
	steps_begin(&encoder->steps, source->step);
	encoder->steps_at_first = encoder->steps;
	/* each block says it: they are unpacked in any order */
	put_varint(encoder, &encoder->column[COLUMN_STEP], source->step);
}

int encode_end(struct encoder *encoder, struct encode_source *source, struct wire_block *block,
	       const void **body)
{
	block->magic = WIRE_BLOCK_MAGIC;
	block->type = WIRE_EVENTS;
	block->flags = 0;
	block->n_events = encoder->n_events;
	block->first_id = encoder->first_id;
	block->first_units = encoder->first_units;
	block->last_units = source->last_units;
	if (encoder->no_memory || !pack_columns(encoder, block))
		return -ENOMEM;
	*body = encoder->packed;
	return 0;
}

int encode_block(struct encoder *encoder, struct encode_source *source, struct wire_block *block,
		 const void **body)
{
	encode_begin(encoder, source, block->worker);
	encode_add(encoder, source);
	return encode_end(encoder, source, block, body);
}
