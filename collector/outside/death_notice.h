/* SPDX-License-Identifier: MIT */
/*
 * death_notice.h - lets the kernel notify a process of its collector's death.
 *
 * The session's `life` is entered in the robust list of the thread that serves it (set_robust_list
 * (2)): when that thread dies, the kernel sets SESSION_LIFE_DIED there, if its number is still in
 * it.  All that the kernel follows lies in the collector's own memory; of the session it touches
 * that word alone.  libc's list of the thread is replaced: it must lock no robust mutex.
 */
#pragma once

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct death_notice {
	struct robust_list_head head;
	struct robust_list entry;
	_Atomic uint32_t *life;
	uint32_t tid;
};

/* By the thread itself; stays in its place as long as the thread lives.  Where the kernel
 * has no robust lists, `life` stays 0. */
void death_notice_make(struct death_notice *notice, _Atomic uint32_t *life);

/* False if somebody else has taken the thread's place. */
bool death_notice_is_ours(const struct death_notice *notice);

/* The thread leaves: SESSION_LIFE_DONE, or SESSION_LIFE_DIED for somebody to take its place. */
void death_notice_end(struct death_notice *notice, uint32_t word);
