/* SPDX-License-Identifier: MIT */
/* chunk.c - the stores by which worker and collector change a chunk's word. */
#include "collector/session/chunk.h"

#include "collector/session/point.h"

#define SCANS 8u /* events may move from a chunk not yet looked at to one that was */

static uint64_t chunk_word_anew(const struct chunk *chunk, enum chunk_state state)
{
	return (chunk_word(chunk) & ~(uint64_t)(CHUNK_AGAIN - 1)) + CHUNK_AGAIN + state;
}

static bool change_word(struct chunk *chunk, uint64_t *word, uint64_t to)
{
	return atomic_compare_exchange_strong_explicit(&chunk->word, word, to, memory_order_acq_rel,
						       memory_order_acquire);
}

/* Nobody looks at a FREE chunk but for its word. */
static void set_numbers(struct chunk *chunk, uint64_t first, uint64_t made, uint32_t n_thinned)
{
	atomic_store_explicit(&chunk->first, first, memory_order_relaxed);
	atomic_store_explicit(&chunk->made, made, memory_order_relaxed);
	atomic_store_explicit(&chunk->n_thinned, n_thinned, memory_order_relaxed);
}

void chunk_begin(struct chunk *chunk, uint64_t first)
{
	set_numbers(chunk, first, 0, 0);
	atomic_store_explicit(&chunk->word, chunk_word_anew(chunk, CHUNK_FILLING),
			      memory_order_release);
	test_point("chunk:begun");
}

void chunk_finish(struct chunk *chunk, uint64_t head)
{
	uint64_t word = chunk_word(chunk);

	atomic_store_explicit(&chunk->end, head, memory_order_relaxed);
	test_point("chunk:ends");
	while (!change_word(chunk, &word, word + CHUNK_FULL - CHUNK_FILLING))
		; /* it was pinned meanwhile */
	test_point("chunk:full");
}

void chunk_replace(struct chunk *to, const struct chunk *from, uint64_t head, uint32_t n)
{
	uint64_t first = atomic_load_explicit(&from->first, memory_order_relaxed);

	set_numbers(to, first, head - first, n);
	atomic_store_explicit(&to->end, head, memory_order_relaxed);
	test_point("chunk:thinned");
	atomic_store_explicit(&to->word, chunk_word_anew(to, CHUNK_FULL), memory_order_release);
	test_point("chunk:replaced");
}

/* From that state to another, unless the collector has pinned it. */
static bool change_unpinned(struct chunk *chunk, enum chunk_state from, enum chunk_state to)
{
	uint64_t word = chunk_word(chunk);

	return (word & (CHUNK_STATE | CHUNK_PINNED)) == (uint64_t)from &&
	       change_word(chunk, &word, chunk_word_anew(chunk, to));
}

bool chunk_drop(struct chunk *chunk)
{
	bool dropped = change_unpinned(chunk, CHUNK_FILLING, CHUNK_FREE);

	test_point("chunk:dropped");
	return dropped;
}

bool chunk_reopen(struct chunk *chunk)
{
	bool open = change_unpinned(chunk, CHUNK_FULL, CHUNK_FILLING);

	test_point("chunk:reopened");
	return open;
}

void chunk_withdraw(struct chunk *chunk)
{
	change_unpinned(chunk, CHUNK_FULL, CHUNK_FREE);
	test_point("chunk:withdrawn");
}

bool chunk_reuse(struct chunk *chunk)
{
	bool free = change_unpinned(chunk, CHUNK_TAKEN, CHUNK_FREE);

	test_point("chunk:reused");
	return free;
}

/* How many have memory. */
static uint32_t chunks_of(const struct worker *worker, const struct chunk_sizes *sizes)
{
	uint32_t n = atomic_load_explicit(&worker->n_chunks, memory_order_acquire);

	return n < sizes->n ? n : sizes->n;
}

uint32_t chunk_count_full(struct worker *worker, const struct chunk_sizes *sizes, uint64_t from)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < chunks_of(worker, sizes); i++) {
		const struct chunk *chunk = chunk_at(worker, i);

		n += chunk_state_of(chunk_word(chunk)) == CHUNK_FULL &&
		     chunk_before(from, chunk_end(chunk));
	}
	return n;
}

