/* SPDX-License-Identifier: MIT */
/* toy.h - a task runtime of 60 lines, to show how a shim is made for one: shims/HOWTO.md. */
#pragma once

struct toy_task;
typedef void (*toy_fn)(void *arg);

/* A task that calls fn(arg), on any thread, now or later.  To be waited for once. */
struct toy_task *toy_create(toy_fn fn, void *arg);

/* Waits until the task has ended, running others meanwhile, and frees it. */
void toy_wait(struct toy_task *task);

/* How many threads run tasks, the waiting one included: TOY_WORKERS, by default 4. */
int toy_workers(void);
