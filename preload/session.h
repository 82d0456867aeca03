/* SPDX-License-Identifier: MIT */
/*
 * session.h - one recording of one process, as the process starts, keeps and ends it.
 *
 * There is one session a process.  It starts at the first event, on the thread that has it, and
 * ends in the destructor of libtptrace.so.  A forked child starts its own, at its first event.
 *
 * All that a trace says of its program is written into the session's memory by the program
 * (layout.h, preload/inside/process_info.c).
 */
#pragma once

#include <stdbool.h>
#include "preload/collector.h"
#include "collector/session/layout.h"
#include "collector/session/shared.h"

/*
 * Never NULL; look at its state first.  It is another one once the session has started, and once
 * more in a forked child.
 */
struct session *session_get(void) EXPORT_AS(session_get);
/* Worker i, below n_workers.  In the traced process. */
struct worker *session_worker(uint32_t index) EXPORT_AS(session_worker);
struct worker *session_worker_at(void *arg, uint32_t index); /* a gate_worker */
void session_put_worker(uint32_t index, struct worker *worker);

/* Calls that function when a thread exits that session_watch_thread() was called for. */
void session_watch_exits(void (*exits)(void *worker));
void session_watch_thread(struct worker *worker);

/*
 * Gives sessions their collector, before the first of them starts: without one nothing is recorded.
 */
void session_give(const struct collector *collector);
/* The one that was given; not NULL once a session is on. */
const struct collector *session_collector(void);

/* Where there is one: whether the recorder may open a file in this thread. */
bool session_may_open(void);

/* start.c: starts the session if it is off.  True if it is on.  Any thread. */
bool session_start(void);

/*
 * start.c: ends it, if it is on, and waits for the collector to end the file, which says `how`;
 * also when another thread ended it.  Any thread, signal handlers too.
 */
void session_finish(const char *how);

/* Says how the process is about to end: a few letters, or "" if it goes on after all. */
void session_note_end(struct session *session, const char *how);

/* The collector: the session is over at that instant.  Any thread, once. */
void session_shut_down(struct session *session, struct clock_pair end);

/* In a forked child: drops the parent's memory.  If its thread goes on in a task of the parent's
 * (`inside`), the workers stay where they are, as memory of its own that takes no event.  The
 * session is another one from then on, and its state is the caller's to set. */
struct session *session_forget(bool inside);

/* False in a child that has the session in its memory and ran no handler: vfork, bare clone. */
bool session_is_ours(const struct session *session);

/*
 * Closes the session in a child with memory of its own that ran no handler.  It has the parent's
 * memory until it calls something of session.c; what it does without is in worker.h.
 */
void session_disown(void);
/* In a forked child, by its handler: the session is the child's own from here on. */
void session_own(void);
/* From here on the kernel marks the session as strange in children that run no handler. */
void session_make_home(void);

/* Locks the session that is, and gives it. */
struct session *session_lock(void) EXPORT_AS(session_lock);
void session_unlock(struct session *session) EXPORT_AS(session_unlock);
/* Keeps a copy of the text; none if there is no room.  With the lock, or before the session is on.
 */
session_text session_keep(struct session *session, const char *text) EXPORT_AS(session_keep);
/* Moves the session into shared memory while it starts; its descriptor, or -errno. */
int session_share(enum shared_home home);

/* module.c, with the lock held.  Makes all modules now loaded known, and those that are no more. */
void module_scan(struct session *session);
/* How often that found some to be gone. */
uint64_t module_unloads(void) EXPORT_AS(module_unloads);
/* 1 + the module that has the address now, as far as is known; 0 if none has. */
uint32_t module_of(const struct session *session, uint64_t address);
/* Whether the code at this address is in a file of one of these names; NULL ends them. */
bool module_is_named(struct session *session, uint64_t address, const char *const *names)
	EXPORT_AS(module_is_named);
/* Whether it is in a task runtime's own library, or in ours. */
bool module_is_runtimes(struct session *session, uint64_t address) EXPORT_AS(module_is_runtimes);
/* A new site, in the modules that have its addresses now; 0 if there is no room. */
uint32_t session_add_site(struct session *session, const struct session_site *site)
	EXPORT_AS(session_add_site);
