/* SPDX-License-Identifier: MIT */
/*
 * tbb_vtable.c - copies of tasks' vtables.
 *
 * They lie in one mapping, so that a copy is known by its address, and stay.  How long a vtable
 * is nobody knows: we copy more words than it has, as far as its segment goes.
 */
#include "shims/tbb.h"

#include <sys/mman.h>

#include "preload/libc.h"
#include "preload/poison.h"

#define VTABLES 16384u
#define BUCKETS 4096u

_Atomic(const struct vtable *) vtable_of_call[CALL_TABLE];

static struct vtable *copies; /* VTABLES of them, mapped; those not in use take no memory */
static uint32_t n_copies;
static uint32_t bucket[BUCKETS]; /* the newest copy's number + 1 */
static uint32_t older[VTABLES];	 /* the next of the bucket */
static _Atomic uint32_t lock;

bool vtable_is_copy(const uintptr_t *word)
{
	return copies && (uintptr_t)word - (uintptr_t)copies < VTABLES * sizeof(*copies);
}

static void copies_map(void)
{
	void *room = mmap(NULL, VTABLES * sizeof(*copies), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room != MAP_FAILED)
		copies = room;
}

/* The words that all vtables of tasks have. */
static bool is_common(int n)
{
	return n >= TBB_VTABLE_TYPE - 1 && n <= TBB_VTABLE_CANCEL;
}

static void vtable_copy(struct vtable *vtable, const uintptr_t *original)
{
	struct segment segment = segment_of((uintptr_t)original);

	vtable->original = original;
	for (int n = -TBB_WORDS_BEFORE; n < TBB_WORDS; n++) {
		uintptr_t *to = n < 0 ? &vtable->before[TBB_WORDS_BEFORE + n] : &vtable->word[n];
		uintptr_t from = (uintptr_t)(original + n);

		if (is_common(n) || (from >= segment.start && from + sizeof(*to) <= segment.end))
			*to = original[n];
	}
	vtable->execute = (tbb_task_fn)original[TBB_VTABLE_EXECUTE];
	vtable->cancel = (tbb_task_fn)original[TBB_VTABLE_CANCEL];
	vtable->word[TBB_VTABLE_EXECUTE] = (uintptr_t)tbb_execute;
	vtable->word[TBB_VTABLE_CANCEL] = (uintptr_t)tbb_cancel;
}

/* With the lock held. */
static struct vtable *vtable_get(const uintptr_t *original)
{
	uint32_t hash = (uint32_t)((uintptr_t)original * 0x9e3779b97f4a7c15u >> 52);
	struct vtable *vtable;

	for (uint32_t i = bucket[hash % BUCKETS]; i; i = older[i - 1])
		if (vtable_is_of(&copies[i - 1], original))
			return &copies[i - 1];
	if (!copies)
		copies_map();
	if (!copies || n_copies == VTABLES)
		return NULL;
	vtable = &copies[n_copies];
	vtable_copy(vtable, original);
	older[n_copies] = bucket[hash % BUCKETS];
	bucket[hash % BUCKETS] = ++n_copies;
	return vtable;
}

void vtable_forget(void)
{
	for (uint32_t i = 0; i < n_copies; i++) {
		copies[i].word[TBB_VTABLE_EXECUTE] = (uintptr_t)tbb_execute_only;
		copies[i].word[TBB_VTABLE_CANCEL] = (uintptr_t)tbb_cancel_only;
	}
	for (uint32_t i = 0; i < BUCKETS; i++)
		bucket[i] = 0;
	for (uint32_t i = 0; i < CALL_TABLE; i++)
		atomic_store_explicit(&vtable_of_call[i], NULL, memory_order_relaxed);
	atomic_store(&lock, 0);
}

const struct vtable *vtable_slow(struct call *call, const uintptr_t *original)
{
	size_t n = (size_t)(call - call_calls.table);
	struct vtable *vtable;

	if (vtable_is_copy(original))
		return NULL;
	libc_lock(&lock);
	vtable = vtable_get(original);
	if (vtable && !vtable->tbb) {
		vtable->tbb = tbb_of(call);
		vtable->site = call->site;
	}
	if (vtable && n < CALL_TABLE) {
		if (atomic_load(&vtable_of_call[n])) /* another one was there */
			call->site = tbb_site(call->copy, call->return_address, call->function);
		atomic_store_explicit(&vtable_of_call[n], vtable, memory_order_release);
	}
	libc_unlock(&lock);
	return vtable;
}
