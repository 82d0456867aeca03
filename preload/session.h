/* SPDX-License-Identifier: MIT */
/*
 * session.h - one recording of one process: its clock, workers, sites, runtimes and modules.
 *
 * There is one session a process.  It starts at the first event, on the thread that has it, and
 * ends in the destructor of libtptrace.so.  A forked child starts its own, at its first event.
 *
 * Tables only grow: the writer fills an entry and then releases the count; readers (collector)
 * acquire the count.  Writers take session_lock(), off the hot path.
 *
 * The session holds no address, so that a collector in another process, and `tptrace recover`
 * when there is no process any more, read it as this one does: texts are offsets, and worker i is
 * i strides behind the session's pages (shared.h).  All that a trace says of its program is
 * written into it by the program (collector/facts.c).  Whoever else reads it trusts no number.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include "preload/clock.h"
#include "preload/options.h"
#include "preload/shared.h"
#include "preload/wire.h"

#define SESSION_SITES 65536u /* 0 is no site; those that do not fit share the last */
#define SESSION_RUNTIMES 16u
#define SESSION_MODULES 4096u
#define SESSION_MARKS 1024u		 /* that the collector has not taken yet; a power of two */
#define SESSION_TEXT_BYTES (3500u << 10) /* what a session takes counts where memory is limited */
#define SESSION_MAGIC "tptring\n"

enum session_state {
	SESSION_OFF,
	SESSION_STARTING,
	SESSION_ON,
	SESSION_CLOSED, /* nothing is recorded from here on: ended, disabled or failed */
};

/* A text that session_keep() took: where it is in session.text; 0 is none. */
typedef uint32_t session_text;

struct session_site {
	uint64_t return_address, function;
	session_text name; /* may be none */
	uint32_t runtime;
	uint32_t return_module, function_module; /* 1 + where they were then; 0: in none */
};

struct session_runtime {
	char name[32], version[32];
	_Atomic session_text note; /* may be none */
	_Atomic uint32_t n_workers;
};

struct session_module {
	uint64_t start, end; /* addresses of its segments */
	uint64_t bias;	     /* address = bias + ELF virtual address */
	session_text path;
	uint8_t build_id[20];
	uint32_t build_id_bytes;
	uint32_t is_loaded; /* others may be in its place, before and after */
};

/* What happened at an instant, to all of the process. */
enum session_mark_what { MARK_START, MARK_STOP, MARK_PHASE, MARK_BEGIN, MARK_END };

struct session_mark {
	uint64_t ticks;
	uint32_t what;		/* enum session_mark_what */
	_Atomic uint32_t place; /* 1 + its number among all marks; set last */
	char name[112];		/* of a phase, or of a region that begins or ends */
};

/* What `life` holds besides the number of the collector's thread.  The kernel sets the first when
 * that thread dies (collector/will.h); 0: nobody has told. */
#define SESSION_LIFE_DIED 0x40000000u /* FUTEX_OWNER_DIED */
#define SESSION_LIFE_DONE 0x3fffffffu /* it has written the trace's end and left */

#define SESSION_ASK_TOGGLE 1u
#define SESSION_ASK_SNAPSHOT 2u

/* What the process says of itself at the session's start. */
struct session_facts {
	session_text exe, command, host, kernel, machine, rank, ranks, local_rank;
	session_text program, output, folder; /* short name, TPTRACE_OUTPUT, where it stood */
	session_text ring;		      /* the ring file, if it is one */
	int32_t ppid;
	uint32_t cores, cpus; /* of the machine; those that it could use, 0: not known */
	uint64_t began_ns;    /* when the process did, on CLOCK_MONOTONIC; 0: not known */
	int64_t recorded;	 /* s since 1970 */
	uint8_t quiet, detailed; /* TPTRACE_VERBOSE: say nothing; say also what is not needed */
};

struct worker;

struct session {
	char magic[8];	 /* SESSION_MAGIC, once it is on */
	uint32_t layout; /* SESSION_LAYOUT of who made it */
	_Atomic uint32_t state;
	_Atomic uint32_t lock;
	_Atomic uint32_t wake; /* futex: bumped to wake the collector */
	_Atomic uint32_t beat; /* bumped by the collector, as long as it gets on */
	_Atomic uint32_t life; /* of a collector outside: SESSION_LIFE_.. (watch.h) */
	_Atomic uint8_t outside; /* the collector is another process, .. */
	_Atomic uint32_t hold;		/* futex: what gate_hold() asks for; 0: nothing */
	_Atomic uint64_t hold_until_ns; /* of clock_monotonic_ns() */
	uint8_t held; /* as long as the process has this memory, its file is locked */
	char leaving[24]; /* how the process is about to end, as it said last; "": it has not */
	int32_t collector_pid; /* .. this one; 0 if it cannot be told from in here */
	enum clock_source clock;
	struct clock_pair begin;
	struct clock_pair end;	/* once closed: what workers still record is of no interest */
	uint64_t ring_slots;	/* of each worker at most; a power of two */
	uint32_t hold_slots;	/* that the collector holds of each worker at most; 0: in turn */
	uint64_t head_bytes;	/* of the file: the session's pages; worker 0 is behind them */
	uint64_t stride;	/* bytes from one worker to the next */
	uint64_t flight_bytes;	/* of the flight recorder's log (collector/flight.h); 0: none */
	uint64_t flight_at;	/* where in the file that is; 0: in none */
	_Atomic bool has_final; /* record_final() */
	uint8_t drop;		/* TPTRACE_OVERFLOW=drop */
	_Atomic uint32_t gate;	/* lock of what follows, for the collector, too */
	_Atomic uint32_t shut;	/* enum wire_loss: why nothing is stored; 0 if it is */
	_Atomic uint64_t started_ticks; /* when that ended last */
	_Atomic uint32_t asked;		/* SESSION_ASK_..: for the collector to do */
	struct options options;
	uint32_t event_ps; /* measured cost of one event */
	int pid;
	uint32_t shift; /* the trace's, once `trace` is there (collector/drain.h) */
	struct session_facts facts;
	char trace[4096]; /* path of the trace; the collector's, empty until there is one */
	uint64_t trace_device, trace_inode;

