/* SPDX-License-Identifier: MIT */
/*
 * tbb_body.h - whose code a task runs where its class does not say so: a filter of a pipeline, a
 * node of a flow graph.
 *
 * libtbb runs all filters by one class, and oneTBB's headers make one class for all nodes of equal
 * messages.  The task leads to the object that holds the user's function object, and that one has
 * a class of its own, whose operator() calls the user's:
 *
 *	stage_task -> concrete_filter<In, Out, Body>
 *	apply_body_task_bypass, input_node_task_bypass -> node -> function_body_leaf<In, Out, Body>
 *
 * How the objects lie in memory depends on the version of the headers that the program was compiled
 * with.  So the first task of a class is searched for the way, by the types that the objects say
 * they have; every other one of that class has the same layout.  What cannot be found (no RTTI,
 * other versions) has the name of the task's class.
 */
#pragma once

#include "shims/tbb/tbb.h"

/*
 * From a task to the vtable of its body; 0: there is none.  Bits 0-7: the word of the task that
 * points to the filter or node.  8-15: the word of the node that points to the body, 0 for a
 * filter, which is the body itself.  16-18: the body's mark.
 */
typedef uint32_t body_path;

/*
 * A body: its vtable's address and, in the lowest bits, a mark, which no vtable's address has: bit
 * 0, and in 1-2 the word of the vtable that is its operator().
 */
#define BODY_MARK 1u
#define BODY_BITS 7u
#define BODY_CALL(body) ((body) >> 1 & 3)

/* The way to the body of a task that is handed over now.  From any thread; takes the loader's lock.
 */
body_path body_find(const struct tbb_task *task, const uintptr_t *vtable) CALL_HIDDEN;

/* The type of the body as typeid().name() gives it; NULL if it is none that is known. */
const char *body_type_name(uintptr_t body) CALL_HIDDEN;

/* Of what typeid().name() gives; NULL stays NULL. */
static inline const char *body_name_plain(const char *name)
{
	return name && name[0] == '*' ? name + 1 : name; /* of a type that is this file's alone */
}

/* Hot path: what the task will run; 0: nothing yet. */
static inline uintptr_t body_of(const struct tbb_task *task, body_path path)
{
	const uintptr_t *holder = ((const uintptr_t *const *)task)[path & 0xff];
	uint32_t word = path >> 8 & 0xff;

	if (word && holder)
		holder = (const uintptr_t *)holder[word]; /* NOLINT: an address */
	return holder ? holder[0] | path >> 16 : 0;
}
