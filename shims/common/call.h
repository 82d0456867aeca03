/* SPDX-License-Identifier: MIT */
/*
 * call.h - where a wrapper is called from: the copy of the runtime that the call is meant for, and
 * the site.
 *
 *	copy	one copy of the runtime in the process, with its real functions.  There may be
 *		several, of several versions, some of which only some modules can see.  Its library
 *		is never unloaded from then on
 *	call	one place that calls a wrapper, with the code that it hands over: which copy the
 *		call belongs to, and its site number.  Found by return address and function in a
 *		table that only grows; looking up takes no lock.  When code was unloaded, what came
 *		from it is not found any more, until the same is loaded there again
 *
 * A shim that wraps a runtime RT has a struct RT (a struct call_copy and pointers to the real
 * functions), a const struct call_runtime RT_runtime that says what the runtime is, and its calls,
 * struct calls RT_calls.  list.h declares and fills them.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "preload/record.h"
#include "shims/common/list.h"
#include "shims/common/segment.h"

#define CALL_COPIES 16u
#define CALL_MODULES 256u
#define CALL_TABLE 8192u		/* a power of two */
#define CALL_GONE (UINTPTR_MAX / 2 + 1) /* in no address: the code there was unloaded */

/* A shim's table of real functions begins with this; the pointers follow, in `names`' order. */
struct call_copy {
	uint32_t runtime;   /* record_runtime()'s number */
	bool foreign;	    /* another shim's, or a stranger's: pass its calls on, record nothing */
	bool other;	    /* the shim's: a copy that needs other treatment */
	_Atomic bool tried; /* call.c's: what recording it takes */
};

struct call {
	_Atomic uintptr_t return_address; /* 0: the entry is free; set last.  | CALL_GONE */
	uintptr_t function;
	void *copy; /* the shim's, a struct call_copy first */
	/* 0: pass the call on and record nothing.  Stored before the address, once; or, of the
	 * entry for those that find none, again and again, as one word: readers need no order */
	uint32_t site;
	uint32_t entry; /* the shim's: one place may call several wrappers, through a pointer */
};

struct call_runtime {
	const char *probe;   /* a function that every version has: tells copies apart */
	const char *library; /* opened for a caller that has none, by a weak reference, say */
	const char *const *names;
	uint32_t n_names;
	void *_Atomic *doors; /* of the first names (door.h); NULL: it has none */
	void *copies;	      /* CALL_COPIES of them */
	size_t copy_bytes;
	struct calls *calls;
	void (*identify)(void *copy,
			 void *handle); /* its functions are there: set `runtime` or `foreign` */
	/*
	 * The copy that runs what runs on this thread, for calls that come from the shim itself;
	 * NULL if there are no such calls.
	 */
	void *(*at_hand)(void);
	/* The site of a call, if it is more than its two addresses; else NULL. */
	uint32_t (*site)(void *copy, uintptr_t return_address, uintptr_t function);
	/* The copy, of a runtime that says itself which one calls; else NULL. */
	void *(*copy_of)(uintptr_t return_address);
	/* What was recorded is such that only the wrappers can end it: calls go there for good,
	 * once one was. */
	bool stays;
};

/* Code whose calls go to a copy that only its own module can see. */
struct call_module {
	struct segment file;
	void *copy;
	uint32_t number; /* record_module()'s */
};

/* The calls of one runtime, and what was found out about its copies: call.c's own but `table`. */
struct calls {
	struct call table[CALL_TABLE];
	struct call overflow[CALL_COPIES + 1]; /* of each copy, for calls that found no entry */
	_Atomic uint32_t n_copies;
	void *_Atomic global_copy; /* what every module's calls go to, if there is one */
	_Atomic bool off;	   /* all doors lead there, since nothing is recorded */
	_Atomic bool has_sites;	   /* a call was to be recorded */
	struct call_module modules[CALL_MODULES];
	_Atomic uint32_t n_modules;
	_Atomic uint32_t table_lock;
	bool is_known; /* to call.c, for when code is unloaded: there is a `next` */
	struct calls *_Atomic next;
	/* Has the recorder try what it takes (trial.h), before a copy's first call that is
	 * recorded, or the next one if that is too early (false); NULL: there is no trial. */
	bool (*_Atomic trial)(const void *copy);
	void *stand_in; /* the copy whose functions are stand-ins */
};

/* Finds or makes the entry.  Never NULL.  May take loader locks, the first time. */
struct call *call_slow(const struct call_runtime *runtime, void *return_address, void *function,
		       uint32_t entry) CALL_HIDDEN;
/* The same, of a call that is known to be for that copy; NULL: look for it. */
struct call *call_slow_in(const struct call_runtime *runtime, void *copy, void *return_address,
			  void *function, uint32_t entry) CALL_HIDDEN;

static inline uint64_t call_hash(uintptr_t return_address, uintptr_t function)
{
	return ((return_address ^ function << 7) * 0x9e3779b97f4a7c15u) >> 51;
}

/* Hot path: what call_find() finds without a call; else NULL. */
static inline struct call *call_at_hand(struct calls *calls, void *return_address, void *function,
					uint32_t entry)
{
	struct call *call =
		&calls->table[call_hash((uintptr_t)return_address, (uintptr_t)function)];

	return __builtin_expect(atomic_load_explicit(&call->return_address, memory_order_acquire) ==
						(uintptr_t)return_address &&
					call->function == (uintptr_t)function &&
					call->entry == entry,
				1)
		       ? call
		       : NULL;
}

/*
 * Hot path: where a call of the runtime comes from.  `calls` are the runtime's, named by the caller
 * so that the table is at a constant address.
 */
static inline struct call *call_find(struct calls *calls, const struct call_runtime *runtime,
				     void *return_address, void *function, uint32_t entry)
{
	struct call *call = call_at_hand(calls, return_address, function, entry);

	return __builtin_expect(call != NULL, 1)
		       ? call
		       : call_slow(runtime, return_address, function, entry);
}

/* Hot path: in the wrapper of `name`: where it is called from, with the code that is handed over.
 */
#define CALL(runtime, name, function)                                                              \
	CALL_FROM(__builtin_return_address(0), runtime, name, function)
#define CALL_AT_HAND(runtime, name, function)                                                      \
	call_at_hand(&runtime##_calls, __builtin_return_address(0), (void *)(uintptr_t)(function), \
		     ENTRY_##name)
#define CALL_FROM(from, runtime, name, function)                                                   \
	call_find(&runtime##_calls, &runtime##_runtime, from, (void *)(uintptr_t)(function),       \
		  ENTRY_##name)

/* Hot path: the worker to record on, or NULL when this call is to be passed on as it is. */
static inline struct worker *call_worker(const struct call *call)
{
	return __builtin_expect(call->site != 0, 1) ? record_worker() : NULL;
}

/* Hot path: likewise, where only the program calls, and not the runtime itself. */
static inline struct worker *call_worker_inside(const struct call *call)
{
	return __builtin_expect(call->site != 0, 1) ? record_worker_inside() : NULL;
}
