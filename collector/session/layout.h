/* SPDX-License-Identifier: MIT */
/*
 * layout.h - the memory of a session: its clock, workers, sites, runtimes, modules and marks.
 *
 * The process makes it (session.h) and the collector reads it, wherever that is.  It holds no
 * address, so that a collector in another process, and `tptrace recover` when there is no process
 * any more, read it as this one does: texts are offsets, and worker i is i strides behind the
 * session's pages (shared.h).  Whoever else reads it trusts no number.
 *
 * Tables only grow: the writer fills an entry and then releases the count; readers (collector)
 * acquire the count.  Writers take the lock, off the hot path.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include "collector/session/clock.h"
#include "collector/session/environment.h"
#include "collector/session/place.h"
#include "collector/session/entries.h"

#define SESSION_SITES 65536u /* 0 is no site; those that do not fit share the last */
#define SESSION_MODULES 4096u
#define SESSION_COUNTERS 8u
#define SESSION_BYPASSING 8u /* further ones are not named: the trace is incomplete anyway */
#define SESSION_PATHS 32768u
#define SESSION_MARKS 1024u		 /* that the collector has not taken yet; a power of two */
#define SESSION_TEXT_BYTES (3500u << 10) /* what a session takes counts where memory is limited */
#define SESSION_MAGIC "tptring\n"

enum session_state {
	SESSION_OFF,
	SESSION_STARTING,
	SESSION_ON,
	SESSION_CLOSED, /* nothing is recorded from here on: ended, disabled or failed */
};

/* What `life` holds besides the number of the collector's thread.  The kernel sets the first when
 * that thread dies (collector/outside/death_notice.h); 0: no notice yet. */
#define SESSION_LIFE_DIED 0x40000000u /* FUTEX_OWNER_DIED */
#define SESSION_LIFE_DONE 0x3fffffffu /* it has written the trace's end and left */

#define SESSION_DIED_KNOWN 0x10000u

#define SESSION_ASK_TOGGLE 1u
#define SESSION_ASK_SNAPSHOT 2u

struct session {
	char magic[8];	 /* SESSION_MAGIC, once it is on */
	uint32_t layout; /* SESSION_LAYOUT of who made it */
	_Atomic uint32_t state;
	_Atomic uint32_t lock;
	_Atomic uint32_t wake; /* futex: bumped to wake the collector */
	_Atomic uint32_t beat; /* bumped by the collector, as long as it gets on */
	struct clock clock;
	struct clock_pair begin;
	struct clock_pair end;	   /* once closed: what workers still record is of no interest */
	struct chunk_sizes chunks; /* of each worker */
	uint32_t pending_slots;	   /* pending events of each worker at most; 0: in turn */
	uint64_t head_bytes;	   /* of the file: the session's pages; worker 0 is behind them */
	uint64_t stride;	   /* bytes from one worker to the next */
	_Atomic uint64_t thin_strand; /* limits of what workers collapse, as the collector's own */
	_Atomic uint64_t thin_task;   /* (collector/collapse/collapse.h); 0: there are none yet */
	uint8_t drop;		      /* TPTRACE_OVERFLOW=drop */
	_Atomic uint32_t gate; /* lock of what follows, for the collector, too: a thread's number */
	_Atomic uint32_t shut; /* enum wire_loss: why nothing is stored; 0 if it is */
	_Atomic uint32_t unwritten; /* errno of the write that shut it; 0: the size it may have */
	_Atomic uint64_t started_ticks; /* when that ended last */
	struct options options;
	/* measured cost of one event, and of the two around a strand what lies in it: lowered
	 * together when a trial finds that they were too high (trial.c) */
	_Atomic uint32_t event_ps, strand_ps;
	uint32_t n_counters;	      /* TPTRACE_COUNTERS */
	_Atomic uint32_t n_uncounted; /* threads that could not count */
	struct session_counter counter[SESSION_COUNTERS];
	session_text counters_missing; /* which are not counted, and why; may be none */
	int pid;
	uint32_t shift; /* the trace's, once `trace` is there (collector/drain/drain.h) */
	struct process_info process;
	_Atomic uint32_t
		n_bypassing; /* files whose calls of runtimes do not come by the shims; .. */
	session_text bypassing[SESSION_BYPASSING]; /* .. their paths */
	_Atomic uint32_t n_runtimes;
	_Atomic bool has_final; /* record_final() */
	struct session_runtime runtime[SESSION_RUNTIMES];
	_Atomic uint32_t text_bytes; /* of text[], the first of which is none */
	_Atomic uint32_t n_sites, n_modules;
	_Atomic uint32_t n_paths;   /* 0 is none */
	_Atomic uint32_t mark_room; /* of the ring of marks: SESSION_MARKS, or 0: none */

