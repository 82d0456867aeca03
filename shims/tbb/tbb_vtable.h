/* SPDX-License-Identifier: MIT */
/*
 * tbb_vtable.h - copies of tasks' vtables.
 *
 * A copy is found by the callsite that hands the task over, is never freed, and leads to the
 * functions that tbb_task.c gives.  From any thread.
 */
#pragma once

#include "shims/tbb/nodes/tbb_body.h"
#include "shims/tbb/tbb.h"

#define TBB_WORDS_BEFORE 16 /* of a vtable: offsets of virtual bases, and what is in all */
#define TBB_WORDS 64

/* Our copy of a vtable. */
struct vtable {
	const uintptr_t *original;
	tbb_task_fn execute, cancel;
	struct tbb *tbb;
	uint32_t site;		/* of the task that it was first seen with */
	_Atomic body_path body; /* of all tasks with it; its calls see what theirs found */
	uintptr_t before[TBB_WORDS_BEFORE];
	uintptr_t word[TBB_WORDS];
};

/* Our functions in a copied vtable: one pair at first, one in a forked child. */
struct vtable_ours {
	tbb_task_fn execute, cancel;
	tbb_task_fn execute_only, cancel_only;
};

/*
 * The copy for tasks that this callsite (the n-th of the table) hands over, `task` being the first,
 * with this vtable; NULL if it is a copy itself or there is no room for more.  May take a lock, the
 * first time.
 */
const struct vtable *vtable_slow(struct callsite *callsite, size_t n, const struct tbb_task *task,
				 const uintptr_t *original,
				 const struct vtable_ours *ours) CALL_HIDDEN;

/* In a forked child: tasks that were created before are run unrecorded. */
void vtable_forget(void) CALL_HIDDEN;

bool vtable_is_copy(const uintptr_t *word) CALL_HIDDEN;

/* The site of a call that hands over a task with this vtable, or body; 0: no body that is known. */
uint32_t vtable_site(void *instance, uintptr_t return_address, uintptr_t vtable) CALL_HIDDEN;

/* VTABLES of them, mapped; those not in use take no memory.  Set once, with the lock. */
#define VTABLES 16384u
extern struct vtable *_Atomic vtable_copies CALL_HIDDEN;

/* Hot path: of a copy's words, the copy. */
static inline const struct vtable *vtable_of(const uintptr_t *word)
{
	return (const struct vtable *)((const char *)word - offsetof(struct vtable, word));
}

/* The type as typeid().name() gives it; NULL if there is none. */
const char *vtable_type_name(const uintptr_t *original) CALL_HIDDEN;

extern _Atomic(const struct vtable *) vtable_of_callsite[CALLSITE_TABLE] CALL_HIDDEN;

/*
 * Hot path: whether this is a copy of what is there now.  Another vtable may have come to that
 * address: that of a plugin, loaded where another one was.
 */
static inline bool vtable_is_of(const struct vtable *vtable, const uintptr_t *original)
{
	return vtable->original == original &&
	       (uintptr_t)vtable->execute == original[TBB_VTABLE_EXECUTE] &&
	       (uintptr_t)vtable->cancel == original[TBB_VTABLE_CANCEL] &&
	       vtable->word[TBB_VTABLE_DESTROY] == original[TBB_VTABLE_DESTROY] &&
	       vtable->before[TBB_WORDS_BEFORE - 1] == original[TBB_VTABLE_TYPE];
}

/* Hot path: whether a task's class tells its site. */
static inline bool vtable_says_all(const struct vtable *vtable)
{
	return !atomic_load_explicit(&vtable->body, memory_order_relaxed);
}

/* Hot path: what vtable_find() finds without a call; else NULL. */
static inline const struct vtable *vtable_at_hand(size_t n, const uintptr_t *original)
{
	const struct vtable *vtable = NULL;

	if (__builtin_expect(n < CALLSITE_TABLE, 1))
		vtable = atomic_load_explicit(&vtable_of_callsite[n], memory_order_acquire);
	return __builtin_expect(vtable && vtable_is_of(vtable, original), 1) ? vtable : NULL;
}

/* As vtable_slow(). */
static inline const struct vtable *vtable_find(struct callsite *callsite,
					       const struct tbb_task *task,
					       const uintptr_t *original,
					       const struct vtable_ours *ours)
{
	size_t n = (size_t)(callsite - tbb_callsites.table);
	const struct vtable *vtable = vtable_at_hand(n, original);

	return vtable ? vtable : vtable_slow(callsite, n, task, original, ours);
}
