/* SPDX-License-Identifier: MIT */
/*
 * flight.c - keeps the newest blocks.
 *
 * In a log of 1024 bytes lie three records, behind each other; then one of 192 comes:
 *
 *	0	  320	      704      960  1024
 *	| w0 #4	  | w1 #2     | w0 #5  |    |	first 0, end 960
 *	| w0 #6 | | w1 #2     | w0 #5  |0   |	first 320, end 1216
 *
 * 64 bytes are left, too few for it, so a record of 0 bytes says that the log goes on at its begin;
 * w0 #4 is thrown away, as w0 #6 takes its place.  `first` moves before the record is written and
 * `end` behind it: whoever reads the log of a killed process finds whole records between the two.
 */
#include "collector/drain/flight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/trace/grow.h"
#include "collector/trace/note.h"

/* Bytes of a block in the file: its body, its header, and its line of the index. */
static uint64_t kept_bytes(const struct wire_block *block)
{
	return block->body_bytes + 2 * sizeof(*block);
}

struct flight_block *flight_at(const struct flight *flight, uint64_t i)
{
	return &flight->block[flight->first + i];
}

static bool know_worker(struct flight *flight, uint32_t worker)
{
	uint32_t n = flight->n_workers;

	if (worker < n)
		return true;
	if (!grow(&flight->count, n, worker + 1 - n, sizeof(*flight->count)))
		return false;
	flight->n_workers = worker + 1;
	return true;
}

/* Makes room for one more.  What was thrown away is cleared as long as that is a part of them. */
static bool flight_room(struct flight *flight)
{
	uint64_t n = flight->first + flight->n;

	if (n == grow_room(n) && flight->first > flight->n / 4) {
		memmove(flight->block, flight_at(flight, 0), flight->n * sizeof(*flight->block));
		flight->first = 0;
		n = flight->n;
	}
	return grow(&flight->block, n, 1, sizeof(*flight->block));
}

static void free_body(struct flight_block *kept)
{
	if (kept->is_own)
		free((void *)kept->body);
}

/* ---- the log ---- */

/* Nothing before the oldest record that is left is in the log any more. */
static void move_first(struct flight *flight)
{
	if (flight->log)
		atomic_store_explicit(&flight->log->first,
				      flight->n ? flight_at(flight, 0)->at : flight->log_end,
				      memory_order_release);
}

static void throw_oldest(struct flight *flight)
{
	struct flight_block *oldest = flight_at(flight, 0);

	flight->count[oldest->block.worker].thrown += oldest->n_made;
	flight->bytes -= kept_bytes(&oldest->block);
	flight->has_thrown = true;
	free_body(oldest);
	flight->first++;
	flight->n--;
	move_first(flight);
}

static char *log_at(const struct flight *flight, uint64_t position)
{
	return (char *)flight->log + FLIGHT_HEAD_BYTES + position % flight->log_room;
}

/* The bytes of a record: at least what kept_bytes() says, so that the sizes of both agree. */
static uint64_t record_bytes(const struct wire_block *block)
{
	uint64_t bytes = sizeof(struct flight_record) + block->body_bytes;

	if (bytes < kept_bytes(block))
		bytes = kept_bytes(block);
	/* as the room is: what is left at the end of it has place for the word `bytes` of 0 */
	return (bytes + 63) & ~UINT64_C(63);
}

void flight_use_log(struct flight *flight, void *memory, uint64_t bytes, flight_reserve *reserve)
{
	struct flight_log *log = memory;

	if (bytes < FLIGHT_HEAD_BYTES + FLIGHT_SLACK_BYTES ||
	    (reserve && !reserve(memory, FLIGHT_HEAD_BYTES)))
		return;
	flight->log = log;
	flight->reserve = reserve;
	flight->log_room = (bytes - FLIGHT_HEAD_BYTES) & ~UINT64_C(63);
	atomic_store(&log->room, flight->log_room);
	atomic_store(&log->first, 0);
	atomic_store(&log->end, 0);
	memcpy(log->magic, FLIGHT_MAGIC, sizeof(log->magic));
}

/*
 * Sees to it that the log's first `bytes` can be written to.  If they cannot, it ends where it can,
 * as long as it has not gone round.
 */
static bool reserve_log(struct flight *flight, uint64_t bytes)
{
	if (!flight->reserve || bytes <= flight->log_reserved)
		return true;
	if (flight->reserve(log_at(flight, 0) + flight->log_reserved,
			    bytes - flight->log_reserved)) {
		flight->log_reserved = bytes;
		return true;
	}
	flight->log_room = flight->log_reserved;
	atomic_store(&flight->log->room, flight->log_room);
	flight->reserve = NULL;
	return false;
}

