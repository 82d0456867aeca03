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

#include "preload/record.h"
#include "shims/common/segment.h"
#include "shims/tbb/nodes/tbb_object.h"

/*
 * From a task to the vtable of its body; 0: there is none.  Bits 0-7: the word of the task that
 * points to the filter or node.  8-15: the word of the node that points to the body, 0 for a
 * filter, which is the body itself.  16-18: the body's mark; 0: it has none that is known.  24-31:
 * the word that points to the node, if the task is one of a flow graph.
 */
typedef uint32_t body_path;
#define BODY_NODE(path) ((path) >> 24)
#define BODY_IS_KNOWN(path) ((path) >> 16 & BODY_MARK)

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
	return holder ? holder[0] | (path >> 16 & BODY_BITS) : 0;
}

/* ---- of flow graphs: what objects say of their types ---- */

#define BODY_TASK_GRAPH 8u /* words: of a node's task, .. */
#define BODY_TASK_PRIORITY 9u
#define BODY_NODE_GRAPH 1u /* .. and of a node: the graph */

static inline uintptr_t *body_word_at(uintptr_t address)
{
	return (uintptr_t *)address; /* NOLINT: an address */
}

/* The whole object of which this is a part with virtual functions. */
static inline uintptr_t body_top_of(uintptr_t part)
{
	return part + body_word_at(body_word_at(part)[0])[TBB_VTABLE_TOP];
}

/* Whether there is an object with virtual functions and a type, at whatever is no address. */
bool body_has_type(uintptr_t object) CALL_HIDDEN;
/* Whether that is a part of a node of oneTBB's, or of a class derived from one. */
bool body_is_node(uintptr_t object) CALL_HIDDEN;
/* Whether the vtable's type, or its base, is that of oneTBB's headers; "": any. */
bool body_is_type(uintptr_t vtable, const char *type) CALL_HIDDEN;
/* Whether the type's name has this in it. */
bool body_type_has(uintptr_t vtable, const char *word) CALL_HIDDEN;
/* Whether it is the vtable of a list of successors; at whatever is none. */
bool body_is_cache(uintptr_t vtable) CALL_HIDDEN;
