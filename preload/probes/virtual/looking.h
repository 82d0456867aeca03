/* SPDX-License-Identifier: MIT */
/*
 * looking.h - in virtual time: threads of a runtime that look for a task again and again, and never
 * sleep.
 *
 * To settled.h such a thread always runs.  So whoever sees such a thread look tells each time that
 * it found nothing (interposed.c).  After as many looks as surely find a task, if there is one, the
 * thread rests here: for this time, it has nothing to do.  When there may be something new,
 * looking_stir() sends all to look again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/session/exported.h"

/* While the session begins: no thread looks. */
void looking_forget(void);

/* Something may be there to be found.  Any thread. */
void looking_stir(void);

/* Whether the thread rests: it found nothing since the last stir. */
bool looking_rests(uint32_t thread);
/*
 * Likewise of one that tells nothing, while it is in its runtime: it ran there for LOOKING_SPIN_NS
 * of its own CPU time since the last stir.  That is a hundred times what a runtime takes between
 * two events that are seen.  But a thread's first ones took 0.5 ms on a busy machine, and a host
 * that takes the CPU away counts as CPU time: one that told before, and so will, has to run longer.
 */
#define LOOKING_SPIN_NS UINT64_C(300000)
#define LOOKING_TELLER_NS UINT64_C(50000000)
bool looking_spins(uint32_t thread);
/* Whether any thread of the process ever looked. */
bool looking_any(void);

/*
 * The calling thread, in its runtime and holding none of its locks, has looked for a task, and
 * found none.  `random`: it looked at one other thread's tasks only.  Returns when it is to look
 * again.
 */
void looking_found_nothing(bool random);
