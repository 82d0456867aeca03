/* SPDX-License-Identifier: MIT */
/* memo.c - lists by the key's hash. */
#include "shims/common/memo.h"

#include "preload/budget.h"
#include "preload/libc.h"
#include "preload/poison.h"

#define ROOM 4096u /* words, mapped at once */

static struct memo_word **bucket_of(struct memo *memo, uint64_t key)
{
	return &memo->bucket[key * 0x9e3779b97f4a7c15u >> 52];
}
_Static_assert(MEMO_BUCKETS == 1u << (64 - 52), "a hash's highest bits");

static void memo_grow(struct memo *memo)
{
	struct memo_word *word = map_zeroed(ROOM * sizeof(*word));

	for (uint32_t i = 0; word && i < ROOM; i++) {
		word[i].next = memo->spare;
		memo->spare = &word[i];
	}
}

bool memo_put(struct memo *memo, uint64_t key, uint64_t word)
{
	struct memo_word **at = bucket_of(memo, key), *one;

	libc_take(&memo->lock);
	if (!memo->spare)
		memo_grow(memo);
	one = memo->spare;
	if (one) {
		memo->spare = one->next;
		*one = (struct memo_word){ key, word, *at };
		__atomic_store_n(at, one, __ATOMIC_RELEASE);
		atomic_fetch_add_explicit(&memo->n, 1, memory_order_relaxed);
	}
	libc_give(&memo->lock);
	return one != NULL;
}

uint64_t memo_search(struct memo *memo, uint64_t key, bool stays)
{
	struct memo_word **at = bucket_of(memo, key), *one;
	uint64_t word;

	if (!__atomic_load_n(at, __ATOMIC_ACQUIRE))
		return 0; /* mostly, where few have any word: no lock then */
	libc_take(&memo->lock);
	while (*at && (*at)->key != key)
		at = &(*at)->next;
	one = *at;
	word = one ? one->word : 0;
	if (one && !stays) {
		__atomic_store_n(at, one->next, __ATOMIC_RELEASE);
		one->next = memo->spare;
		memo->spare = one;
		atomic_fetch_sub_explicit(&memo->n, 1, memory_order_relaxed);
	}
	libc_give(&memo->lock);
	return word;
}
