/* SPDX-License-Identifier: MIT */
/*
 * locks.h - who waited for locks, critical and ordered sections, full/empty bits and the like, how
 * long, and who held them meanwhile.
 *
 *	lock	a row: an object, and a place in the program that waits for it.  A place with many
 *		objects has a row for each of those that were waited for most, and one for the rest
 *	entry	a task that waited there and went on, or that waits to the end of the window
 *	waits	entries that were let go on by a signal, or that the recorder saw only as they had
 *		to wait (all that are not the runtime's own); an entry that found the object free is
 *		none
 *	serial	what tasks worked while they held it: one at a time, on any number of workers
 *	held	from the entry of a task to its next signal of the object.  Known only if whoever
 *		signals it had entered: so of neither conditions, nor words that one task fills for
 *		another, nor pthread's locks, which are not seen to be taken while they are free
 *	holder	of an object while others wait: who entered it last; else who signals it next, as of
 *		a word that one task was seen to fill for another
 *
 * Times are ns, of what is selected.  An entry that lies outside of the selection does not count.
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

#define LOCK_OBJECTS 16u /* rows of one place */
#define LOCK_KINDS 4u	 /* kinds that are named */

/* A kind of task that waits, or that held the object. */
struct lock_kind {
	kind_id kind;
	uint64_t n;  /* waits; of holders 0 */
	uint64_t ns; /* waited; or waited for by others, while it held the object */
};

struct lock {
	site_id site;
	uint8_t what;	    /* enum wire_wait */
	uint32_t n_places;  /* 1; of a whole, so many, and `site` is that with the longest waits */
	uint64_t object;    /* 0: of several */
	uint64_t n_objects; /* 1, or so many */
	uint64_t n_entries, n_waits;
	uint64_t wait_ns, median_ns, max_ns; /* of waits; lower median */
	uint64_t busy_ns;		     /* time in which anybody waited for the object */
	bool held_known;
	uint64_t held_ns, held_max_ns;
	uint64_t serial_ns; /* of the object, at all its places; 0: of several, or not known */
	struct lock_kind waiter[LOCK_KINDS], holder[LOCK_KINDS]; /* the most ns first */
	uint32_t n_waiters, n_holders;				 /* kinds in all, named or not */
};

struct locks {
	struct lock *lock; /* the longest wait_ns first */
	uint32_t n;
	/* Objects entered at several places that have no other object: those places as one. */
	struct lock *whole;
	uint32_t n_wholes;
	uint64_t serial_ns; /* the most of one object */
};

void locks_find(struct locks *locks, const struct dag *dag, const struct select *select);
/* The whole that the lock is a place of; NULL if it is entered nowhere else. */
const struct lock *locks_whole(const struct locks *locks, const struct lock *lock);
void locks_free(struct locks *locks); /* a zeroed one is fine */
