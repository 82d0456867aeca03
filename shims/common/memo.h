/* SPDX-License-Identifier: MIT */
/*
 * memo.h - words that are kept by a key until somebody takes them: what a shim knows of an object
 * of the runtime's or the program's, which has no room for it.
 *
 * A table behind a lock, which who finds no word of any key of that hash does not take.  Several
 * words may have one key: the last one is found first.  All-zero is an empty one; memory is never
 * unmapped.  Any thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "shims/common/segment.h"

#define MEMO_BUCKETS 4096u

struct memo_word {
	uint64_t key, word;
	struct memo_word *next;
};

struct memo {
	_Atomic uint64_t n;
	_Atomic uint32_t lock;
	struct memo_word *bucket[MEMO_BUCKETS], *spare;
};

/* The word is not 0.  False: there is no memory. */
bool memo_put(struct memo *memo, uint64_t key, uint64_t word) CALL_HIDDEN;

/* A word of the key, which is kept no more, or is (`stays`); 0: there is none. */
uint64_t memo_search(struct memo *memo, uint64_t key, bool stays) CALL_HIDDEN;

/* Hot path: likewise, where there is mostly none of any key. */
static inline uint64_t memo_find(struct memo *memo, uint64_t key, bool stays)
{
	return __builtin_expect(atomic_load_explicit(&memo->n, memory_order_relaxed) == 0, 1)
		       ? 0
		       : memo_search(memo, key, stays);
}

static inline uint64_t memo_take(struct memo *memo, uint64_t key)
{
	return memo_find(memo, key, false);
}
