/* SPDX-License-Identifier: MIT */
/* memo_test.c - words are found by their key, whatever others put and take meanwhile. */
#include <pthread.h>
#include <unistd.h>

#include "test/lib/test.h"

#include "shims/common/memo.c" /* NOLINT: its poison comes last */

static struct memo memo;

TEST(test_none)
{
	assert_int_equal(memo_take(&memo, 8), 0);
	assert_int_equal(memo_find(&memo, 8, false), 0);
}

/* More keys than there are lists, and than are mapped at once: none hides another. */
TEST(test_many)
{
	enum { N = 3 * ROOM };

	for (int round = 0; round < 2; round++) {
		for (uint64_t i = 1; i <= N; i++)
			assert_true(memo_put(&memo, i * 8, i));
		assert_int_equal(memo_find(&memo, (N + 1) * 8, true), 0);
		for (uint64_t i = 1; i <= N; i++) {
			assert_int_equal(memo_find(&memo, i * 8, true), i);
			assert_int_equal(memo_take(&memo, i * 8), i);
			assert_int_equal(memo_take(&memo, i * 8), 0);
		}
		assert_int_equal(memo.n, 0);
	}
}

TEST(test_several_of_one_key)
{
	for (uint64_t word = 1; word <= 3; word++)
		memo_put(&memo, 8, word);
	assert_int_equal(memo_find(&memo, 8, true), 3);
	for (uint64_t word = 3; word > 0; word--)
		assert_int_equal(memo_take(&memo, 8), word);
	assert_int_equal(memo_take(&memo, 8), 0);
}

/* Who finds no word at all takes no lock. */
TEST(test_no_lock)
{
	memo_put(&memo, 8, 1);
	memo.lock = 1;
	alarm(60); /* or it waits for ever */
	for (uint64_t key = 16; key < 16 * 256; key += 16)
		if (bucket_of(&memo, key) != bucket_of(&memo, 8))
			assert_int_equal(memo_find(&memo, key, true), 0);
	alarm(0);
	memo.lock = 0;
	assert_int_equal(memo_take(&memo, 8), 1);
}

/* Keys of one list, but for a few: each thread finds its own, which come and go. */
static void *come_and_go(void *arg)
{
	uint64_t first = (uintptr_t)arg, wrong = 0;

	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t key = first + i % 7 * 1024;

		memo_put(&memo, key, key);
		wrong += memo_find(&memo, key, true) != key;
		wrong += memo_take(&memo, key) != key;
		wrong += memo_find(&memo, key, true) != 0;
	}
	return (void *)(uintptr_t)wrong; /* NOLINT: a number */
}

TEST(test_threads)
{
	pthread_t thread[4];
	void *wrong;

	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, come_and_go, (void *)(i + 1)); /* NOLINT */
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], &wrong);
		assert_null(wrong);
	}
	assert_int_equal(memo.n, 0);
}
