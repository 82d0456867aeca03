/* SPDX-License-Identifier: MIT */
/*
 * slow.h - lengthens the strands of chosen kinds of tasks, so that a prediction is checked by a
 *run.
 *
 * Off unless TPTRACE_SLOW names kinds, which `tptrace record --slow` writes.  Then every worker
 * counts (counting.h): worker_make_room() sees every event, and no other code looks at any of this.
 * Before an event that ends a strand of such a kind is stored, the thread spins for (factor - 1) x
 * the time since the strand began; the event gets the time after that (worker->not_before), so that
 * the spin is the task's work.  A counter `slowed` (ns) says of each strand how long it was.
 *
 * The variable is a list, ` ` between entries:
 *
 *	KIND=MILLI@PLACE[|PLACE]..	KIND is for people; MILLI is the factor x 1000
 *	PLACE	root, or ID:f:OFFSET, or ID:r:OFFSET: the module by its build id in hex, or by its
 *		path; the function of its tasks, or where they are created if that is not known, in
 *		hex.  Bytes that would end a word are %XX
 *
 * A task's kind is that of the site that creates it; it is kept by the task's id, a byte each, and
 * by its name where runtimes have names.  Without memory for that a task is not slowed, and its
 * strands have no `slowed`: what was slowed is right all the same.
 *
 * Integers only: the program's floating-point state stays as it is.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/trace/events.h"

struct session;
struct session_site;
struct worker;

#define SLOW_VARIABLE "TPTRACE_SLOW"
#define SLOW_COUNTER "slowed"

/* The kind of a task, as far as it matters: 0, or 1 + its place in the list. */
typedef uint8_t slow_class;

/* While the session begins, on its thread: reads the variable. */
void slow_open(struct session *session);
bool slow_on(void);
/* The variable as it was read; NULL: off. */
const char *slow_list(void);

/* A site is made, with the session's lock: finds its class. */
void slow_site(const struct session *session, uint32_t site);

/* An event of the worker's: keeps the classes of the tasks that it makes and names.  The class of
 * the strand that runs after it; only of an event that begins one. */
slow_class slow_event(const struct worker *worker, enum wire_kind kind, uint64_t b);

/* A strand of that class ends that began at these ticks: spins, and sets worker->not_before.  How
 * long it spun, in ns. */
uint64_t slow_strand(struct worker *worker, slow_class class, uint64_t began_ticks);