/* Makes space for a record in one piece; its position, or UINT64_MAX if it is too large. */
static uint64_t log_place(struct flight *flight, uint64_t bytes)
{
	uint64_t at = flight->log_end, left;

	if (bytes > flight->log_room)
		return UINT64_MAX;
	left = flight->log_room - at % flight->log_room;
	if (left < bytes)
		at += left;
	while (flight->n && at + bytes - flight_at(flight, 0)->at > flight->log_room)
		throw_oldest(flight);
	/* once it goes round it keeps its size: later records may end anywhere in it */
	if ((at != flight->log_end && !reserve_log(flight, flight->log_room)) ||
	    !reserve_log(flight, at % flight->log_room + bytes))
		return log_place(flight, bytes); /* in a shorter log */
	if (at != flight->log_end)
		((struct flight_record *)log_at(flight, flight->log_end))->bytes = 0;
	return at;
}

static void copy_to(char *to, struct flight_block *kept)
{
	memcpy(to, kept->body, kept->block.body_bytes);
	kept->body = to;
}

/* Makes the copy in the log.  False if that has no room. */
static bool log_put(struct flight *flight, struct flight_block *kept)
{
	uint64_t bytes = record_bytes(&kept->block), at = log_place(flight, bytes);
	struct flight_record *record;

	if (at == UINT64_MAX)
		return false;
	record = (struct flight_record *)log_at(flight, at);
	*record = (struct flight_record){ .bytes = bytes,
					  .before_units = kept->before_units,
					  .running = kept->running,
					  .n_before = flight->count[kept->block.worker].put,
					  .n_made = kept->n_made,
					  .block = kept->block };
	/* as in a file, though without an offset: record_sound() asks for both */
	record->block.magic = WIRE_BLOCK_MAGIC;
	record->block.check = block_check(&record->block);
	copy_to((char *)(record + 1), kept);
	kept->at = at;
	flight->log_end = at + bytes;
	/* release: whoever reads this `end` after a kill finds the record whole */
	atomic_store_explicit(&flight->log->end, flight->log_end, memory_order_release);
	return true;
}

/* It could not grow, and is too short: for a successor, and `tptrace recover`, nothing is in it. */
static void leave_log(struct flight *flight)
{
	atomic_store(&flight->log->first, flight->log_end);
	flight->log = NULL;
}

/* Whether a record that lies there may be one; `room` bytes are left for it. */
static bool record_sound(const struct flight_record *record, uint64_t room)
{
	const struct wire_block *block = &record->block;

	return record->bytes <= room && record->bytes == record_bytes(block) &&
	       block->magic == WIRE_BLOCK_MAGIC && block->check == block_check(block) &&
	       block->worker < WIRE_WORKERS && block->body_bytes <= WIRE_BODY_MAX &&
	       block->raw_bytes <= WIRE_BODY_MAX && block->n_events > 0 &&
	       block->n_events <= ENCODE_EVENTS_MAX;
}

static bool load_record(struct flight *flight, const struct flight_record *record, uint64_t at,
			const void *body)
{
	struct flight_block kept = { .block = record->block,
				     .body = body,
				     .at = at,
				     .before_units = record->before_units,
				     .running = record->running,
				     .n_made = record->n_made };
	struct flight_count *count;

	if (!know_worker(flight, record->block.worker) || !flight_room(flight))
		return false;
	count = &flight->count[record->block.worker];
	if (count->put == 0)
		count->thrown = record->n_before;
	count->put = record->n_before + record->n_made;
	flight->bytes += kept_bytes(&kept.block);
	*flight_at(flight, flight->n++) = kept;
	return true;
}

bool flight_load(struct flight *flight, const void *memory, uint64_t bytes)
{
	const struct flight_log *log = memory;
	const char *records = (const char *)memory + FLIGHT_HEAD_BYTES;
	uint64_t room, at, end;
	bool sound = bytes > FLIGHT_HEAD_BYTES &&
		     memcmp(log->magic, FLIGHT_MAGIC, sizeof(log->magic)) == 0;

	if (!sound)
		return false;
	room = atomic_load(&log->room);
	at = atomic_load(&log->first);
	end = atomic_load(&log->end);
	/* the program may have written over the log: a bad word gives it up, no loop runs for ever
	 */
	sound = room % 64 == 0 && room <= bytes - FLIGHT_HEAD_BYTES && (room || at == end) &&
		at % 64 == 0 && at <= end && end - at <= room && end <= INT64_MAX - bytes;
	while (sound && at < end) {
		const char *there = records + at % room;
		uint64_t left = room - at % room;
		struct flight_record record = { 0 }; /* a copy: the program may still write there */

		if (left > end - at)
			left = end - at;
		if (left >= sizeof(record))
			memcpy(&record, there, sizeof(record));
		if (record.bytes == 0) {
			at += room - at % room;
			continue;
		}
		sound = record_sound(&record, left) &&
			load_record(flight, &record, at, there + sizeof(record));
		at += record.bytes;
	}
	flight->log_room = room;
	flight->log_end = end;
	if (!sound) {
		flight->n = flight->bytes = 0;
		for (uint32_t w = 0; w < flight->n_workers; w++)
			flight->count[w] = (struct flight_count){ 0 };
	}
	return sound;
}

