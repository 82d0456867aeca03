/* SPDX-License-Identifier: MIT */
/* flight.c - keeps the newest blocks. */
#include "collector/flight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/note.h"

/* What a block takes in the file: itself, its header, and its line of the index. */
static uint64_t file_bytes(const struct wire_block *block)
{
	return block->body_bytes + 2 * sizeof(*block);
}

static struct flight_block *block_at(const struct flight *flight, uint64_t i)
{
	return &flight->block[(flight->first + i) % flight->room];
}

static bool know_worker(struct flight *flight, uint32_t worker)
{
	uint32_t n = (worker + 64) & ~63u;
	uint64_t *thrown;

	if (worker < flight->n_workers)
		return true;
	thrown = realloc(flight->thrown, n * sizeof(*thrown));
	if (!thrown)
		return false;
	memset(thrown + flight->n_workers, 0, (n - flight->n_workers) * sizeof(*thrown));
	flight->thrown = thrown;
	flight->n_workers = n;
	return true;
}

static bool make_room(struct flight *flight)
{
	uint64_t room = flight->room ? 2 * flight->room : 64;
	struct flight_block *block;

	if (flight->n < flight->room)
		return true;
	block = malloc(room * sizeof(*block));
	if (!block)
		return false;
	for (uint64_t i = 0; i < flight->n; i++)
		block[i] = *block_at(flight, i);
	free(flight->block);
	flight->block = block;
	flight->room = room;
	flight->first = 0;
	return true;
}

static void throw_oldest(struct flight *flight)
{
	struct flight_block *oldest = block_at(flight, 0);

	flight->thrown[oldest->block.worker] += oldest->block.n_events;
	flight->bytes -= file_bytes(&oldest->block);
	free(oldest->body);
	flight->first = (flight->first + 1) % flight->room;
	flight->n--;
}

int flight_put(struct flight *flight, const struct wire_block *block, const void *body,
	       uint64_t before_units, uint64_t running)
{
	struct flight_block kept = { *block, malloc(block->body_bytes), before_units, running };

	if (!kept.body || !know_worker(flight, block->worker) || !make_room(flight)) {
		free(kept.body);
		return -ENOMEM;
	}
	memcpy(kept.body, body, block->body_bytes);
	*block_at(flight, flight->n++) = kept;
	flight->bytes += file_bytes(block);
	while (flight->n > 1 && flight->bytes > flight->max_bytes)
		throw_oldest(flight);
	return 0;
}

/* Says what is missing of a worker before that block, its first that is kept. */
static int open_stream(const struct flight *flight, struct trace_file *file,
		       struct encoder *encoder, const struct flight_block *first,
		       uint64_t begin_units)
{
	struct note_place place = { .worker = first->block.worker,
				    .units = begin_units,
				    .n_ids = first->block.first_id,
				    .running = first->running };
	struct note_gap gap = { .n = flight->thrown[place.worker],
				.since = begin_units,
				.until = first->before_units,
				.why = WIRE_LOSS_OLD };

	return note_put(file, encoder, &place, &gap, 1);
}

int flight_write(struct flight *flight, struct trace_file *file, struct encoder *encoder,
		 uint64_t begin_units, uint64_t end_units, uint32_t *next_seqno)
{
	int error = 0;

	memset(next_seqno, 0, flight->n_workers * sizeof(*next_seqno));
	for (uint64_t i = 0; i < flight->n && !error; i++) {
		const struct flight_block *kept = block_at(flight, i);
		struct wire_block block = kept->block;
		uint32_t *seqno = &next_seqno[block.worker];

		if (*seqno == 0 && flight->thrown[block.worker]) {
			error = open_stream(flight, file, encoder, kept, begin_units);
			*seqno = 1;
		}
		block.seqno = (*seqno)++;
		if (!error)
			error = trace_file_put(file, &block, kept->body);
	}
	for (uint32_t w = 0; w < flight->n_workers && !error; w++) {
		struct note_place place = { .worker = w, .units = begin_units };
		struct note_gap gap = { flight->thrown[w], begin_units, end_units, WIRE_LOSS_OLD };

		if (next_seqno[w] == 0 && gap.n) { /* nothing of it is left */
			error = note_put(file, encoder, &place, &gap, 1);
			next_seqno[w] = 1;
		}
	}
	return error;
}

void flight_free(struct flight *flight)
{
	for (uint64_t i = 0; i < flight->n; i++)
		free(block_at(flight, i)->body);
	free(flight->block);
	free(flight->thrown);
	*flight = (struct flight){ 0 };
}
