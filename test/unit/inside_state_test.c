/* SPDX-License-Identifier: MIT */
/* inside_state_test.c - the steps of the collector inside: all states are reached, none skipped. */
#include "preload/inside/inside_state.h"

#include "test/lib/test.h"

/* The states that may come after one of these, sooner or later. */
static uint32_t reached(uint32_t from)
{
	uint32_t all = 0, before;

	do {
		before = all;
		for (uint32_t state = 0; state < STATES; state++)
			if ((from | all) >> state & 1)
				all |= state_next((enum state)state);
	} while (all != before);
	return all;
}

TEST(test_reached)
{
	const uint32_t every = (1u << STATES) - 1;

	assert_int_equal(reached(1u << STATE_GONE), every);
	assert_int_equal(state_next(STATE_CLOSED), 0);
	for (uint32_t from = 0; from < STATES; from++)
		if (from != STATE_CLOSED) /* from anywhere else a program can end cleanly */
			assert_true(reached(1u << from) >> STATE_CLOSED & 1);
}

/* An end is never skipped, nor taken back when it is closed; nobody starts where one collects. */
TEST(test_steps)
{
	for (uint32_t from = 0; from < STATES; from++) {
		assert_false(state_next((enum state)from) >> from & 1);
		if (from != STATE_ENDING)
			assert_false(state_next((enum state)from) >> STATE_ENDED & 1);
		if (from != STATE_ENDED)
			assert_false(state_next((enum state)from) >> STATE_CLOSED & 1);
		if (from != STATE_GONE && from != STATE_FAILED)
			assert_false(state_next((enum state)from) >> STATE_STARTING & 1);
	}
}

TEST(test_move)
{
	_Atomic uint32_t word = STATE_GONE;

	assert_false(state_collects(&word));
	assert_true(state_move(&word, STATE_GONE, STATE_RUNNING));
	assert_false(state_move(&word, STATE_GONE, STATE_STARTING));
	assert_int_equal(word, STATE_RUNNING);
	assert_true(state_collects(&word));
	assert_true(state_move(&word, STATE_RUNNING, STATE_ENDING));
	assert_true(state_move(&word, STATE_ENDING, STATE_ENDED));
	assert_true(state_collects(&word));
	assert_true(state_move(&word, STATE_ENDED, STATE_CLOSED));
	assert_false(state_collects(&word));
}
