/* SPDX-License-Identifier: MIT */
/*
 * slow.h - lengthens the strands of chosen kinds of tasks, so that a prediction is checked by a
 *run.
 *
 * Off unless TPTRACE_SLOW names kinds, which `tptrace record --slow` writes.  Then every worker
 * is watched (probe.h), and no other code looks at any of this.
 * Before an event that ends a strand of such a kind is stored, the thread spins for (factor - 1) x
 * the time since the strand began; the event gets the time after that (worker->not_before), so that
 * the spin is the task's work.  A counter `slowed` (ns) says of each strand how long it was.
 *
 * Integers only: the program's floating-point state stays as it is.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/kinds.h"

#define SLOW_VARIABLE "TPTRACE_SLOW"
#define SLOW_COUNTER "slowed"

/* While the session begins, on its thread: reads the variable. */
void slow_open(struct session *session);
bool slow_on(void);
/* The variable as it was read; NULL: off. */
const char *slow_list(void);

/* A strand of that class ends that began at these ticks: spins, and sets worker->not_before.  How
 * long it spun, in ns. */
uint64_t slow_strand(struct worker *worker, kinds_class class, uint64_t began_ticks);