	/* from here up to the modules: of this process and its collector, 0 in a forked child */
	_Atomic uint32_t n_workers;	  /* slots that ever had a thread */
	_Atomic uint32_t n_marks;	  /* in the ring, which the collector empties, .. */
	_Atomic uint32_t marks_taken;	  /* .. and so many of them are in the trace, or lost */
	_Atomic uint32_t life;		  /* of a collector outside: SESSION_LIFE_.. (watch.h) */
	_Atomic uint8_t outside;	  /* the collector is another process, .. */
	int32_t collector_pid;		  /* .. this one; 0 if it cannot be told from in here */
	_Atomic uint64_t died_ns;	  /* when it died, by CLOCK_MONOTONIC; 0: it has not */
	_Atomic uint32_t died_of;	  /* as wait() has it, | SESSION_DIED_KNOWN; 0: not known */
	_Atomic uint32_t frozen;	  /* futex: what gate_freeze() asks for; 0: nothing */
	_Atomic uint64_t frozen_until_ns; /* of clock_monotonic_ns() */
	_Atomic uint32_t ended; /* the file has an end, which may be taken back: gate_rest() */
	uint8_t locked;	  /* the process has a lock on this memory's file as long as it has it */
	char leaving[24]; /* how the process is about to end, as it said last; "": it has not */
	uint64_t flight_bytes;	       /* of the flight recorder's log (drain/flight.h); 0: none */
	uint64_t flight_at;	       /* where in the file that is; 0: in none */
	_Atomic uint32_t asked;	       /* SESSION_ASK_..: for the collector to do */
	_Atomic uint32_t n_refused;    /* threads that found no slot, nor memory for one */
	_Atomic uint32_t n_waits_read; /* threads that read what they had waited: cputime.c */
	_Atomic uint32_t n_barred;     /* calls of the runtime by handlers: worker.h, `state`; or of
					* a mute one or a pending task: record_lost_call(); .. */
	_Atomic uint32_t n_foreign;    /* .. or by tasks that a refused thread made */
	_Atomic uint32_t n_unnamed;    /* sites that found no room, and share the last number */
	_Atomic uint32_t marks_lost;
	_Atomic uint32_t marks_stuck;	/* 1 + marks_taken when waiting for it was given up, .. */
	_Atomic uint64_t stuck_ns;	/* .. after so long */
	_Atomic uint32_t turns_refused; /* calls of start or stop that had no effect */
	_Atomic uint64_t lost_mark_first, lost_mark_last; /* ticks; 0: none was lost */
	uint64_t trace_device, trace_inode;
	char trace[4096]; /* path of the trace; the collector's, empty until there is one */
	_Alignas(4096) struct session_module module[SESSION_MODULES];
	_Alignas(4096) struct session_site site[SESSION_SITES];
	_Alignas(4096) struct session_path path[SESSION_PATHS];
	_Alignas(4096) char text[SESSION_TEXT_BYTES];
	_Alignas(4096) struct session_mark mark[SESSION_MARKS];
};

/* Says by which version of these structs and the session's memory was made. */
#define SESSION_LAYOUT                                                                             \
	((uint32_t)(((sizeof(struct session) + offsetof(struct session, trace)) * 31 +             \
		     offsetof(struct session, wake)) *                                             \
			    31 +                                                                   \
		    sizeof(struct worker) + sizeof(struct chunk)) *                                \
		 31 +                                                                              \
	 WIRE_VERSION)

/* The text, "" for none; whatever the number is, it ends within the session. */
static inline const char *session_said(const struct session *session, session_text text)
{
	if (text >= SESSION_TEXT_BYTES ||
	    !memchr(session->text + text, 0, SESSION_TEXT_BYTES - text))
		return "";
	return session->text + text;
}
