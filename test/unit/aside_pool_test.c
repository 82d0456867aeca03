/* SPDX-License-Identifier: MIT */
/* aside_pool_test.c - memory of calls that longjmp() left is taken back, and no other. */
#include "test/lib/test.h"

#include "shims/common/aside_pool.c" /* NOLINT: its poison comes last */
#include "shims/common/pool.c"

#define DEEPEST 4096u

const char aside_returned[1]; /* stands for that in aside.c, which is not linked */

static struct pool pool = { .record_bytes = 96 };
static struct worker worker;

/* A call is made from there. */
static struct aside *call(struct aside_list *list, uintptr_t *stack)
{
	struct aside *aside = aside_open(&pool, list, &worker, NULL);

	assert_non_null(aside);
	atomic_fetch_add(&worker.head, 1);
	aside->stack = stack;
	stack[-1] = ASIDE_RETURN(aside);
	return aside;
}

static void forget(struct aside_list *list)
{
	for (struct aside_chunk *next, *chunk = list->chunks; chunk; chunk = next) {
		next = chunk->next;
		munmap(chunk, POOL_CHUNK_BYTES);
	}
}

/* Makes n calls that never come back, at depths of their own. */
static void lose(struct aside_list *list, uintptr_t *stack, uint32_t n)
{
	uint32_t random = 1;

	for (uint32_t i = 0; i < n; i++) {
		random = random * 1664525 + 1013904223;
		call(list, stack + 2 * (1 + (random >> 8) % (DEEPEST - 1)));
	}
}

/* What lies below their stacks stays as it was, but where a call is made again. */
TEST(test_left_by_longjmp)
{
	uintptr_t stack[2 * DEEPEST];
	struct aside_list list = { 0 };

	lose(&list, stack, 500000);
	assert_in_range(list.n_chunks, LOOK_FIRST, 2 * LOOK_FIRST);
	forget(&list);
}

/* Those that may return keep what is theirs, also where a fiber's stack lies above that of who
 * calls it; and those of other stacks do. */
TEST(test_in_one_another)
{
	static uintptr_t other[2 * DEEPEST];
	static struct aside *made[2][2 * DEEPEST];
	uintptr_t lost[2 * DEEPEST], stack[2 * DEEPEST];
	struct aside_list list = { 0 };

	for (uint32_t i = 2; i < 2 * DEEPEST; i += 2) {
		made[0][i] = call(&list, &stack[i]);
		made[1][i] = call(&list, &other[i]);
	}
	lose(&list, lost, 200000);
	for (uint32_t i = 2; i < 2 * DEEPEST; i += 2) {
		assert_ptr_equal(made[0][i]->stack, &stack[i]);
		assert_ptr_equal(made[1][i]->stack, &other[i]);
	}
	assert_in_range(list.n_chunks, LOOK_FIRST, 3 * LOOK_FIRST);
	forget(&list);
}
