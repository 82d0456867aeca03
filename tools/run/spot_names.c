/* SPDX-License-Identifier: MIT */
/* spot_names.c - knows the functions of libc that take locks, and those that wait for them. */
#include "tools/run/spot_names.h"

#include <string.h>

enum role { ROLE_OTHER, ROLE_AWAITS, ROLE_LOCKS, ROLE_RAND, ROLE_ALLOCATES };

/* Names as glibc has them, without the underscores in front. */
static const struct {
	const char *name;
	enum role role;
} known[] = {
	{ "lll_lock_wait", ROLE_AWAITS },
	{ "lll_lock_wait_private", ROLE_AWAITS },
	{ "lll_lock_wake", ROLE_AWAITS },
	{ "lll_lock_wake_private", ROLE_AWAITS },
	{ "pthread_mutex_lock", ROLE_LOCKS },
	{ "pthread_mutex_unlock", ROLE_LOCKS },
	{ "pthread_mutex_unlock_usercnt", ROLE_LOCKS },
	{ "pthread_mutex_trylock", ROLE_LOCKS },
	{ "pthread_spin_lock", ROLE_LOCKS },
	{ "pthread_rwlock_rdlock", ROLE_LOCKS },
	{ "pthread_rwlock_wrlock", ROLE_LOCKS },
	{ "pthread_rwlock_unlock", ROLE_LOCKS },
	{ "rand", ROLE_RAND },
	{ "random", ROLE_RAND },
	{ "malloc", ROLE_ALLOCATES },
	{ "libc_malloc", ROLE_ALLOCATES },
	{ "int_malloc", ROLE_ALLOCATES },
	{ "malloc_consolidate", ROLE_ALLOCATES },
	{ "libc_calloc", ROLE_ALLOCATES },
	{ "calloc", ROLE_ALLOCATES },
	{ "libc_realloc", ROLE_ALLOCATES },
	{ "realloc", ROLE_ALLOCATES },
	{ "free", ROLE_ALLOCATES },
	{ "libc_free", ROLE_ALLOCATES },
	{ "cfree", ROLE_ALLOCATES },
	{ "int_free", ROLE_ALLOCATES },
};

static enum role role_of(const char *function)
{
	const char *name = function + strspn(function, "_");
	size_t n = strcspn(name, "@("); /* versions, and what demanglers add */

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(known[i].name, name, n) == 0 && !known[i].name[n])
			return known[i].role;
	return ROLE_OTHER;
}

enum code_spot spot_of(const struct sampled *sampled, uint32_t stack)
{
	const struct defs *defs = sampled->defs;
	const struct stack_frame *frame = sampled_inner(sampled, stack);
	bool awaits = frame && role_of(frame->name.function) == ROLE_AWAITS;
	enum code_spot spot = awaits ? SPOT_LOCK : SPOT_NONE;

	for (; (frame = sampled_inner(sampled, stack)) && !frame->is_user;
	     stack = defs->stack[stack].parent)
		switch (role_of(frame->name.function)) {
		case ROLE_RAND:
			return SPOT_RAND;
		case ROLE_ALLOCATES: /* most of its time is no lock's */
			return awaits ? SPOT_ALLOCATOR : spot;
		case ROLE_LOCKS:
			spot = SPOT_LOCK;
			break;
		default:
			break;
		}
	return spot;
}
