/* SPDX-License-Identifier: MIT */
/* encode_names_test.c - the encoder guesses names of tasks that are addresses. */
#include <zstd.h>

#include "test/unit/blocks.h"

/* How many tags of that kind have that guess. */
static unsigned n_guesses(const struct wire_block *block, const void *body, unsigned kind,
			  unsigned guess)
{
	uint8_t *raw = malloc(block->raw_bytes);
	unsigned n = 0;

	assert_int_equal(ZSTD_decompress(raw, block->raw_bytes, body, block->body_bytes),
			 block->raw_bytes);
	for (uint32_t i = block->raw_bytes - block->n_events; i < block->raw_bytes; i++)
		n += raw[i] == TAG(kind, guess);
	free(raw);
	return n;
}

#define NAMED_DEPTH 6
#define NAMED 3 /* tasks that a task creates */

/* Tasks that create others and wait for them, with an allocator that gives out first what it got
 * back last. */
struct named {
	struct wire_event event[20000];
	uint32_t n;
	uint64_t ticks, n_ids, fresh;
	uint64_t free[64];
	unsigned n_free;
};

static void named_event(struct named *in, enum wire_kind kind, uint64_t b)
{
	in->event[in->n++] =
		(struct wire_event){ kind_timed(kind) ? event_at(++in->ticks, kind) : kind, b };
}

static uint64_t name_new(struct named *in)
{
	return in->n_free ? in->free[--in->n_free] : (in->fresh += 256);
}

/* As oneTBB: the bag lies on the stack of the task that waits for it, and the last one begins
 * first. */
static void tasks_in_bag(struct named *in, uint64_t id, int depth)
{
	const uint64_t bag = 0x7ffc00000000 + 96 * (uint64_t)depth;
	uint64_t child[NAMED];

	for (int i = 0; depth && i < NAMED; i++) {
		named_event(in, WIRE_CREATE, site_make(1 + i, 0));
		in->n_ids++;
		child[i] = name_new(in);
		named_event(in, WIRE_NAME, child[i]);
		named_event(in, WIRE_BAG, bag);
		named_event(in, WIRE_RESUME, id);
	}
	if (depth) {
		named_event(in, WIRE_WAIT, site_make(4, WIRE_WAIT_BAG));
		named_event(in, WIRE_OBJECT, bag);
	}
	for (int i = NAMED - 1; depth && i >= 0; i--) {
		named_event(in, WIRE_START, child[i]);
		tasks_in_bag(in, id_make(0, ++in->n_ids), depth - 1);
		in->free[in->n_free++] = child[i];
	}
	if (depth)
		named_event(in, WIRE_RESUME, id);
	named_event(in, WIRE_END, 0);
}

/* As MassiveThreads: each begins at once, and is waited for by its name. */
static void tasks_joined(struct named *in, uint64_t id, int depth)
{
	uint64_t child[NAMED];

	for (int i = 0; depth && i < NAMED; i++) {
		named_event(in, WIRE_CREATE, site_make(1 + i, 0));
		child[i] = name_new(in);
		named_event(in, WIRE_BEGIN, id_make(0, ++in->n_ids));
		tasks_joined(in, id_make(0, in->n_ids), depth - 1);
		named_event(in, WIRE_RESUME, id);
		named_event(in, WIRE_NAME, child[i]);
	}
	for (int i = 0; depth && i < NAMED; i++) {
		named_event(in, WIRE_WAIT, site_make(4, WIRE_WAIT_NAMED));
		named_event(in, WIRE_OBJECT, child[i]);
		in->free[in->n_free++] = child[i];
		named_event(in, WIRE_RESUME, id);
	}
	named_event(in, WIRE_END, 0);
}

/* A loop: all names are new. */
static void tasks_of_loop(struct named *in, uint64_t id, int depth)
{
	for (int i = 0; i < 1 << depth; i++) {
		named_event(in, WIRE_CREATE, site_make(1, 0));
		in->n_ids++;
		named_event(in, WIRE_NAME, name_new(in));
		named_event(in, WIRE_RESUME, id);
	}
	named_event(in, WIRE_END, 0);
}

/* But for some of the first at each depth, all of a thousand are guessed. */
TEST(test_names_are_guessed)
{
	void (*const tasks[])(struct named *, uint64_t, int) = { tasks_in_bag, tasks_joined,
								 tasks_of_loop };
	const unsigned kinds[] = { WIRE_NAME, WIRE_BAG, WIRE_OBJECT };
	struct pair pair;

	pair_new(&pair);
	for (unsigned i = 0; i < 3; i++) {
		static struct named in;
		struct model model = { .worker = 0 };
		struct encode_source source = { .slot = in.event };
		struct wire_block block;
		const void *body;

		in = (struct named){ .n = 0 };
		named_event(&in, WIRE_ROOT, 0);
		tasks[i](&in, id_make(0, ++in.n_ids), NAMED_DEPTH);
		source.n = in.n;
		check_block(&pair, &source, &model, &block, &body);
		for (unsigned k = 0; k < 3; k++)
			assert_in_range(n_guesses(&block, body, kinds[k], 0), 0,
					NAMED_DEPTH * NAMED_DEPTH);
	}
	pair_free(&pair);
}