/* Whether it has that number, whose events are *out; its word was and is to stay that. */
static bool read_numbers(const struct chunk *chunk, uint64_t word, const struct worker *worker,
			 uint32_t n_slots, uint64_t from, struct chunk_events *out)
{
	uint64_t first = atomic_load_explicit(&chunk->first, memory_order_relaxed);
	uint64_t made = atomic_load_explicit(&chunk->made, memory_order_relaxed);
	uint32_t n_thinned = atomic_load_explicit(&chunk->n_thinned, memory_order_relaxed);
	uint64_t end = chunk_state_of(word) == CHUNK_FULL
			       ? chunk_end(chunk)
			       : atomic_load_explicit(&worker->head, memory_order_acquire);
	uint64_t n = end - first - made; /* behind the thinned ones */

	if (made > end - first || n_thinned > n_slots || n > n_slots - n_thinned ||
	    from - first >= end - first)
		return false;
	out->number = first + made;
	out->full = chunk_state_of(word) == CHUNK_FULL;
	out->n_whole = from == first ? n_thinned : 0;
	out->n = (uint32_t)(from == first ? n_thinned + n : end - from);
	if (from != first) {
		out->slot += n_thinned + (from - out->number);
		out->number = from;
	}
	return from == first || from - first >= made;
}

/* Pins it if it has the number. */
static bool pin_chunk(struct worker *worker, const struct chunk_sizes *sizes, uint32_t i,
		      uint64_t from, struct chunk_events *out)
{
	struct chunk *chunk = chunk_at(worker, i);
	uint64_t word = chunk_word(chunk);

	while (chunk_state_of(word) >= CHUNK_FILLING) {
		uint64_t now = word;

		*out = (struct chunk_events){ .chunk = chunk,
					      .slot = chunk_slots(worker, sizes, i) };
		if (!read_numbers(chunk, word, worker, sizes->slots, from, out))
			return false;
		test_point("chunk:seen");
		if (change_word(chunk, &now, word | CHUNK_PINNED))
			return true;
		word = now;
	}
	return false;
}

bool chunk_find(struct worker *worker, const struct chunk_sizes *sizes, uint64_t from,
		struct chunk_events *out)
{
	for (uint32_t k = 0; k < SCANS; k++) {
		for (uint32_t i = 0; i < chunks_of(worker, sizes); i++)
			if (pin_chunk(worker, sizes, i, from, out)) {
				test_point("chunk:pinned");
				return true;
			}
		if (atomic_load_explicit(&worker->head, memory_order_acquire) == from)
			return false;
	}
	return false;
}

uint64_t chunk_oldest(struct worker *worker, const struct chunk_sizes *sizes, uint64_t from)
{
	uint64_t oldest = atomic_load_explicit(&worker->head, memory_order_acquire);

	for (uint32_t i = 0; i < chunks_of(worker, sizes); i++) {
		const struct chunk *chunk = chunk_at(worker, i);
		uint64_t first = atomic_load_explicit(&chunk->first, memory_order_relaxed);

		if (chunk_state_of(chunk_word(chunk)) >= CHUNK_FILLING &&
		    !chunk_before(first, from) && chunk_before(first, oldest))
			oldest = first;
	}
	return oldest;
}

bool chunk_release(struct worker *worker, const struct chunk_sizes *sizes, uint64_t number,
		   enum chunk_state to)
{
	bool any = false;

	for (uint32_t i = 0; i < chunks_of(worker, sizes); i++) {
		struct chunk *chunk = chunk_at(worker, i);
		uint64_t word = chunk_word(chunk);

		if (chunk_state_of(word) == CHUNK_FULL && !chunk_before(number, chunk_end(chunk)) &&
		    change_word(chunk, &word, (word & ~(uint64_t)(CHUNK_AGAIN - 1)) + to)) {
			test_point("chunk:released");
			any = true;
		}
	}
	return any;
}

/* The newest that is TAKEN and ends behind `number`; NULL if there is none. */
static struct chunk *newest_taken(struct worker *worker, const struct chunk_sizes *sizes,
				  uint64_t number)
{
	struct chunk *newest = NULL;

	for (uint32_t i = 0; i < chunks_of(worker, sizes); i++) {
		struct chunk *chunk = chunk_at(worker, i);

		if (chunk_state_of(chunk_word(chunk)) == CHUNK_TAKEN &&
		    chunk_before(number, chunk_end(chunk))) {
			number = chunk_end(chunk);
			newest = chunk;
		}
	}
	return newest;
}

void chunk_take_back(struct worker *worker, const struct chunk_sizes *sizes, uint64_t number)
{
	struct chunk *chunk;

	for (uint32_t i = 0; i < sizes->n; i++) {
		uint64_t word;

		chunk = newest_taken(worker, sizes, number);
		if (!chunk)
			return;
		word = chunk_word(chunk);
		if (chunk_state_of(word) != CHUNK_TAKEN ||
		    !change_word(chunk, &word, word + CHUNK_FULL - CHUNK_TAKEN + CHUNK_PINNED))
			return;
		test_point("chunk:back");
	}
}