	_Atomic uint32_t n_workers; /* slots that ever had a thread */
	_Atomic uint32_t n_refused; /* threads that found no slot, nor memory for one */
	_Atomic uint32_t n_barred;  /* calls of the runtime by handlers: worker.h, `state`; .. */
	_Atomic uint32_t n_foreign; /* .. or by tasks that a refused thread made */
	_Atomic uint32_t n_unnamed; /* sites that found no room, and share the last number */
	_Atomic uint32_t n_runtimes;
	struct session_runtime runtime[SESSION_RUNTIMES];
	_Atomic uint32_t text_bytes; /* of text[], the first of which is none */
	_Atomic uint32_t n_sites, n_modules;
	/* a ring of marks, emptied by the collector; mark_room is SESSION_MARKS, or 0: none */
	_Atomic uint32_t n_marks, marks_taken, marks_lost, mark_room;
	_Atomic uint32_t marks_stuck;	/* 1 + marks_taken when waiting for it was given up, .. */
	_Atomic uint64_t stuck_ns;	/* .. after so long */
	_Atomic uint32_t turns_refused; /* calls of start or stop that had no effect */
	_Atomic uint64_t lost_mark_first, lost_mark_last; /* ticks; 0: none was lost */
	_Alignas(4096) struct session_module module[SESSION_MODULES];
	_Alignas(4096) struct session_site site[SESSION_SITES];
	_Alignas(4096) char text[SESSION_TEXT_BYTES];
	_Alignas(4096) struct session_mark mark[SESSION_MARKS];
};

/*
 * Never NULL; look at its state first.  It is another one once the session has started, and once
 * more in a forked child.
 */
struct session *session_get(void);
/* Worker i, below n_workers.  In the traced process. */
struct worker *session_worker(uint32_t index);

/* Starts the session if it is off.  True if it is on.  Any thread. */
bool session_start(void);

/*
 * Ends it, if it is on, and waits for the collector to end the file, which says `how`; also when
 * another thread ended it.  Any thread, signal handlers too.
 */
void session_close(const char *how);

/* Says how the process is about to end: a few letters, or "" if it goes on after all. */
void session_leave(struct session *session, const char *how);

/* The collector: the session is over at that instant.  Any thread, once. */
void session_shut_down(struct session *session, struct clock_pair end);

/* In a forked child: drops the parent's memory.  If its thread goes on in a task of the parent's
 * (`inside`), the workers stay where they are, as memory of its own that takes no event.  The
 * session is another one from then on, and its state is the caller's to set. */
struct session *session_forget(bool inside);

/* False in a child that has the session in its memory and was told nothing: vfork, bare clone. */
bool session_is_ours(const struct session *session);

/*
 * Closes the session in a child with memory of its own that was told nothing.  It has the parent's
 * memory until it calls something of session.c; what it does without is in worker.h.
 */
void session_disown(void);
/* In a forked child that was told: what there is of a session is its own from here on. */
void session_settle(void);

/* Locks the session that is, and gives it. */
struct session *session_lock(void);
void session_unlock(struct session *session);
/* Keeps a copy of the text; none if there is no room.  With the lock, or before the session is on.
 */
session_text session_keep(struct session *session, const char *text);
/* Moves the session into shared memory while it starts; its descriptor, or -1. */
int session_share(enum shared_home home);
void session_wake_collector(struct session *session);

/* module.c, with the lock held.  Makes all modules now loaded known, and those that are no more. */
void module_scan(struct session *session);
/* 1 + the module that has the address now, as far as is known; 0 if none has. */
uint32_t module_of(const struct session *session, uint64_t address);

/* futex(2) in its two forms; both keep errno. */
void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);
void futex_wake(_Atomic uint32_t *word);

/*
 * What the collector that is linked in provides (collector/inproc.c).  start: 0 or -errno, and
 * then the session stays closed.  inherit: the collector outside is dead; one inside takes its
 * place, started by the first thread that asks.  False if there can be none for now; else it is
 * there, or about to be.  Any thread, on a stack as small as a task's; calls nothing that takes a
 * lock of the program's.  end: takes all that is in the rings and ends the file, which
 * says `how`, a constant: for good, or until there is more; waits for as long as the collector
 * gets on; any thread, signal handlers too; afterwards it only waits.
 *
 * leave, seal: for a thread that is in exit().  leave ends the file before runtimes are torn down,
 * and recording goes on.  seal, when all is torn down, waits for nobody: true if the end still
 * stands and the calling thread has recorded nothing since; then nothing is recorded any more.
 *
 * abandon: in a forked child, forgets the parent's collector.  absent: the process ends, and no
 * runtime ever showed up.
 */
int collector_start(struct session *session); /* may session_share() */
bool collector_inherit(struct session *session);
void collector_end(struct session *session, const char *how, bool for_good);
void collector_leave(struct session *session);
bool collector_seal(struct session *session);
void collector_abandon(struct session *session);
void collector_absent(void);

/* The text, "" for none; whatever the number is, it ends within the session. */
static inline const char *session_said(const struct session *session, session_text text)
{
	if (text >= SESSION_TEXT_BYTES ||
	    !memchr(session->text + text, 0, SESSION_TEXT_BYTES - text))
		return "";
	return session->text + text;
}
