/* SPDX-License-Identifier: MIT */
/*
 * session.h - one recording of one process: its clock, workers, sites, runtimes and modules.
 *
 * There is one session a process.  It starts at the first event, on the thread that has it, and
 * ends in the destructor of libtptrace.so.  A forked child starts its own, at its first event.
 *
 * Tables only grow: the writer fills an entry and then releases the count; readers (collector)
 * acquire the count.  Writers take session_lock(), off the hot path.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include "preload/clock.h"
#include "preload/options.h"
#include "preload/wire.h"

#define SESSION_SITES 65536u /* 0 is no site; those that do not fit share the last */
#define SESSION_RUNTIMES 16u
#define SESSION_MODULES 4096u
#define SESSION_MARKS 8192u /* that the collector has not taken yet; a power of two */

enum session_state {
	SESSION_OFF,
	SESSION_STARTING,
	SESSION_ON,
	SESSION_CLOSED, /* nothing is recorded from here on: ended, disabled or failed */
};

struct session_site {
	uint64_t return_address, function;
	const char *name; /* NULL, or the session's */
	uint32_t runtime;
};

struct session_runtime {
	char name[32], version[32];
	const char *_Atomic note; /* NULL, or the shim's */
	_Atomic uint32_t n_workers;
};

struct session_module {
	uint64_t start, end; /* addresses of its segments */
	uint64_t bias;	     /* address = bias + ELF virtual address */
	const char *path;    /* the session's */
	uint8_t build_id[20];
	uint32_t build_id_bytes;
};

/* What happened at an instant, to all of the process. */
enum session_mark_what { MARK_START, MARK_STOP, MARK_PHASE, MARK_BEGIN, MARK_END };

struct session_mark {
	uint64_t ticks;
	uint32_t what;	/* enum session_mark_what */
	char name[116]; /* of a phase, or of a region that begins or ends */
};

#define SESSION_ASK_TOGGLE 1u
#define SESSION_ASK_SNAPSHOT 2u

struct worker;

struct session {
	_Atomic uint32_t state;
	_Atomic uint32_t lock;
	_Atomic uint32_t wake; /* futex: bumped to wake the collector */
	enum clock_source clock;
	struct clock_pair begin;
	struct clock_pair end; /* once closed: what workers still record is of no interest */
	uint64_t ring_slots;   /* of each worker; a power of two */
	bool drop;	       /* TPTRACE_OVERFLOW=drop */
	_Atomic uint32_t shut; /* enum wire_loss: why nothing is stored; 0 if it is */
	_Atomic uint64_t started_ticks; /* when that ended last */
	_Atomic uint32_t asked;		/* SESSION_ASK_..: for the collector to do */
	struct options options;
	uint32_t event_ps; /* measured cost of one event */
	int pid;

	_Atomic uint32_t n_workers; /* slots that ever had a thread */
	_Atomic uint32_t n_refused; /* threads that found no slot */
	struct worker *_Atomic worker[WIRE_WORKERS];
	_Atomic uint32_t n_sites;
	struct session_site site[SESSION_SITES];
	_Atomic uint32_t n_runtimes;
	struct session_runtime runtime[SESSION_RUNTIMES];
	_Atomic uint32_t n_modules;
	struct session_module module[SESSION_MODULES];
	_Atomic uint32_t n_marks, marks_taken, marks_lost; /* a ring, emptied by the collector */
	struct session_mark mark[SESSION_MARKS];
};

struct session *session_get(void); /* never NULL; look at its state first */

/* Starts the session if it is off.  True if it is on.  Any thread. */
bool session_start(void);

void session_lock(struct session *session);
void session_unlock(struct session *session);
/* A copy of the string for as long as the process lives; NULL if there is no memory.  With the
 * lock. */
const char *session_keep(const char *text);
void session_wake_collector(struct session *session);

/* module.c: makes all modules now loaded known that were not; called with the lock held. */
void module_scan(struct session *session);
/* The module that holds the address, or NULL.  Any thread, no lock. */
const struct session_module *module_of(struct session *session, uint64_t address);

/* futex(2) in its two forms; both keep errno. */
void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);
void futex_wake(_Atomic uint32_t *word);

/*
 * What the collector that is linked in provides (collector/inproc.c).  start: 0 or -errno, and
 * then the session stays closed.  stop: takes all that is in the rings and ends the file.
 * abandon: in a forked child, forgets the parent's collector.  absent: the process ends, and no
 * runtime ever showed up.
 */
int collector_start(struct session *session);
void collector_stop(struct session *session);
void collector_abandon(struct session *session);
void collector_absent(void);
