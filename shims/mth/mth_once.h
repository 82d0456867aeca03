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
	struct frame frame;
};
extern __thread struct mth_once mth_once __attribute__((tls_model("initial-exec"))) CALL_HIDDEN;

void mth_once_run(void) CALL_HIDDEN MTH_BODY; /* mth_once.c */

#define MTH_ONCE(name)                                                                             \
	int name(void *once, void (*init)(void))                                                   \
	{                                                                                          \
		struct call *call = CALL(mth, name, NULL);                                         \
		struct worker *worker = call_worker(call);                                         \
		int ret;                                                                           \
                                                                                                   \
		if (!worker)                                                                       \
			return mth_of(call)->name(once, init);                                     \
		record_wait_for(worker, call->site, WIRE_WAIT_OBJECT, (uintptr_t)once);            \
		struct frame frame = frame_leave(worker);                                          \
                                                                                                   \
		mth_once = (struct mth_once){ init, once, frame };                                 \
		ret = mth_of(call)->name(once, mth_once_run);                                      \
		frame_return(&frame);                                                              \
		return ret;                                                                        \
	}
