/* SPDX-License-Identifier: MIT */
/* note_test.c - gaps that a worker told of while a snapshot was written. */

#include "test/lib/test.h"

#include "collector/trace/note.h"

#define SHIFT 1u
#define LOST(n, why) { WIRE_LOST, (n) | (uint64_t)(why) << WIRE_LOSS_SHIFT }
#define SINCE(ticks) { WIRE_SINCE, ticks }
#define UNTIL(ticks) { WIRE_UNTIL, ticks }
#define NEXT_ID { WIRE_NEXT_ID, 7 }

/* The gaps of a worker that said `state` of a full ring, and has these events in it. */
static void look(const struct wire_event *event, uint64_t n, uint64_t state, struct note_gap *gap)
{
	struct note_slots slots = { .slot = event, .n = n, .shift = SHIFT };

	for (uint32_t why = 0; why < WIRE_LOSS_OLD; why++)
		gap[why] = (struct note_gap){ .until = 99, .why = (enum wire_loss)why };
	gap[WIRE_LOSS_RING].n = state;
	gap[WIRE_LOSS_RING].since = 33;
	note_untaken(&slots, gap);
}

TEST(test_told)
{
	const struct wire_event event[] = { LOST(5, WIRE_LOSS_RING),
					    SINCE(20),
					    UNTIL(40),
					    LOST(8, WIRE_LOSS_STOPPED),
					    SINCE(40),
					    UNTIL(60),
					    NEXT_ID };
	struct note_gap gap[WIRE_LOSS_OLD];

	look(event, 7, 0, gap);
	assert_int_equal(gap[WIRE_LOSS_RING].n, 5);
	assert_int_equal(gap[WIRE_LOSS_RING].since, 20 >> SHIFT);
	assert_int_equal(gap[WIRE_LOSS_RING].until, 99); /* no event after it is in the snapshot */
	assert_int_equal(gap[WIRE_LOSS_STOPPED].n, 8);
	assert_int_equal(gap[WIRE_LOSS_STOPPED].since, 40 >> SHIFT);
	assert_int_equal(gap[WIRE_LOSS_SIZE].n, 0);
}

/* The worker is just about to tell: what it says beside the ring holds. */
TEST(test_half_told)
{
	const struct wire_event event[] = { LOST(5, WIRE_LOSS_RING), SINCE(20), UNTIL(40) };
	struct note_gap gap[WIRE_LOSS_OLD];

	for (uint64_t n = 0; n < 3; n++) {
		look(event, n, 5, gap);
		assert_int_equal(gap[WIRE_LOSS_RING].n, 5);
		assert_int_equal(gap[WIRE_LOSS_RING].since, 33);
	}
}

/* A gap that comes after events, or after another one, is not the one at which the snapshot ends.
 */
TEST(test_later)
{
	const struct wire_event first[] = {
		{ 10u << 8 | WIRE_END, 0 }, LOST(5, WIRE_LOSS_RING), SINCE(20), UNTIL(40)
	};
	const struct wire_event second[] = { LOST(5, WIRE_LOSS_RING), SINCE(20), UNTIL(40),
					     LOST(6, WIRE_LOSS_RING), SINCE(50), UNTIL(60) };
	struct note_gap gap[WIRE_LOSS_OLD];

	look(first, 4, 0, gap);
	assert_int_equal(gap[WIRE_LOSS_RING].n, 0);
	look(second, 6, 0, gap);
	assert_int_equal(gap[WIRE_LOSS_RING].n, 5);
	assert_int_equal(gap[WIRE_LOSS_RING].since, 20 >> SHIFT);
}

/* Whatever is in the ring: the program may have a pointer astray. */
TEST(test_garbage)
{
	struct wire_event event[16];
	struct note_gap gap[WIRE_LOSS_OLD];

	for (unsigned i = 0; i < 16; i++)
		event[i] = (struct wire_event){ i % 2 ? WIRE_SINCE : WIRE_LOST, UINT64_MAX };
	look(event, 16, 0, gap);
	for (uint32_t why = 0; why < WIRE_LOSS_OLD; why++)
		assert_int_equal(gap[why].n, 0);
}
