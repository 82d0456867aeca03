/* SPDX-License-Identifier: MIT */
/*
 * virtual.h - the recording of a run in virtual time: the runtime schedules, tasks do nothing.
 *
 * Off unless TPTRACE_VIRTUAL names a file (collector/session/virtual_file.h), which `tptrace record
 * --virtual` writes.  Then shims put an empty function in the place of each task's
 * (record_virtual()), and every worker is watched (probe.h): worker_make_room() sees every event,
 * and no other code looks at any of this.
 *
 *	an event that ends a strand	the thread passes the time that strands of its kind take
 *	one that begins a strand	what the runtime takes before such a strand
 *
 * Both are drawn; to pass time is to wait in virtual_queue.h.  Events have virtual time: ns, from
 * when the session began.  The code of other tasks (main(), implicit tasks), which creates, runs,
 * but takes the time that is drawn.  A draw depends on the seed, the task's id and how many strands
 * it had; so two runs that create alike draw alike.
 *
 * Integers only: the program's floating-point state stays as it is.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/trace/events.h"

struct session;
struct worker;

/* While the session begins, on its thread: reads the variable and its file. */
void virtual_open(struct session *session);
bool virtual_on(void);
/* What the trace says of it, `meta virtual`; NULL: off. */
const char *virtual_said(void);

/* An event of the worker's is about to be stored: passes time.  Sets worker->not_before. */
void virtual_event(struct worker *worker, enum wire_kind kind, uint64_t b);
