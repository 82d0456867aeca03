/* SPDX-License-Identifier: MIT */
/* gate_test.c - who has died or stands: with the lock of starts and stops, or where it is awaited.
 */
#define TAKE_BACK_NS 20000000u
#include "collector/session/gate.c"

#include "test/lib/test.h"

#define OTHER 1u /* no thread of ours */

static struct session *session;

/* Of who held it and is late, the unlocking is without effect. */
TEST(test_taken)
{
	uint32_t mine;

	atomic_store(&session->gate, OTHER);
	mine = gate_lock(session);
	assert_int_not_equal(mine, OTHER);
	assert_int_equal(atomic_load(&session->gate), mine);
	gate_unlock(session, OTHER);
	assert_int_equal(atomic_load(&session->gate), mine);
	gate_unlock(session, mine);
	assert_int_equal(atomic_load(&session->gate), 0);
}

static struct worker *no_worker(void *arg, uint32_t index)
{
	return NULL;
}

TEST(test_turns)
{
	atomic_store(&session->mark_room, SESSION_MARKS);
	atomic_store(&session->gate, OTHER);
	assert_int_equal(gate_stop(session, no_worker, NULL), GATE_TURNED);
	assert_int_equal(gate_stop(session, no_worker, NULL), GATE_UNCHANGED);
	assert_int_equal(gate_start(session), GATE_TURNED);
	assert_int_equal(atomic_load(&session->gate), 0);
}

/* It would take an end back, and does not: nobody waits for it at each event. */
TEST(test_collector_has_stopped)
{
	atomic_store(&session->state, SESSION_ON);
	atomic_store(&session->ended, 1);
	gate_freeze(session, NULL, 0, no_worker, NULL);
	gate_rest(session, NULL);
	assert_int_equal(atomic_load(&session->frozen), 0);
}

int main(void)
{
	session = aligned_alloc(_Alignof(struct session), sizeof(*session));
	memset(session, 0, sizeof(*session));
	session->clock.source = CLOCK_SOURCE_MONOTONIC;
	return test_all();
}
