/* SPDX-License-Identifier: MIT */
/* ids_test.c - what ids and names stand for. */
#include "tools/dag/ids.h"

#include "test/lib/test.h"

static struct ids ids;

static int begin(void **state)
{
	ids_open(&ids, 3);
	return 0;
}

static int end(void **state)
{
	ids_free(&ids);
	return 0;
}

/* Each worker's ids are its own, in order, and some of them may be missing. */
TEST_WITH(test_ranges, begin, end)
{
	for (uint32_t n = 1; n < 400; n++)
		if (n % 7)
			assert_int_equal(ids_make(&ids, id_make(2, n), n + 1000), 0);
	assert_int_equal(ids_make(&ids, id_make(0, 5), 42), 0);
	for (uint32_t n = 1; n < 400; n++)
		assert_int_equal(ids_of(&ids, id_make(2, n)), n % 7 ? n + 1000 : NONE);
	assert_int_equal(ids_of(&ids, id_make(0, 5)), 42);
	assert_int_equal(ids_of(&ids, id_make(0, 4)), NONE);
	assert_int_equal(ids_of(&ids, id_make(1, 5)), NONE);
	assert_int_equal(ids_of(&ids, id_make(3, 5)), NONE); /* there is no such worker */
}

TEST_WITH(test_given_out_twice, begin, end)
{
	assert_int_equal(ids_make(&ids, id_make(1, 8), 3), 0);
	assert_int_equal(ids_make(&ids, id_make(1, 8), 4), -EPROTO);
	assert_int_equal(ids_make(&ids, id_make(1, 7), 4), -EPROTO);
	assert_int_equal(ids_of(&ids, id_make(1, 8)), 3);
}

/* An id that no event made stands for a task that was found, until one does make it. */
TEST_WITH(test_found, begin, end)
{
	ids_find(&ids, id_make(1, 3), 9);
	assert_int_equal(ids_of(&ids, id_make(1, 3)), 9);
	assert_null(ids_slot(&ids, id_make(1, 3)));
	assert_int_equal(ids_make(&ids, id_make(1, 3), 10), 0);
	assert_int_equal(ids_of(&ids, id_make(1, 3)), 10);
	*ids_slot(&ids, id_make(1, 3)) = 11;
	assert_int_equal(ids_of(&ids, id_make(1, 3)), 11);
}

TEST_WITH(test_names, begin, end)
{
	assert_int_equal(ids_named(&ids, 0), TASK_NONE);
	ids_name(&ids, 0, 0);
	assert_int_equal(ids_named(&ids, 0), 0);
	ids_name(&ids, 0, 5); /* the name is used again */
	assert_int_equal(ids_named(&ids, 0), 5);
	assert_int_equal(ids_named(&ids, 1), TASK_NONE);
}
