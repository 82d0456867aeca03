/* SPDX-License-Identifier: MIT */
/* pages_test.c - held entries keep what is in them, and pages that nobody holds are used again. */
#include "tools/base/pages.h"

#include "test/lib/test.h"
#include "test/unit/random.h"

#define PAGE (1u << PAGES_BITS)
#define ENTRIES (9 * PAGE + 5)

static uint32_t n_pages(const struct pages *pages)
{
	uint32_t n = 0;

	for (uint64_t i = 0; i < pages->n; i++)
		n += pages->page[i] != NULL;
	for (void *spare = pages->spare; spare; spare = *(void **)spare)
		n++;
	return n;
}

/* Entries are held and dropped at random; each that is held has its own number in it. */
TEST(test_against_counts)
{
	struct random random = { 7 };
	struct pages pages;
	uint32_t *n_held = calloc(ENTRIES, sizeof(*n_held));

	pages_open(&pages, ENTRIES, sizeof(uint64_t));
	for (uint32_t turn = 0; turn < 40 * ENTRIES; turn++) {
		uint32_t i = (uint32_t)random_below(&random, ENTRIES);

		if (n_held[i]) {
			assert_int_equal(*(uint64_t *)pages_at(&pages, i), i + 1ull);
			pages_drop(&pages, i);
			n_held[i]--;
		} else if (random_one_in(&random, 3)) {
			n_held[i] = 1 + (uint32_t)random_below(&random, 3);
			*(uint64_t *)pages_hold(&pages, i, n_held[i]) = i + 1ull;
		}
	}
	for (uint32_t i = 0; i < ENTRIES; i++)
		for (; n_held[i]; n_held[i]--) {
			assert_int_equal(*(uint64_t *)pages_at(&pages, i), i + 1ull);
			pages_drop(&pages, i);
		}
	for (uint64_t p = 0; p < pages.n; p++)
		assert_null(pages.page[p]);
	pages_close(&pages);
	free(n_held);
}

/* A walk that holds the entry at hand and the one before needs two pages. */
TEST(test_walk)
{
	struct pages pages;

	pages_open(&pages, ENTRIES, sizeof(uint64_t));
	for (uint32_t i = 0; i < ENTRIES; i++) {
		*(uint64_t *)pages_hold(&pages, i, 1) = i;
		if (i == 0)
			continue;
		assert_int_equal(*(uint64_t *)pages_at(&pages, i - 1), i - 1);
		pages_drop(&pages, i - 1);
	}
	assert_int_equal(n_pages(&pages), 2);
	pages_close(&pages);
}