bool flight_resume(struct flight *flight, void *memory, uint64_t bytes)
{
	struct flight_log *log = memory;

	if (!flight_load(flight, memory, bytes))
		return false;
	flight->log = log;
	flight->has_thrown = flight->n && flight_at(flight, 0)->at > 0;
	return true;
}

int flight_forget(struct flight *flight, uint32_t worker, uint64_t n_events)
{
	if (!know_worker(flight, worker))
		return -ENOMEM;
	flight->count[worker] = (struct flight_count){ n_events, n_events, 0 };
	return 0;
}

const struct flight_block *flight_newest(const struct flight *flight, uint32_t worker)
{
	for (uint64_t i = flight->n; i-- > 0;)
		if (flight_at(flight, i)->block.worker == worker)
			return flight_at(flight, i);
	return NULL;
}

/* ---- blocks ---- */

/* A copy of its own.  False if out of memory. */
static bool own_put(struct flight_block *kept)
{
	char *copy = malloc(kept->block.body_bytes);

	if (copy)
		copy_to(copy, kept);
	kept->is_own = copy != NULL;
	return copy;
}

int flight_put(struct flight *flight, const struct flight_block *block)
{
	struct flight_block kept = *block;

	if (!know_worker(flight, kept.block.worker) || !flight_room(flight))
		return -ENOMEM;
	if (flight->log && !log_put(flight, &kept))
		leave_log(flight);
	if (!flight->log && !own_put(&kept))
		return -ENOMEM;
	flight->count[kept.block.worker].put += kept.n_made;
	*flight_at(flight, flight->n++) = kept;
	flight->bytes += kept_bytes(&kept.block);
	/* one stays, however large: a trace of nothing helps nobody */
	while (flight->n > 1 && flight->bytes > flight->max_bytes)
		throw_oldest(flight);
	return 0;
}

bool flight_halve(struct flight *flight)
{
	uint64_t bytes = flight->bytes / 2;

	if (flight->n < 2)
		return false;
	do
		throw_oldest(flight);
	while (flight->n > 1 && flight->bytes > bytes);
	return true;
}

uint64_t flight_since(const struct flight *flight)
{
	return flight->n && flight->has_thrown ? flight_at(flight, 0)->before_units : 0;
}

/* Says what is missing of a worker before that block, its first that is kept. */
static void open_stream(const struct flight *flight, struct trace_file *file,
			struct encoder *encoder, const struct flight_block *first,
			uint64_t begin_units)
{
	struct note_place place = { .worker = first->block.worker,
				    .units = begin_units,
				    .n_ids = first->block.first_id,
				    .running = first->running };
	struct note_gap gap = { .n = flight->count[place.worker].thrown,
				.since = begin_units,
				.until = first->before_units,
				.why = flight->why };

	note_put(file, encoder, &place, &gap, 1);
}

void flight_write(struct flight *flight, struct trace_file *file, struct encoder *encoder,
		  uint64_t begin_units, uint64_t end_units)
{
	for (uint32_t w = 0; w < flight->n_workers; w++)
		flight->count[w].next_seqno = 0;
	for (uint64_t i = 0; i < flight->n; i++) {
		const struct flight_block *kept = flight_at(flight, i);
		struct wire_block block = kept->block;
		uint32_t *seqno = &flight->count[block.worker].next_seqno;

		if (*seqno == 0 && flight->count[block.worker].thrown) {
			open_stream(flight, file, encoder, kept, begin_units);
			*seqno = 1;
		}
		block.seqno = (*seqno)++;
		trace_file_put(file, &block, kept->body);
	}
	for (uint32_t w = 0; w < flight->n_workers; w++) {
		struct note_place place = { .worker = w, .units = begin_units };
		struct note_gap gap = { flight->count[w].thrown, begin_units, end_units,
					flight->why };

		if (flight->count[w].next_seqno == 0 && gap.n) { /* nothing of it is left */
			note_put(file, encoder, &place, &gap, 1);
			flight->count[w].next_seqno = 1;
		}
	}
}

uint32_t flight_written(const struct flight *flight, uint32_t worker)
{
	return worker < flight->n_workers ? flight->count[worker].next_seqno : 0;
}

void flight_free(struct flight *flight)
{
	for (uint64_t i = 0; i < flight->n; i++)
		free_body(flight_at(flight, i));
	free(flight->block);
	free(flight->count);
	*flight = (struct flight){ 0 };
}
