/* SPDX-License-Identifier: MIT */
/* heap_test.c - the recorder's heap keeps what is put into its blocks, for several threads. */
#include <pthread.h>

#include "test/lib/test.h"

#include "preload/inside/heap.c"
#include "test/unit/random.h"

#define BLOCKS 200
#define ROUNDS 20000
#define THREADS 4

/* Each size has a class with room for it, and no smaller one has. */
TEST(test_classes)
{
	for (size_t bytes = 1; bytes <= LARGE_BYTES; bytes++) {
		unsigned class = block_class(bytes);

		assert_true(class < CLASSES && class_bytes(class) >= bytes);
		assert_true(class == 0 || class_bytes(class - 1) < bytes);
		assert_int_equal(class_bytes(class) % 16, 0);
	}
}

static size_t some_bytes(struct random *random)
{
	return random_below(random, UINT64_C(1) << random_below(random, 20)) + 1;
}

static void check(const uint8_t *block, size_t bytes, uint8_t value)
{
	assert_int_equal((uintptr_t)block % (bytes > LARGE_BYTES ? 64 : 16), 0);
	assert_true(block[0] == value && block[bytes / 2] == value && block[bytes - 1] == value);
}

static void *use(void *seed)
{
	struct random random = { (uintptr_t)seed };
	uint8_t *block[BLOCKS] = { 0 };
	size_t bytes[BLOCKS] = { 0 };

	for (int round = 0; round < ROUNDS; round++) {
		size_t i = random_below(&random, BLOCKS), now = some_bytes(&random);
		uint8_t value = (uint8_t)(i + (uintptr_t)seed);

		if (block[i])
			check(block[i], bytes[i], value);
		switch (random_below(&random, 3)) {
		case 0:
			__wrap_free(block[i]);
			block[i] = __wrap_calloc(now, 1);
			check(block[i], now, 0);
			break;
		case 1:
			__wrap_free(block[i]);
			block[i] = __wrap_malloc(now);
			break;
		default:
			block[i] = __wrap_realloc(block[i], now);
			if (bytes[i])
				assert_true(block[i][0] == value &&
					    block[i][(now < bytes[i] ? now : bytes[i]) - 1] ==
						    value);
		}
		memset(block[i], value, now);
		bytes[i] = now;
	}
	for (size_t i = 0; i < BLOCKS; i++)
		__wrap_free(block[i]);
	return NULL;
}

TEST(test_blocks)
{
	pthread_t thread[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, use, (void *)(i + 1));
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

TEST(test_limits)
{
	volatile size_t most = SIZE_MAX;
	char *copy = __wrap_strdup("trace");

	assert_string_equal(copy, "trace");
	errno = 0;
	assert_null(__wrap_malloc(most));
	assert_int_equal(errno, ENOMEM);
	assert_null(__wrap_calloc(most / 2, 3));
	assert_null(__wrap_realloc(copy, most - 100));
	assert_string_equal(copy, "trace");
	errno = 7;
	__wrap_free(copy);
	__wrap_free(NULL);
	assert_int_equal(errno, 7);
	assert_non_null(__wrap_malloc(0));
}

/* As in a child of fork: whoever held the lock is not there. */
TEST(test_forget)
{
	char *old = __wrap_strdup("old");

	futex_lock(&heap.lock);
	heap_forget();
	assert_ptr_not_equal(__wrap_strdup("new"), old);
	assert_string_equal(old, "old");
}
