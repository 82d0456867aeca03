/* SPDX-License-Identifier: MIT */
/* pool_test.c - what a pool gives out, and how much of its memory is written to for that. */
#include <sys/mman.h>
#include <unistd.h>

#include "test/lib/test.h"

#include "shims/common/pool.c" /* NOLINT: its poison comes last */

#define RECORD_BYTES 40u

/* Pages of a chunk that are there. */
static size_t written_pages(const struct pool_list *list)
{
	uintptr_t end = (uintptr_t)list->rest + list->n_left * RECORD_BYTES;
	unsigned char there[POOL_CHUNK_BYTES / 4096];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 0;
	char *chunk = (char *)((end & ~(uintptr_t)(page - 1)) + page - POOL_CHUNK_BYTES);

	assert_int_equal(mincore(chunk, POOL_CHUNK_BYTES, there), 0);
	for (size_t i = 0; i < POOL_CHUNK_BYTES / page; i++)
		n += there[i] & 1;
	return n;
}

/* Many threads with a task or two each: none has all of a chunk. */
TEST(test_few)
{
	struct pool pool = { .record_bytes = RECORD_BYTES };
	struct pool_list list = { 0 };

	assert_non_null(pool_take(&pool, &list, 0));
	assert_int_equal(written_pages(&list), 1);
}

static void fill(char *record)
{
	for (uint32_t i = 0; i < RECORD_BYTES; i++)
		record[i] = -1;
}

static int by_address(const void *a, const void *b)
{
	uintptr_t at = (uintptr_t) * (void *const *)a, other = (uintptr_t) * (void *const *)b;

	return (at > other) - (at < other);
}

/* No two records share a byte, over several chunks, and those given back come again. */
TEST(test_many)
{
	enum { N = 3 * POOL_CHUNK_BYTES / RECORD_BYTES };
	struct pool pool = { .record_bytes = RECORD_BYTES };
	struct pool_list list = { 0 }, other = { 0 };
	static char *record[N];

	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < N; i++) {
			record[i] = pool_take(&pool, &list, 0);
			assert_non_null(record[i]);
			fill(record[i]);
		}
		qsort((void *)record, N, sizeof(*record), by_address);
		for (size_t i = 1; i < N; i++)
			assert_true((size_t)(record[i] - record[i - 1]) >= RECORD_BYTES);
		for (size_t i = 0; i < N; i++)
			pool_give(&pool, &other, 1, record[i]);
	}
}
