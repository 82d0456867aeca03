/* SPDX-License-Identifier: MIT */
/*
 * mth_wrap.h - what the rows of mth_functions.h make.  MassiveThreads' own functions and
 * those that a linker puts in the place of pthread's (mth_wait.c) have the same wrappers as those
 * that are there without (mthdl.c).
 */
#pragma once

#include "shims/mth/mth.h"

#define WRAP_MTH(after, ...)                                                                       \
	WRAP_ROW(mth, callsite_worker(callsite), stay_leave(worker), after, __VA_ARGS__)
#define WAITS(...) WRAP_MTH(stay_return(&stay), __VA_ARGS__)

/* ---- threads ---- */

#define CREATES(result, name, n, detached)                                                         \
	result name(WORDS(n))                                                                      \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(mth, name, a3);                               \
		struct worker *worker = callsite_worker(callsite);                                 \
		struct birth *birth = worker ? birth_new(worker) : NULL;                           \
                                                                                                   \
		if (!birth)                                                                        \
			return mth_of(callsite)->name(NAMES(n));                                   \
		struct stay stay = mth_create(worker, callsite, birth, (void *)a4);                \
		bool unnamed = (detached); /* its handle may be another's by now */                \
		int err = (int)mth_of(callsite)->name(a1, a2, (uintptr_t)birth_run,                \
						      (uintptr_t)birth);                           \
                                                                                                   \
		mth_created(callsite, stay, err || unnamed ? NULL : *(void **)a1);                 \
		if (err)                                                                           \
			mth_not_created(birth);                                                    \
		return (uintptr_t)err;                                                             \
	}

/* A create call that failed: the task is discarded. */
static inline void mth_not_created(struct birth *birth)
{
	struct worker *worker = record_worker();

	if (!worker)
		return;
	record_detail(worker, WIRE_DISCARD, birth->id);
	birth_free(worker, birth);
}

/* It does not block, and stays on its thread. */
#define TRIES_JOIN(result, name, n)                                                                \
	WRAP_ROW(mth, callsite_worker(callsite), stay_keep(worker),                                \
		 (wrap_tried((int)returned), stay_resume(&stay)), result, name, n,                 \
		 WAIT_FOR(NAMED, a1))

/* Does not return, and so not through birth_run(). */
#define EXITS(result, name, n)                                                                     \
	result name(WORDS(n))                                                                      \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(mth, name, NULL);                             \
		struct worker *worker = callsite_worker(callsite);                                 \
                                                                                                   \
		if (worker && worker->task)                                                        \
			record_end(worker, 0);                                                     \
		mth_of(callsite)->name(NAMES(n));                                                  \
		__builtin_unreachable();                                                           \
	}

/* ---- locks and conditions ---- */

#define AWAITS(...)                                                                                \
	WRAP_MTH((stay_return(&stay), wrap_held_again(callsite, a2)), __VA_ARGS__, wrap_wait_cond, \
		 a1, a2)
#define LOCKS(...) WRAP_MTH((clock_fence(), stay_return(&stay)), __VA_ARGS__)

/* Who fails goes on as if there had been no call, since many call it in a loop. */
#define TRIES(result, name, n)                                                                     \
	result name(WORDS(n))                                                                      \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(mth, name, NULL);                             \
		struct worker *worker = callsite_worker(callsite);                                 \
		int error = (int)mth_of(callsite)->name(NAMES(n));                                 \
                                                                                                   \
		if (worker && worker->task && error == 0)                                          \
			wrap_held(worker, callsite, a1);                                           \
		return (uintptr_t)error;                                                           \
	}

/* The first caller runs `init` at once, on the same thread; the others wait. */
#define ONCE(result, name, n)                                                                      \
	result name(WORDS(n))                                                                      \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(mth, name, NULL);                             \
		struct worker *worker = callsite_worker(callsite);                                 \
		uintptr_t returned;                                                                \
                                                                                                   \
		if (!worker)                                                                       \
			return mth_of(callsite)->name(NAMES(n));                                   \
		record_wait_for(worker, callsite->site, WIRE_WAIT_OBJECT, a1);                     \
		struct stay stay = stay_leave(worker);                                             \
                                                                                                   \
		mth_once = (struct mth_once){ (void (*)(void))a2, (void *)a1, stay };              \
		returned = mth_of(callsite)->name(a1, (uintptr_t)mth_once_run);                    \
		stay_return(&stay);                                                                \
		return returned;                                                                   \
	}
