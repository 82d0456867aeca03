/* SPDX-License-Identifier: MIT */
/*
 * settled.h - whether all other threads of the process stand still, so that nothing more comes of
 * what was done until now.
 *
 * For virtual_queue.h: a task may leave only when the runtime has handed out all that it can.  No
 * runtime says when that is, but the kernel does: then its threads sleep.  A thread that sleeps is
 * woken by one that runs; so, if each thread was found asleep twice, and slept on in between (its
 * count of switches is the same), there was an instant at which all slept.
 *
 * A thread in the program's code, which sleeps for something else (a file, a timer), is waited for,
 * as it will come back; so is one in the recorder.  A thread that keeps the process from settling
 * for SETTLED_PATIENCE_NS is left out from then on, as long as it does the same: the answer is
 * SETTLED_NOT_SURE.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SETTLED_PATIENCE_NS UINT64_C(20000000000) /* a busy machine may be slow */
#define SETTLED_THREADS 4096u

enum settled { SETTLED_NO, SETTLED, SETTLED_NOT_SURE };

/* One caller at a time.  `waits` says of a thread whether it waits in the queue, and so does
 * nothing.  `since_ns` is when the caller began to ask (CLOCK_MONOTONIC). */
enum settled settled(bool (*waits)(uint32_t thread), uint64_t since_ns);

/* While the session begins: forgets what it knew of threads. */
void settled_forget(void);
