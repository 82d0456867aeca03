/* SPDX-License-Identifier: MIT */
/*
 * tbb_classic.c - tells that a program uses classic TBB (libtbb.so.2, 2020 and older), which is not
 * traced.
 *
 * Its tasks are objects of another kind, made and spawned by other functions.  All algorithms, task
 * groups and flow graphs begin with a root task, which one of these two allocates; they pass it on.
 */
#include "shims/tbb/tbb.h"

#include "preload/poison.h"

#define CLASSIC_ROOT "_ZN3tbb8internal19allocate_root_proxy8allocateEm"
#define CLASSIC_ROOT_OF_GROUP "_ZNK3tbb8internal32allocate_root_with_context_proxy8allocateEm"

#define CLASSIC_FUNCTIONS(F)                                                                       \
	F(void *, allocate_root, CLASSIC_ROOT, (size_t bytes))                                     \
	F(void *, allocate_root_of_group, CLASSIC_ROOT_OF_GROUP, (const void *proxy, size_t bytes))

struct classic {
	struct instance head;
	CLASSIC_FUNCTIONS(TBB_POINTER)
};
CLASSIC_FUNCTIONS(TBB_WRAPPER)
enum classic_entry { CLASSIC_FUNCTIONS(TBB_ENTRY) };
CALL_DECLARE(classic)

/* A thread that is in no task gets one, or there would be no trace to tell it. */
static void classic_identify(void *instance, void *handle)
{
	struct classic *classic = instance;
	struct worker *worker;

	classic->head.foreign = true;
	if (!record_on())
		return;
	classic->head.runtime = record_runtime("classic TBB", "");
	record_runtime_note(classic->head.runtime,
			    "its tasks are not recorded; those of oneTBB are");
	worker = record_worker();
	if (worker && !worker->task)
		record_root(worker);
}

struct callsites classic_callsites;

const struct callsite_runtime classic_runtime = {
	.probe = CLASSIC_ROOT,
	.library = "libtbb.so.2",
	CALL_RUNTIME(classic, CLASSIC_FUNCTIONS(TBB_SYMBOL)),
	.identify = classic_identify,
};

void *tbb_allocate_root(size_t bytes)
{
	return classic_of(CALLSITE(classic, allocate_root, NULL))->allocate_root(bytes);
}

void *tbb_allocate_root_of_group(const void *proxy, size_t bytes)
{
	struct callsite *callsite = CALLSITE(classic, allocate_root_of_group, NULL);

	return classic_of(callsite)->allocate_root_of_group(proxy, bytes);
}

DOOR_TABLE(classic, CLASSIC_FUNCTIONS(TBB_DOOR));
