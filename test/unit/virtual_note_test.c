/* SPDX-License-Identifier: MIT */
/* virtual_note_test.c - what the virtual probe says of a runtime comes behind what its shim said.
 */
#include "preload/probes/virtual/virtual_time.c" /* NOLINT */

#include "test/lib/test.h"

/* ---- in the place of what is not tested ---- */

bool kinds_open(const char *list)
{
	return list != NULL;
}

void kinds_off(void)
{
}

kinds_class kinds_event(const struct worker *worker, enum wire_kind kind, uint64_t b)
{
	return 0;
}

void virtual_queue_open(uint64_t begin)
{
}

uint64_t virtual_queue_now(void)
{
	return 1;
}

bool virtual_queue_pass(struct virtual_turn *turn, uint64_t ns)
{
	return true;
}

void looking_stir(void)
{
}

/* ---- the test ---- */

static void expect_note(uint32_t runtime, const char *note)
{
	struct session *session = session_get();

	assert_string_equal(session_said(session, session->runtime[runtime].note), note);
}

TEST(test_note)
{
	struct session *session = session_get();

	session->runtime[1].note = session_keep(session, "the shim sees no locks");
	put_note(session, 1, "no times");
	expect_note(1, "the shim sees no locks; no times");
	put_note(session, 1, "no times, and more"); /* in the place of ours */
	expect_note(1, "the shim sees no locks; no times, and more");
	put_note(session, 2, "no times");
	expect_note(2, "no times");
}
