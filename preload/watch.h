/* SPDX-License-Identifier: MIT */
/*
 * watch.h - whether the session's collector gets on, has stalled, or is dead.
 *
 * A collector outside has left a death notice with the kernel (collector/outside/death_notice.h):
 * when its thread dies, however that comes, SESSION_LIFE_DIED is set in `life`.  Where there is no
 * such word (seccomp, an old kernel in want of memory), a `beat` that has stalled makes a worker
 * ask for the process by its number.  Whoever is alive and does not move is waited for, but not for
 * ever.
 *
 * Any thread, off the hot path, with next to no stack; errno is kept.
 */
#pragma once

#include <stdbool.h>
#include "collector/session/layout.h"

enum watch {
	WATCH_WELL,    /* it moves, or has not stood still for long */
	WATCH_STALLED, /* it has not moved for WATCH_PATIENCE_NS, and does not yet */
	WATCH_DEAD,    /* it will never take anything again: `succeed` of collector.h */
};

#define WATCH_PATIENCE_NS 10000000000u

/* One load. */
static inline bool watch_died(const struct session *session)
{
	return atomic_load_explicit(&session->life, memory_order_relaxed) & SESSION_LIFE_DIED;
}

/* Whether it is dead, for who asks once. */
bool watch_gone(const struct session *session);

/* The whole look; reads the clock, and may ask the kernel. */
enum watch watch_collector(struct session *session);
