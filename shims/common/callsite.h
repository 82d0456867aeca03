/* SPDX-License-Identifier: MIT */
/*
 * callsite.h - where a wrapper is called from: the instance of the runtime that the call is meant
 * for (instance.h), and the site.
 *
 * A callsite is one place that calls a wrapper, with the code that it hands over: which instance
 * its calls belong to, and its site number.  It is found by return address and function in a table
 * that only grows; a look-up takes no lock.  When code is unloaded, its callsites are not found any
 * more, until the same code is loaded there again.
 *
 * A shim that wraps a runtime RT has a struct RT (a struct instance and pointers to the real
 * functions), a const struct callsite_runtime RT_runtime that says what the runtime is, and its
 * callsites, struct callsites RT_callsites.  list.h declares and fills them.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "preload/record.h"
#include "shims/common/instance.h"
#include "shims/common/list.h"
#include "shims/common/segment.h"

#define CALLSITE_MODULES 256u
#define CALLSITE_TABLE 8192u		    /* a power of two */
#define CALLSITE_GONE (UINTPTR_MAX / 2 + 1) /* in no address: the code there was unloaded */

struct callsite {
	_Atomic uintptr_t return_address; /* 0: the entry is free; set last.  | CALLSITE_GONE */
	uintptr_t function;
	struct instance *instance; /* the first member of the shim's struct */
	/* 0: pass the call on and record nothing.  Stored before the address, once; or, of the
	 * entry for those that find none, again and again, as one word: readers need no order */
	uint32_t site;
	uint32_t entry; /* the shim's: one place may call several wrappers, through a pointer */
};

/* Code whose calls go to an instance that only its own module can see. */
struct callsite_module {
	struct segment file;
	void *instance;
	uint32_t number; /* record_module()'s */
};

/* Of one runtime, and what was found out about its instances: callsite.c's own but `table`. */
struct callsites {
	struct callsite table[CALLSITE_TABLE];
	struct callsite overflow[INSTANCES + 1]; /* of each instance, for calls without an entry */
	_Atomic uint32_t n_instances;
	void *_Atomic global_instance; /* what every module's calls go to, if there is one */
	_Atomic bool off;	       /* all doors lead there, since nothing is recorded */
	_Atomic bool has_sites;	       /* a call was to be recorded */
	struct callsite_module modules[CALLSITE_MODULES];
	_Atomic uint32_t n_modules;
	_Atomic uint32_t table_lock;
	bool is_known; /* to callsite.c, for when code is unloaded: there is a `next` */
	struct callsites *_Atomic next;
	/* Has the recorder try what it takes (trial.h), before an instance's first call that is
	 * recorded, or the next one if that is too early (false); NULL: there is no trial. */
	bool (*_Atomic trial)(const void *instance);
	void *stand_in; /* the instance whose functions are stand-ins */
};

/* Finds or makes the entry of a call for that instance, which is looked for if it is NULL.  Never
 * NULL.  May take loader locks, the first time. */
struct callsite *callsite_slow(const struct callsite_runtime *runtime, void *instance,
			       void *return_address, void *function, uint32_t entry) CALL_HIDDEN;

/* The first instance that was found, for `at_hand`; NULL. */
void *callsite_first(const struct callsite_runtime *runtime) CALL_HIDDEN;

/*
 * Whether a call is the runtime's own, of its `code`: or seems to come from our wrapper, where the
 * runtime returns what such a call returns.  Our functions that call the program's code, which may
 * end with a call of the runtime, are CALLSITE_BODY.
 */
bool callsite_is_internal(const struct segment *code, uintptr_t return_address) CALL_HIDDEN;
#define CALLSITE_BODY __attribute__((noinline, section("callsite_body")))

/* Whether this thread is in dlclose(): destructors that run now are those of a library. */
bool callsite_closes(void) CALL_HIDDEN;

static inline uint64_t callsite_hash(uintptr_t return_address, uintptr_t function)
{
	return ((return_address ^ function << 7) * 0x9e3779b97f4a7c15u) >> 51;
}

/* Hot path: what callsite_find() finds without a call; else NULL. */
static inline struct callsite *callsite_at_hand(struct callsites *callsites, void *return_address,
						void *function, uint32_t entry)
{
	struct callsite *callsite =
		&callsites->table[callsite_hash((uintptr_t)return_address, (uintptr_t)function)];

	return __builtin_expect(
		       atomic_load_explicit(&callsite->return_address, memory_order_acquire) ==
				       (uintptr_t)return_address &&
			       callsite->function == (uintptr_t)function &&
			       callsite->entry == entry,
		       1)
		       ? callsite
		       : NULL;
}

/*
 * Hot path: where a call of the runtime comes from.  `callsites` are the runtime's, named by the
 * caller so that the table is at a constant address.
 */
static inline struct callsite *callsite_find(struct callsites *callsites,
					     const struct callsite_runtime *runtime,
					     void *return_address, void *function, uint32_t entry)
{
	struct callsite *callsite = callsite_at_hand(callsites, return_address, function, entry);

	return __builtin_expect(callsite != NULL, 1)
		       ? callsite
		       : callsite_slow(runtime, NULL, return_address, function, entry);
}

/* Hot path: in the wrapper of `name`: where it is called from, with the code that it hands over. */
#define CALLSITE(runtime, name, function)                                                          \
	CALLSITE_FROM(__builtin_return_address(0), runtime, name, function)
#define CALLSITE_AT_HAND(runtime, name, function)                                                  \
	callsite_at_hand(&runtime##_callsites, __builtin_return_address(0),                        \
			 (void *)(uintptr_t)(function), ENTRY_##name)
#define CALLSITE_FROM(from, runtime, name, function)                                               \
	callsite_find(&runtime##_callsites, &runtime##_runtime, from,                              \
		      (void *)(uintptr_t)(function), ENTRY_##name)

/* Hot path: the worker to record on, or NULL when this call is to be passed on as it is. */
static inline struct worker *callsite_worker(const struct callsite *callsite)
{
	return __builtin_expect(callsite->site != 0, 1) ? record_worker() : NULL;
}

/* Hot path: likewise, where only the program calls, and not the runtime itself. */
static inline struct worker *callsite_worker_inside(const struct callsite *callsite)
{
	return __builtin_expect(callsite->site != 0, 1) ? record_worker_inside() : NULL;
}
