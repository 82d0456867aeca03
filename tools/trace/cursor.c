/* SPDX-License-Identifier: MIT */
/* cursor.c - goes through a worker's events, one block in memory at a time. */
#include <errno.h>
#include <stdlib.h>

#include "tools/trace/reader.h"

void cursor_open(struct cursor *cursor, const struct reader *reader, uint32_t worker)
{
	*cursor = (struct cursor){ .reader = reader,
				   .timeline = reader_timeline(reader),
				   .worker = worker };
}

void cursor_borrow(struct cursor *cursor, struct decoder *decoder)
{
	cursor->decoder = decoder;
	cursor->borrows = true;
}

void cursor_close(struct cursor *cursor)
{
	free(cursor->event);
	if (!cursor->borrows)
		decoder_free(cursor->decoder);
	*cursor = (struct cursor){ 0 };
}

void cursor_find_piece(struct cursor *cursor, uint64_t units)
{
	const struct timeline *timeline = cursor->timeline;
	/* time goes ahead, so the piece is mostly the same as before, or the next */
	uint32_t near = cursor->piece ? (uint32_t)(cursor->piece - timeline->piece) : 0;
	uint32_t at = timeline_find(timeline, units, near);

	cursor->piece = &timeline->piece[at];
	cursor->since = cursor->piece->units;
	cursor->lasts =
		(at + 1 < timeline->n ? cursor->piece[1].units : UINT64_MAX) - cursor->since;
}

void cursor_take(struct cursor *cursor, uint32_t n)
{
	cursor->next_block++;
	cursor->position += cursor->n;
	cursor->n = n;
	cursor->at = 0;
}

int cursor_fill_block(struct cursor *cursor, struct err *err)
{
	const struct reader *reader = cursor->reader;
	const struct wire_block *block;
	int n;

	if (cursor->next_block == reader_blocks(reader, cursor->worker))
		return 0;
	block = reader_block(reader, cursor->worker, cursor->next_block);
	if (!cursor->decoder) /* at the first block: many workers have none that is read */
		cursor->decoder = decoder_new();
	if (block->n_events > cursor->room) {
		free(cursor->event);
		cursor->event = malloc(block->n_events * sizeof(*cursor->event));
		cursor->room = cursor->event ? block->n_events : 0;
	}
	if (!cursor->decoder || !cursor->event)
		return err_set(err, ENOMEM, "%s: out of memory", reader_facts(reader)->path);
	n = reader_unpack(reader, block, cursor->decoder, cursor->event, err);
	if (n < 0)
		return n;
	cursor_take(cursor, (uint32_t)n);
	return 1;
}

int cursor_fill(struct cursor *cursor, struct err *err)
{
	int got = cursor_fill_block(cursor, err);

	while (got > 0 && cursor->n == 0)
		got = cursor_fill_block(cursor, err);
	return got;
}
