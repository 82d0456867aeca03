/* SPDX-License-Identifier: MIT */
/*
 * tbb_point.h - receivers, senders and nodes of flow graphs: what is known of each by its address,
 * and the copies of their vtables.
 */
#pragma once

#include "shims/tbb/nodes/tbb_flow.h"

#define FLOW_BEFORE 16 /* words of a vtable that are copied: as tbb_vtable.h */
#define FLOW_WORDS 64
#define FLOW_POINTS (1u << 18) /* 20 MiB, if all are in use */
#define FLOW_NODE_WORDS 128u   /* where members of a node are looked for */

/* When a receiver's task may run. */
enum flow_rule {
	FLOW_PASSES,  /* it has none, or it is the putter's, or we cannot tell */
	FLOW_COUNTS,  /* after one message of each predecessor */
	FLOW_QUEUES,  /* after each message, in their order */
	FLOW_JOINS,   /* after one message of each port of the node, in their order */
	FLOW_KEEPS,   /* after some of its messages: which, tbb_keep.c knows, or the program */
	FLOW_LIMITS,  /* as it passes, and after one message to .. */
	FLOW_LETS_GO, /* .. the node's port for that */
};

/* Our copy of a vtable: of a receiver, or by other functions of ours of a sender, or a node. */
struct flow_class {
	const uintptr_t *original;
	uintptr_t put;
	bool known;
	enum flow_rule rule;
	ptrdiff_t top;	/* from the receiver to its node; 0: it is a port, .. */
	uint32_t owner; /* .. whose word leads to a part of the node; 0: unknown */
	bool runs;	/* it runs the node's code itself, with the policy lightweight */
	bool last;	/* of a node that keeps: it hands on its last message, not the first; .. */
	bool sequences; /* .. a function object tells a message's place */
	uintptr_t before[FLOW_BEFORE];
	uintptr_t word[FLOW_WORDS];
};

/* A receiver, a sender that is asked for messages, or a node as a whole. */
struct flow_point {
	_Atomic uintptr_t address; /* 0: free; set last */
	uint32_t node;		   /* the point of a receiver's or sender's node, + 1 */
	uint32_t ports, next;	   /* a node's receivers, + 1: the first; the next */
	uint32_t asker;		   /* of a sender: the receiver that asked last, + 1 */
	uint16_t class;		   /* a node's, + 1 */
	uint8_t rule;
	bool runs;			 /* class->runs */
	_Atomic bool asks;		 /* it refused a message */
	_Atomic uint64_t n_put, n_taken;
	_Atomic uint64_t offered; /* a sender's message that was refused: its name; 0 */
	_Atomic uint64_t seen;	  /* of a node's successors; 0: nothing */
	uint64_t *name;		  /* of a node's messages, by place; NULL */
	size_t n_names;		  /* a power of two; 0: there is no memory */
};

extern _Atomic uint32_t flow_lock CALL_HIDDEN; /* for all that is added */
extern struct flow_point *_Atomic flow_points CALL_HIDDEN;
extern const struct flow_ours *_Atomic flow_ours CALL_HIDDEN;

/* The address's place; NULL if it has none.  `make`: with the lock held. */
struct flow_point *point_of(uintptr_t address, bool make) CALL_HIDDEN;

static inline uint32_t point_number(const struct flow_point *point)
{
	return (uint32_t)(point - flow_points) + 1;
}

static inline struct flow_point *point_at(uint32_t number)
{
	return number ? &flow_points[number - 1] : NULL;
}

bool class_is_copy(const uintptr_t *vtable) CALL_HIDDEN;

static inline const struct flow_class *class_of(const void *object)
{
	return (const struct flow_class *)(*(const char *const *)object -
					   offsetof(struct flow_class, word));
}

/*
 * The copy for objects like this one, which has its own functions but for what the caller puts
 * there, and is not `known` at first; NULL: it is no object of oneTBB's headers, whatever it is, or
 * there is no room.  With the lock held.
 */
struct flow_class *class_get(uintptr_t object) CALL_HIDDEN;

/* The object gets the copy, unless another one did it meanwhile. */
void class_put(uintptr_t object, const struct flow_class *class) CALL_HIDDEN;
