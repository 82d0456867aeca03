/* SPDX-License-Identifier: MIT */
/*
 * instance.h - one loaded instance of a runtime, with its real functions, and what a shim says of
 * the runtime so that callsite.c finds its instances.
 *
 * A process may have several instances, of several versions, some of which only some modules can
 * see.  The library of an instance is never unloaded once it was found.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "shims/common/segment.h"

#define INSTANCES 16u /* of a runtime */

struct callsites;
struct callsite_runtime;

/* A shim's table of real functions begins with this; the pointers follow, in `names`' order. */
struct instance {
	uint32_t runtime;   /* record_runtime()'s number */
	bool foreign;	    /* another shim's, or a stranger's: pass its calls on, record nothing */
	bool other;	    /* the shim's: an instance that needs other treatment */
	_Atomic bool tried; /* callsite.c's: what recording it takes */
	struct segment code; /* its file, or the program; with a path, before identify() */
};

struct callsite_runtime {
	const char *probe;   /* a function that every version has: tells instances apart */
	const char *library; /* opened for a caller that has none, by a weak reference, say */
	const char *const *names;
	uint32_t n_names;
	void *_Atomic *doors; /* of the first names (door.h); NULL: it has none */
	void *instances;      /* INSTANCES of them */
	size_t instance_bytes;
	struct callsites *callsites;
	/* The instance's functions are there: sets its `runtime` or `foreign`. */
	void (*identify)(void *instance, void *handle);
	/*
	 * The instance that runs what runs on this thread, for calls that come from the shim
	 * itself (callsite_first(), if nothing says which); NULL if there are no such calls.
	 */
	void *(*at_hand)(const struct callsite_runtime *runtime);
	/* The site of a call, if it is more than its two addresses; else NULL. */
	uint32_t (*site)(void *instance, uintptr_t return_address, uintptr_t function);
	/* The instance, of a runtime that says itself which one calls; else NULL. */
	void *(*instance_of)(uintptr_t return_address);
	/* What was recorded is such that only the wrappers can end it: calls go there for good,
	 * once one was. */
	bool stays;
	/* Calls of the runtime's own, of its `code`, are part of one that is recorded, or nobody's
	 * business: they are passed on (callsite_is_internal()). */
	bool passes_own;
};
