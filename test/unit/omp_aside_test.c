/* SPDX-License-Identifier: MIT */
/* omp_aside_test.c - memory of calls that longjmp() left is taken back, and no other. */
#include "test/lib/test.h"

#include "shims/ompt/omp_aside.c" /* NOLINT: its poison comes last */

#define DEEPEST 4096u

/* As omp_aside_open(). */
static struct omp_aside *aside_open(struct omp_asides *asides, const uintptr_t *stack)
{
	struct omp_aside *aside;

	if (!asides->spare)
		assert_true(omp_aside_more(asides, stack));
	aside = asides->spare;
	asides->spare = aside->next;
	aside->stack = stack;
	return aside;
}

static void forget(struct omp_asides *asides)
{
	for (struct omp_chunk *next, *chunk = asides->chunks; chunk; chunk = next) {
		next = chunk->next;
		munmap(chunk, CHUNK_BYTES);
	}
}

/* Opens n calls that never come back, at depths of their own. */
static void lose(struct omp_asides *asides, const uintptr_t *stack, uint32_t n)
{
	uint32_t random = 1;

	for (uint32_t i = 0; i < n; i++) {
		random = random * 1664525 + 1013904223;
		aside_open(asides, stack + 2 * (random >> 8) % DEEPEST);
	}
}

TEST(test_left_by_longjmp)
{
	uintptr_t stack[DEEPEST];
	struct omp_asides asides = { 0 };

	lose(&asides, stack, 500000);
	assert_in_range(asides.n, LOOK_FIRST, 3 * LOOK_FIRST);
	forget(&asides);
}

/* Those below which a call is made, and those of other stacks, may come back. */
TEST(test_in_one_another)
{
	static uintptr_t other[2 * DEEPEST];
	uintptr_t stack[2 * DEEPEST];
	struct omp_asides asides = { 0 };

	for (uint32_t i = 2 * DEEPEST; i-- > 0;) {
		aside_open(&asides, &stack[i]);
		aside_open(&asides, &other[i]);
	}
	assert_int_equal(asides.n, 4 * DEEPEST);
	lose(&asides, other, 5000);
	assert_int_equal(asides.n, 4 * DEEPEST + 5000);
	forget(&asides);
}
