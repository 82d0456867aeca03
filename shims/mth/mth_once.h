/* SPDX-License-Identifier: MIT */
/*
 * mth_once.h - myth_once() and its other names.
 *
 * The first caller runs `init` at once, on the same thread; the others wait.
 */
#pragma once

#include "shims/mth/mth.h"

struct mth_once {
	void (*init)(void);
	void *once;
	struct stay stay;
};
extern __thread struct mth_once mth_once __attribute__((tls_model("initial-exec"))) CALL_HIDDEN;

void mth_once_run(void) CALL_HIDDEN CALLSITE_BODY; /* mth_once.c */

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
