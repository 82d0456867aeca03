/* SPDX-License-Identifier: MIT */
/*
 * record_define.h - what a shim tells the recorder besides events: runtimes, sites, and what all of
 * a run has.  Off the hot path, from any thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/session/exported.h"

/* Whether anything is recorded in this process; starts the session if it is off. */
bool record_on(void) EXPORT_AS(record_on);

/* Makes a runtime known, e.g. "libgomp", "GOMP_5.1"; the strings are copied.  Its number. */
uint32_t record_runtime(const char *name, const char *version) EXPORT_AS(record_runtime);

/* A blind spot of this runtime that affects the figures, as a sentence for the report.  It must
 * stay where it is. */
void record_runtime_note(uint32_t runtime, const char *note) EXPORT_AS(record_runtime_note);

/* Likewise: what of it waits for others, in this run, and gets no edge from them: the span is too
 * short, and what is simulated. */
void record_runtime_unlinked(uint32_t runtime, const char *what) EXPORT_AS(record_runtime_unlinked);

/* So many items may be in a pipeline of this runtime at once; the fewest count. */
void record_runtime_tokens(uint32_t runtime, uint32_t n) EXPORT_AS(record_runtime_tokens);

/* A call of a runtime that stopped to tell of its tasks: it is counted as lost. */
void record_lost_call(void) EXPORT_AS(record_lost_call);

/* The runtime has this many workers now; the largest number told counts. */
void record_runtime_workers(uint32_t runtime, uint32_t n_workers) EXPORT_AS(record_runtime_workers);

/*
 * Tries out what recording takes for a strand of this runtime (trial.h).  make() makes tasks: with
 * `recorded` by calls of the shim's wrappers, which record n_strands strands of the calling thread
 * and call stand-ins for the runtime; else by the same calls of the stand-ins.  n_shared of these
 * strands begin with the reading of the clock that ended the one before.
 */
void record_trial(uint32_t runtime, void (*make)(bool recorded), uint32_t n_strands,
		  uint32_t n_shared) EXPORT_AS(record_trial);

/* A final task is about to be created: the tasks below it are undeferred, though nothing says so.
 */
void record_final(void) EXPORT_AS(record_final);

/*
 * The calling thread has joined that pthread_t.  If it has no worker yet, and the other had one, it
 * gets a root from here on, as a thread that is no worker until it runs tasks: it makes threads,
 * and waits for them.
 */
void record_joined(uint64_t thread) EXPORT_AS(record_joined);

/*
 * The calling thread makes another one; the call returns there.  If it is the main thread, nothing
 * is recorded yet, and no runtime calls: where to put its pthread_t then.  If something is recorded
 * later, the root that the main thread gets by record_main() or a task makes that thread.  Or NULL.
 */
uint64_t *record_early(uintptr_t return_address) EXPORT_AS(record_early);

/*
 * The calling thread makes another one, or may wait for it; the call returns there.  If it is the
 * main thread, in no task, and a session is on, it gets a root in the same way, unless a runtime
 * calls: that worker, or NULL.  If there was a record_early(), the root began at record_since().
 */
struct worker *record_main(uintptr_t return_address) EXPORT_AS(record_main);

/* When the session's first worker came, or the recording was started after that. */
uint64_t record_since(void) EXPORT_AS(record_since);

/* The calling thread gets a root in the same way, if it has no worker: that worker, or NULL. */
struct worker *record_beside(void) EXPORT_AS(record_beside);

/* tptrace.h, what the program itself says; `what` is enum tptrace_what. */
void control_call(int what, const char *name) EXPORT_AS(control);

/* Whether a probe rules time: the code of tasks is not to run.  Starts the session if it is off. */
bool record_virtual(void) EXPORT_AS(record_virtual);

/* A place that calls a runtime, and the code that it hands over (0 for none).  Its number. */
uint32_t record_site(uint32_t runtime, uintptr_t return_address, uintptr_t function)
	EXPORT_AS(record_site);

/*
 * The same for a runtime that has names for its code (a codelet's, a C++ type's as typeid() spells
 * it); the string is copied.
 */
uint32_t record_site_named(uint32_t runtime, uintptr_t return_address, uintptr_t function,
			   const char *name) EXPORT_AS(record_site_named);

/* The same, with the file and line of the code; NULL and 0: as of the function. */
uint32_t record_site_placed(uint32_t runtime, uintptr_t return_address, uintptr_t function,
			    const char *name, const char *file, uint32_t line)
	EXPORT_AS(record_site_placed);
