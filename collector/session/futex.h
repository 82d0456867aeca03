/* SPDX-License-Identifier: MIT */
/* futex.h - futex(2) on words that processes share: any thread; both calls keep errno. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* Until it is woken, or after so long, or at once if the word is another one; or for no reason. */
void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);
void futex_wake(_Atomic uint32_t *word); /* all who wait */

/* A lock on such a word, which is 0 while it is free.  For threads that do not die holding it. */
void futex_lock(_Atomic uint32_t *word);
void futex_unlock(_Atomic uint32_t *word);
