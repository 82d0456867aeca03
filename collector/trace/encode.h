/* SPDX-License-Identifier: MIT */
/*
 * encode.h - the body of a WIRE_EVENTS block: one worker's events, packed by column.
 *
 * Each event puts one byte into the column of tags (kind and guess, see guess.h) and its
 * time since the timed event before, in steps of the clock (steps.h), into a column chosen by the
 * kinds of the two, and what does not fit a byte into a second one; so go the values of collapsed
 * tasks, by field.  What was not guessed goes to the columns of sites, ids and values.  So each
 * column is of one sort, and zstd's Huffman coder, restarted at every column, fits it closely.
 * collector/trace/FORMAT.md has the bytes.
 *
 * An encoder is used by one thread; it allocates.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "collector/trace/wire.h"

#define ENCODE_EVENTS_MAX 65536u /* in one block */
/* Ids that a worker may have given out before a block, or after a loss: the rest fit 48 bits. */
#define ENCODE_IDS_MAX (id_n(UINT64_MAX) - ENCODE_EVENTS_MAX)

#define ENCODE_FIELDS 64 /* fields of collapsed tasks, and room for later ones */
_Static_assert(WIRE_COLLAPSED_FIELDS <= ENCODE_FIELDS, "each field has a column");

enum encode_column {
	COLUMN_TAGS,
	COLUMN_SITES,
	COLUMN_IDS,
	COLUMN_VALUES,
	COLUMN_COLLAPSED,
	COLUMN_STEP,	/* one of the clock */
	COLUMN_OFF,	/* units beside steps .. */
	COLUMN_SUM_OFF, /* .. and beside sums of them */
	COLUMN_TALLY,
	COLUMN_REQUIRED,      /* further ones; a reader refuses those that it does not know */
	COLUMN_OPTIONAL = 32, /* and skips these, 48..63 of the kinds of the same numbers, */
	COLUMN_COUNTERS = WIRE_COUNTER,
	COLUMN_PATHS = WIRE_PATH,
	COLUMN_MESSAGES = WIRE_MESSAGE,
	/* WIRE_UNTIMED * WIRE_UNTIMED of them: by the kind before, and the kind; .. */
	COLUMN_TIMES = 64,
	COLUMN_MORE = COLUMN_TIMES + WIRE_UNTIMED * WIRE_UNTIMED, /* .. and the rest, by the kind */
	COLUMN_FIELDS = COLUMN_MORE + WIRE_UNTIMED, /* values of collapsed tasks, by field .. */
	COLUMN_FIELDS_MORE = COLUMN_FIELDS + ENCODE_FIELDS,
	ENCODE_COLUMNS = COLUMN_FIELDS_MORE + ENCODE_FIELDS /* and from here on */
};

/* A tag: which kind, and which guess of its operand was right, or 0. */
#define TAG_GUESS_BITS 2
#define TAG(kind, guess) ((uint8_t)((kind) << TAG_GUESS_BITS | (guess)))

/* How many guesses there are for the operand of a kind. */
static inline unsigned kind_guesses(unsigned kind)
{
	switch (kind) {
#define CASE(number, name, word, strand, makes, operand, guesses)                                  \
	case number:                                                                               \
		return guesses;
		EVENTS(CASE)
#undef CASE
	default:
		return 0;
	}
}

struct encoder;

struct encoder *encoder_new(void); /* NULL if out of memory; yours to encoder_free() */
void encoder_free(struct encoder *encoder);

/* Events that lie side by side, and what goes on from block to block. */
struct encode_source {
	const struct wire_event *slot;
	uint32_t n;	     /* 1..ENCODE_EVENTS_MAX */
	uint32_t shift;	     /* units = ticks >> shift */
	uint32_t step;	     /* of the clock, as steps_begin() has it */
	uint64_t last_units; /* of the worker's last timed event; brought up to date */
	uint64_t n_ids;	     /* ids that the worker has given out; likewise */
	uint64_t n_tasks;    /* tasks that began, were created or are collapsed; likewise */
};

/*
 * A block of one worker, in steps: begin, add as often as wanted, end.  What was added need not
 * stay where it lies.  In all 1..ENCODE_EVENTS_MAX events.  `end` fills the block but for worker,
 * seqno, offset and check; *body is the encoder's, good until the next begin.  0 or -ENOMEM, also
 * of what was added.
 */
void encode_begin(struct encoder *encoder, const struct encode_source *source, uint32_t worker);
void encode_add(struct encoder *encoder, struct encode_source *source);
int encode_end(struct encoder *encoder, struct encode_source *source, struct wire_block *block,
	       const void **body);

/* All in one. */
int encode_block(struct encoder *encoder, struct encode_source *source, struct wire_block *block,
		 const void **body);

/* The block's check word, over all its other fields. */
uint32_t block_check(const struct wire_block *block);
