/* SPDX-License-Identifier: MIT */
/*
 * environment.h - what the environment asks of the recorder.
 *
 * Read when the session starts, on the thread that starts it, which may be long after the program
 * began.  A bad value is one line on stderr, and the default.  `tptrace record` sets the same
 * variables, and checks them before.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/session/clock.h"

struct options {
	uint64_t ring_bytes;   /* TPTRACE_BUFFER; 0 if not said */
	bool drop;	       /* TPTRACE_OVERFLOW=drop */
	bool start_off;	       /* TPTRACE_START=off */
	bool no_control;       /* TPTRACE_CONTROL=off: no socket for `tptrace start` and the like */
	uint64_t max_bytes;    /* TPTRACE_MAX_SIZE; 0 for no bound */
	bool keep_last;	       /* TPTRACE_KEEP=last: the newest max_bytes, not the first */
	uint64_t collapse_ns;  /* TPTRACE_COLLAPSE: longer strands are kept; 0: so is all */
	enum clock_wish clock; /* TPTRACE_CLOCK */
	int toggle_signal;     /* TPTRACE_TOGGLE_SIGNAL, 0 for none */
	int snapshot_signal;   /* TPTRACE_SNAPSHOT_SIGNAL */
	/* TPTRACE_COLLECTOR_THREADS: threads that collect; 0: as many as the workers want */
	uint32_t collector_threads;
};

#define OPTIONS_MAX_BYTES_LEAST (UINT64_C(256) << 10)
#define OPTIONS_COLLAPSE_NS UINT64_C(100000)
#define OPTIONS_COLLECTOR_THREADS_MAX 64u
#define OPTIONS_KEEP_LAST_BYTES (UINT64_C(64) << 20) /* TPTRACE_KEEP=last without a size */

/* Before the program, which may clear its environment: keeps the strings of our variables that are
 * there now. */
void options_note(char **env);
/* The variable's value, in the environment of now or of then; NULL if it is not set, or empty. */
const char *options_variable(const char *name) EXPORT_AS(options_variable);

/* Reads the environment; `say`: reports invalid values on stderr. */
void options_read(struct options *options, bool say);

/* TPTRACE_DISABLE=1: nothing is recorded, and nothing said of it. */
bool options_disabled(void);
/* That, or TPTRACE_VERBOSE=0: only what went wrong is said. */
bool options_quiet(void);

/* One line on stderr: the variable has that value, and what is wrong with it. */
void options_say_bad(const char *name, const char *value, const char *why)
	EXPORT_AS(options_say_bad);

/* Values of variables: false if they are none, or too large.  "64K", "1.5" no: digits and one of K,
 * M, G. */
bool options_bytes(const char *text, uint64_t *bytes);
bool options_ring_bytes(const char *text, uint64_t *bytes);
bool options_max_bytes(const char *text, uint64_t *bytes);
/* "2": a number of threads. */
bool options_collector_threads(const char *text, uint64_t *n);
/* "100us", or "off", which is 0. */
bool options_collapse(const char *text, uint64_t *ns);
/* "USR2", "SIGUSR2", "12": a signal that may be used. */
bool options_signal(const char *text, uint64_t *number);
