/* SPDX-License-Identifier: MIT */
/* abt.c - what is to be known of an instance of Argobots. */
#include "shims/abt/abt.h"

static void abt_identify(void *instance, void *handle)
{
	((struct abt *)instance)->head.runtime = record_runtime("Argobots", ""); /* of no version */
}

_Atomic record_id abt_primary;
_Atomic bool abt_primary_inside;

bool abt_is_program(const struct abt *abt)
{
	int is_primary = 0;

	/* an error: there is no runtime yet, or this is no thread of it */
	if (!abt->ABT_self_is_primary || abt->ABT_self_is_primary(&is_primary) != 0)
		return true;
	return is_primary && !atomic_load(&abt_primary_inside);
}

void abt_count_workers(const struct abt *abt)
{
	static _Atomic int most;
	int n = 0;

	if (!abt->ABT_xstream_get_num || abt->ABT_xstream_get_num(&n) != 0 ||
	    n <= atomic_load_explicit(&most, memory_order_relaxed))
		return;
	atomic_store(&most, n);
	record_runtime_workers(abt->head.runtime, (uint32_t)n);
}

CALL_RUNTIME(abt, ABT_FUNCTIONS(CALL_DOOR), ABT_FUNCTIONS(CALL_NAME) ABT_ASKED(CALL_NAME),
	     .probe = "ABT_self_is_primary", /* what creates may be a tool's, before the library */
	     .library = "libabt.so.1", .identify = abt_identify, .at_hand = callsite_first,
	     .passes_own = true);
