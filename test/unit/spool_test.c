/* SPDX-License-Identifier: MIT */
/* spool_test.c - arrays keep what is in them while their memory goes back to the file. */
#include "tools/base/spool.h"

#include <unistd.h>

#include "test/lib/test.h"

#define ARRAYS 24u
#define ENTRIES (1u << 20) /* 8 MB */

static unsigned long long resident_bytes(void)
{
	unsigned long long size, resident = 0;
	FILE *statm = fopen("/proc/self/statm", "r");

	assert_non_null(statm);
	assert_int_equal(fscanf(statm, "%llu %llu", &size, &resident), 2);
	fclose(statm);
	return resident * (unsigned long long)sysconf(_SC_PAGESIZE);
}

TEST(test_rest)
{
	struct spool spool = { 0 };
	uint64_t *array[ARRAYS];
	unsigned long long before = resident_bytes(), most = before;

	for (uint32_t a = 0; a < ARRAYS; a++) {
		array[a] = spool_array(&spool, ENTRIES, sizeof(*array[a]));
		assert_non_null(array[a]);
		assert_int_equal(array[a][ENTRIES - 1], 0);
		for (uint32_t i = 0; i < ENTRIES; i++)
			array[a][i] = a * (uint64_t)ENTRIES + i;
		spool_rest(&spool);
		most = resident_bytes() > most ? resident_bytes() : most;
	}
	assert_true(most - before < (80u << 20)); /* of 192 MB */
	for (uint32_t i = 0; i < ENTRIES; i += 511)
		for (uint32_t a = 0; a < ARRAYS; a++)
			assert_int_equal(array[a][i], a * (uint64_t)ENTRIES + i);
	spool_free(&spool);
}

TEST(test_small)
{
	struct spool spool = { 0 };
	uint32_t *few = spool_array(&spool, 5, sizeof(*few)), *none = spool_array(&spool, 0, 8);

	assert_non_null(none);
	few[4] = 7;
	spool_rest(&spool);
	assert_int_equal(few[4], 7);
	assert_int_equal(spool.bytes, 0);
	spool_free(&spool);
}

/* From any place of a file, short or long, and what is not there is an error. */
TEST(test_parts)
{
	static const size_t length[] = { 0, 5, 1u << 17 };
	struct spooled bytes = { .at = malloc(1u << 18), .n = 1u << 18 };
	int fd = spool_file();

	for (size_t i = 0; i < bytes.n; i++)
		bytes.at[i] = (char)(i * 7 / 5);
	assert_int_equal(write(fd, bytes.at, bytes.n), bytes.n);
	for (size_t i = 0; i < sizeof(length) / sizeof(length[0]); i++) {
		struct spooled part;

		assert_true(spooled_map(&part, fd, 4099, length[i]));
		assert_memory_equal(part.at, bytes.at + 4099, length[i]);
		spooled_free(&part);
		spooled_free(&part);
	}
	assert_false(spooled_map(&(struct spooled){ 0 }, fd, 1u << 18, 9));
	close(fd);
	spooled_move(&bytes);
	assert_non_null(bytes.map);
	assert_int_equal(bytes.at[5], 7);
	spooled_free(&bytes);
}
