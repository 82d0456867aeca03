/* SPDX-License-Identifier: MIT */
/* prefault_test.c - what is filled next has memory; what lies behind that has none, nor what is not
 * the array's. */
#include "tools/dag/prefault.h"

#include <sys/mman.h>

#include "test/unit/check.h"

#define PAGE 4096u
#define PAGES 2048u

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* How many of these pages have memory. */
static uint32_t n_resident(char *from, uint32_t n)
{
	unsigned char in[PAGES];
	uint32_t n_in = 0;

	assert_int_equal(mincore(from, (size_t)n * PAGE, in), 0);
	for (uint32_t i = 0; i < n; i++)
		n_in += in[i] & 1;
	return n_in;
}

TEST(test_ahead)
{
	char *map = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	const uint32_t half = PAGES / 2;
	struct prefault prefault;
	uint32_t n_used = 0;

	assert_ptr_not_equal(map, MAP_FAILED);
	if (madvise(map, PAGE, MADV_POPULATE_WRITE) < 0 && errno == EINVAL)
		skip(); /* an old kernel */
	prefault_open(&prefault);
	prefault_more(&prefault); /* of nothing */
	prefault_pause(&prefault);
	prefault_resume(&prefault, map + 16, half, PAGE, &n_used); /* not at a page, as malloc's */
	prefault_more(&prefault);
	assert_in_range(n_resident(map, PAGES), 16, half - 1);
	assert_int_equal(map[PAGE], 0);
	for (; n_used < half; n_used++)
		prefault_more(&prefault);
	assert_in_range(n_resident(map, half), half - 33, half);
	assert_int_equal(n_resident(map + (size_t)half * PAGE, half), 0);
	prefault_close(&prefault);
	munmap(map, PAGES * PAGE);
}
