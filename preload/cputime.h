/* SPDX-License-Identifier: MIT */
/*
 * cputime.h - the CPU time of this process's threads, by the clocks that the kernel keeps of them.
 *
 * Off the hot path: a thread reads its clock when it gets a worker and when it leaves it; who ends
 * the process reads those of all.  Bare system calls, which keep errno.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct session;
struct worker;

/* This thread has the worker from now on; is about to leave it.  False if many come in a short
 * time, so that what each costs counts. */
bool cputime_come(struct worker *worker);
void cputime_leave(struct worker *worker);

/* The process is about to end: notes the sums of all workers, for a collector outside. */
void cputime_note_all(const struct session *session);
