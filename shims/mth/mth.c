/* SPDX-License-Identifier: MIT */
/* mth.c - what is to be known of an instance of MassiveThreads. */
#include "shims/mth/mth.h"

#include <stdlib.h>
#include <string.h>

#ifdef MTH_DL
#define PROBE "pthread_create"
#define LIBRARY "libmyth-dl.so.0"

/* Whether the functions found are libmyth-dl's, and it was not told to leave them to libc. */
static bool is_foreign(const struct mth *mth)
{
	const char *wrap = getenv("MYTH_WRAP_PTHREAD");

	return !segment_has(&mth->head.code, (uintptr_t)mth->myth_get_num_workers) ||
	       (wrap && atoi(wrap) == 0);
}
#else
#define PROBE "myth_create_ex"
#define LIBRARY "libmyth.so.0"

static bool is_foreign(const struct mth *mth)
{
	return false;
}
#endif

static void mth_identify(void *instance, void *handle)
{
	struct mth *mth = instance;

	mth->head.foreign = is_foreign(mth);
	if (!mth->head.foreign) /* it has no other version than its file's name */
		mth->head.runtime = record_runtime("MassiveThreads", basename(mth->head.code.path));
}

void mth_count_workers(struct mth *mth)
{
	int n = mth->myth_get_num_workers ? mth->myth_get_num_workers() : 0;

	if (n > 0)
		record_runtime_workers(mth->head.runtime, (uint32_t)n);
	atomic_store_explicit(&mth->is_counted, true, memory_order_relaxed);
}

CALL_RUNTIME(mth, MTH_FUNCTIONS(CALL_DOOR), MTH_FUNCTIONS(CALL_NAME) MTH_ASKED(CALL_NAME),
	     .probe = PROBE, .library = LIBRARY, .identify = mth_identify,
	     .at_hand = callsite_first, .passes_own = true);
