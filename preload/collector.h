/* SPDX-License-Identifier: MIT */
/*
 * collector.h - what the recorder wants of a collector: session_give() takes one.
 *
 * The recorder knows no more of it, so that it can be tested without one.  Any thread may call.
 */
#pragma once

#include <stdbool.h>

struct session;

struct collector {
	/* A session starts; it may be moved (session_share()).  0, or -errno: it stays closed. */
	int (*start)(struct session *session);
	/*
	 * The collector outside is dead: one inside takes its place, started by the first thread
	 * that asks.  False if there can be none for now; else it is there, or about to be.  On a
	 * stack as small as a task's; calls nothing that takes a lock of the program's.
	 */
	bool (*inherit)(struct session *session);
	/*
	 * Takes all that is in the rings and ends the file, which says `how`, a constant: for good,
	 * or until there is more.  Waits for as long as the collector gets on.  Signal handlers,
	 * too; afterwards it only waits.
	 */
	void (*end)(struct session *session, const char *how, bool for_good);
	/*
	 * A thread in exit(), before runtimes are torn down: ends the file, and holds the other
	 * threads for a while; then recording goes on.
	 */
	void (*leave)(struct session *session);
	/*
	 * A thread in exit(), when all is torn down; waits for nobody.  True if the end still
	 * stands and the calling thread has recorded nothing since: then nothing is recorded any
	 * more.
	 */
	bool (*seal)(struct session *session);
	/* In a forked child: forgets the parent's collector. */
	void (*abandon)(struct session *session);
	/* The process ends, and no runtime ever showed up. */
	void (*absent)(void);
};
