/* SPDX-License-Identifier: MIT */
/*
 * tbb_vtable.c - copies of tasks' vtables.
 *
 * They lie in one mapping, so that a copy is known by its address, and stay.  How long a vtable
 * is nobody knows: we copy more words than it has, as far as its segment goes.
 */
#include "shims/tbb/tbb_vtable.h"

#include "preload/budget.h"
#include "preload/libc.h"
#include "preload/poison.h"

#define BUCKETS 4096u

_Atomic(const struct vtable *) vtable_of_callsite[CALLSITE_TABLE];

struct vtable *_Atomic vtable_copies;
static uint32_t n_copies;
static uint32_t bucket[BUCKETS]; /* the newest copy's number + 1 */
static uint32_t older[VTABLES];	 /* the next of the bucket */
static _Atomic uint32_t lock;
static const struct vtable_ours
	*_Atomic ours; /* the same for all; from the first vtable_slow() on */

bool vtable_is_copy(const uintptr_t *word)
{
	const struct vtable *first = atomic_load_explicit(&vtable_copies, memory_order_relaxed);

	return first && (uintptr_t)word - (uintptr_t)first < VTABLES * sizeof(*first);
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
	vtable->word[TBB_VTABLE_EXECUTE] = (uintptr_t)ours->execute;
	vtable->word[TBB_VTABLE_CANCEL] = (uintptr_t)ours->cancel;
}

/* Follows the type's own vtable pointer. */
const char *vtable_type_name(const uintptr_t *original)
{
	uintptr_t type = original[TBB_VTABLE_TYPE];
	const char *name = type ? ((const char *const *)type)[1] : NULL; /* NOLINT: an address */

	return body_name_plain(name);
}

uint32_t vtable_site(void *instance, uintptr_t return_address, uintptr_t vtable)
{
	const struct tbb *tbb = instance;
	const uintptr_t *word = (const uintptr_t *)vtable; /* NOLINT: an address */

	if (vtable & BODY_MARK) {
		const char *name = body_type_name(vtable);

		word = (const uintptr_t *)(vtable & ~(uintptr_t)BODY_BITS); /* NOLINT: an address */
		return name ? record_site_named(tbb->head.runtime, return_address,
						word[BODY_CALL(vtable)], name)
			    : 0;
	}
	if (!word)
		return record_site(tbb->head.runtime, return_address, 0);
	if (vtable_is_copy(word)) { /* it was created before; libtbb itself may hand it on */
		if (segment_has(&tbb->text, return_address))
			return 0;
		word = vtable_of(word)->original;
	}
	return record_site_named(tbb->head.runtime, return_address, word[TBB_VTABLE_EXECUTE],
				 vtable_type_name(word));
}

/* With the lock held. */
static struct vtable *vtable_get(const uintptr_t *original)
{
	uint32_t hash = (uint32_t)((uintptr_t)original * 0x9e3779b97f4a7c15u >> 52);
	struct vtable *vtable;

	for (uint32_t i = bucket[hash % BUCKETS]; i; i = older[i - 1])
		if (vtable_is_of(&vtable_copies[i - 1], original))
			return &vtable_copies[i - 1];
	if (!vtable_copies)
		vtable_copies = map_zeroed(VTABLES * sizeof(*vtable_copies));
	if (!vtable_copies || n_copies == VTABLES)
		return NULL;
	vtable = &vtable_copies[n_copies];
	vtable_copy(vtable, original);
	older[n_copies] = bucket[hash % BUCKETS];
	bucket[hash % BUCKETS] = ++n_copies;
	return vtable;
}

void vtable_forget(void)
{
	for (uint32_t i = 0; i < n_copies; i++) {
		vtable_copies[i].word[TBB_VTABLE_EXECUTE] = (uintptr_t)ours->execute_only;
		vtable_copies[i].word[TBB_VTABLE_CANCEL] = (uintptr_t)ours->cancel_only;
	}
	for (uint32_t i = 0; i < BUCKETS; i++)
		bucket[i] = 0;
	for (uint32_t i = 0; i < CALLSITE_TABLE; i++)
		atomic_store_explicit(&vtable_of_callsite[i], NULL, memory_order_relaxed);
	atomic_store(&lock, 0);
}

const struct vtable *vtable_slow(struct callsite *callsite, size_t n, const struct tbb_task *task,
				 const uintptr_t *original, const struct vtable_ours *functions)
{
	struct vtable *vtable;

	if (vtable_is_copy(original))
		return NULL;
	libc_lock(&lock);
	ours = functions;
	vtable = vtable_get(original);
	if (vtable && !vtable->tbb) {
		vtable->tbb = tbb_of(callsite);
		vtable->site = callsite->site;
	}
	if (vtable && n < CALLSITE_TABLE) {
		if (!atomic_load(&vtable->body)) /* a filter's class may be our copy by now */
			atomic_store(&vtable->body, body_find(task, original));
		if (atomic_load(&vtable_of_callsite[n])) /* another one was there */
			callsite->site = vtable_site(callsite->instance, callsite->return_address,
						     callsite->function);
		atomic_store_explicit(&vtable_of_callsite[n], vtable, memory_order_release);
	}
	libc_unlock(&lock);
	return vtable;
}
