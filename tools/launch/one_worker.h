/* SPDX-License-Identifier: MIT */
/*
 * one_worker.h - has a program run with one worker: what `record --baseline` compares with.
 *
 * Each runtime has a variable for that, but oneTBB, which makes as many workers as its CPUs are.  A
 * program that asks for more workers by itself has them take turns on the one CPU, which shows as
 * well what its tasks take alone.
 */
#pragma once

#define ONE_WORKER_VARIABLE "TPTRACE_BASELINE"

/* Sets the variables of this process.  0 or -errno. */
int one_worker_set(void);
/* Leaves this process, if one_worker_set() was called for it, one of its CPUs; right before it
 * becomes the program. */
void one_worker_pin(void);
