/* SPDX-License-Identifier: MIT */
/*
 * next.h - of a library that has one instance: what stands behind a wrapper, and the sites of its
 * calls.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include "shims/common/callsite.h"

/* ---- the real functions ---- */

/*
 * The next symbol of that name, for a caller at `from`, whose library only its own module may see:
 * a plug-in's, say.  NULL if there is none.  Takes loader locks, and changes errno.
 */
void *next_for(const void *from, const char *symbol) CALL_HIDDEN;

/*
 * The next symbol of that name.  Of libc's, that version, if it is not NULL: dlsym() gives the
 * oldest before glibc 2.36.  Others who stand before libc (sanitizers) have no versions.  As above.
 */
void *next_versioned(const char *symbol, const char *version) CALL_HIDDEN;

/* Looks for the symbol as next_for(), and keeps it in the slot, if there is one.  Keeps errno. */
void *next_bind(void *_Atomic *slot, const char *symbol, const void *from) CALL_HIDDEN;

/* Hot path: what the slot has, or bind(), as next_bind(), finds. */
static inline void *next_at(void *_Atomic *slot, const char *symbol, const void *from,
			    __typeof__(next_bind) *bind)
{
	void *found = atomic_load_explicit(slot, memory_order_acquire);

	return __builtin_expect(found != NULL, 1) ? found : bind(slot, symbol, from);
}

/* pthread_create() of the shim that records threads, called from there: for shims before it. */
int pthread_create_from(const void *from, pthread_t *thread, const pthread_attr_t *attributes,
			void *(*run)(void *), void *arg) EXPORT_AS(pthread_create_from);

/* ---- the sites ---- */

/* A runtime to the recorder, which becomes known with its first site. */
struct next_library {
	struct instance head;
	const char *name, *version; /* NULL: it has none */
	bool by_program;	    /* what task runtimes' libraries call is passed on */
	_Atomic bool is_known;	    /* next.c's */
};

/* The site of a call from there of the function of that name, or of any one (NULL); 0: nothing is
 * recorded.  It may take loader locks, the first time. */
uint32_t next_site(struct next_library *library, const void *from,
		   const char *function) CALL_HIDDEN;
