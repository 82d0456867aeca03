/* SPDX-License-Identifier: MIT */
/*
 * collector.h - what the recorder wants of a collector: session_give() takes one.
 *
 * The recorder knows no more of it, so that it can be tested without one.  Any thread may call.
 */
#pragma once

#include <stdbool.h>

#include <stddef.h>
#include <stdint.h>

struct session;
struct thinner;
struct slice; /* collector/session/chunk.h */
struct wire_event;

/* What is left of a process that pauses, if it goes as it says. */
enum leave {
	LEAVE_AT_ONCE, /* a system call */
	LEAVE_UNSEEN,  /* the program's code, and nobody hears of its end */
	LEAVE_SEEN,    /* the program's code, and finish() or close_at_exit() */
};

struct collector {
	/* The program is about to put a filter of system calls on itself; false: and that has
	 * failed.  NULL: never mind. */
	void (*filters)(bool on);
	/* Whether files may be opened: no filter of the program's own may end it so.  NULL: yes. */
	bool (*may_open)(void);
	/* A session starts; it may be moved (session_share()).  0, or -errno: it stays closed. */
	int (*start)(struct session *session);
	/*
	 * The collector outside is dead: one inside succeeds it, started by the first thread that
	 * asks.  False if there can be none for now; else it is there, or about to be.  On a stack
	 * as small as a task's; calls nothing that takes a lock of the program's.
	 */
	bool (*succeed)(struct session *session);
	/*
	 * Takes all that is in the rings and ends the file, which says `how`, a constant: until
	 * there is more.  Waits for as long as the collector gets on.  Signal handlers, too.
	 */
	void (*pause)(struct session *session, const char *how, enum leave leave);
	/* The same for good; once it is over, both do nothing. */
	void (*finish)(struct session *session, const char *how);
	/*
	 * A thread in exit(), before runtimes are torn down: pauses, and holds the other threads
	 * for a while; then recording goes on.
	 */
	void (*pause_at_exit)(struct session *session);
	/*
	 * A thread in exit(), when all is torn down; waits for nobody.  True if the end is still
	 * the last one and the calling thread has recorded nothing since: then nothing is recorded
	 * any more.
	 */
	bool (*close_at_exit)(struct session *session);
	/* In a forked child: abandons the parent's collector. */
	void (*abandon)(struct session *session);
	/* The process ends, and no runtime ever showed up; or one did, and files may not be opened
	 * for it. */
	void (*absent)(bool filtered);
	/* A thread or process of the program's could not be started: says which the recorder has.
	 * On any stack.  NULL: it has none. */
	void (*lacks)(struct session *session);
	/* What a thread of this process waited for a CPU; false if that is not known.  Any thread,
	 * keeps errno.  NULL: it never is. */
	bool (*waits)(uint32_t thread, uint64_t *wait_ns);

	/*
	 * What the collector would make of a worker's events, made by the worker itself, where they
	 * are hot: `thin` writes what is to be kept to `out`: how many.  0: it does not pay.
	 * thinner_bytes() of zeroed memory serve one worker.  On a stack as small as a task's;
	 * calls nothing.  NULL: this collector wants all events.
	 */
	size_t (*thinner_bytes)(void);
	uint32_t (*thin)(struct thinner *thinner, const struct session *session,
			 struct slice *slice, struct wire_event *out);
};
