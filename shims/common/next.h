/* SPDX-License-Identifier: MIT */
/* next.h - what stands behind a wrapper, of a library that has one instance. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include "shims/common/segment.h"

/*
 * The next symbol of that name, for a caller at `from`, whose library only its own module may see:
 * a plug-in's, say.  NULL if there is none.  Takes loader locks, and changes errno.
 */
void *next_for(const void *from, const char *symbol) CALL_HIDDEN;

/* Looks for the symbol and keeps it in the slot. */
typedef void *next_bind(void *_Atomic *slot, const char *symbol, const void *from);

/* Hot path: what the slot has, or `bind` finds. */
static inline void *next_at(void *_Atomic *slot, const char *symbol, const void *from,
			    next_bind *bind)
{
	void *found = atomic_load_explicit(slot, memory_order_acquire);

	return __builtin_expect(found != NULL, 1) ? found : bind(slot, symbol, from);
}
