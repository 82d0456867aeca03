/* SPDX-License-Identifier: MIT */
/*
 * gomp.h - what the wrappers of libgomp's entry points share: the real functions, and sites.
 *
 *	gomp	one copy of libgomp in the process, with its functions.  There may be several
 *	call	one place that calls a wrapper, with the code that it hands over: which copy the
 *		call belongs to, and its site number.  Found by return address and function in a
 *		table that only grows; looking up takes no lock
 *
 * ABI facts: libgomp's entry points are never called by libgomp itself, so that what a wrapper
 * sees is what the compiled program asked for.  No task or call ever changes thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "preload/record.h"

#define GOMP_EXPORT __attribute__((visibility("default")))

typedef void (*gomp_fn)(void *);
typedef void (*gomp_cpyfn)(void *, void *);

/* The real functions: GOMP_FUNCTION(result, name, parameters). */
#include "shims/gomp_functions.h"

struct gomp {
	uint32_t runtime; /* record_runtime()'s number */
	bool foreign;	  /* not libgomp's own (libomp has them too): stand aside */
#define GOMP_FUNCTION(result, name, parameters) result(*name) parameters;
	GOMP_FUNCTIONS
#undef GOMP_FUNCTION
};

struct gomp_call {
	_Atomic uintptr_t return_address; /* 0 while the entry is free; set last */
	uintptr_t function;
	struct gomp *gomp;
	uint32_t site;	/* 0: pass the call on and record nothing */
	uint32_t entry; /* enum gomp_entry: one place may call several, through a pointer */
};

/* The wrappers themselves. */
#define GOMP_FUNCTION(result, name, parameters) GOMP_EXPORT result name parameters;
GOMP_FUNCTIONS
#undef GOMP_FUNCTION

enum gomp_entry {
#define GOMP_FUNCTION(result, name, parameters) ENTRY_##name,
	GOMP_FUNCTIONS
#undef GOMP_FUNCTION
		GOMP_ENTRIES
};

#define GOMP_CALLS 8192u /* a power of two */
extern struct gomp_call gomp_calls[GOMP_CALLS] __attribute__((visibility("hidden")));

/* The region or task that this thread runs: whose calls are made from where nobody can tell. */
struct gomp_frame {
	struct gomp *gomp;
	record_id group; /* the team */
};
extern __thread struct gomp_frame gomp_frame
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Finds or makes the entry.  Never NULL.  May take loader locks, the first time. */
struct gomp_call *gomp_call_slow(void *return_address, void *function, uint32_t entry)
	__attribute__((visibility("hidden")));

/* Hot path: where this call comes from. */
static inline struct gomp_call *gomp_call(void *return_address, void *function, uint32_t entry)
{
	uintptr_t key = (uintptr_t)return_address ^ (uintptr_t)function << 7;
	struct gomp_call *call = &gomp_calls[(key * 0x9e3779b97f4a7c15u) >> 51];

	if (__builtin_expect(atomic_load_explicit(&call->return_address, memory_order_acquire) ==
					     (uintptr_t)return_address &&
				     call->function == (uintptr_t)function && call->entry == entry,
			     1))
		return call;
	return gomp_call_slow(return_address, function, entry);
}

#define GOMP_CALL(name, function)                                                                  \
	gomp_call(__builtin_return_address(0), (void *)(function), ENTRY_##name)

/* Hot path: the worker to record on, or NULL when this call is to be passed on as it is. */
static inline struct worker *gomp_worker(const struct gomp_call *call)
{
	return __builtin_expect(call->site != 0, 1) ? record_worker() : NULL;
}

/* gomp_wait.c: writes the WIRE_DEPEND events of a depend array, in either layout. */
void gomp_depends(struct worker *worker, void **depend) __attribute__((visibility("hidden")));
