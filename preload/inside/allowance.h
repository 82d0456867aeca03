/* SPDX-License-Identifier: MIT */
/*
 * allowance.h - what session and collector may take of a limited memory (preload/budget.h).
 *
 * For the thread that starts the session, before there is a collector.  These functions say in a
 * line what leaves too little; then nothing is recorded.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct session;

/* Whether a session, a ring and `more` bytes of the process's own fit into what its limits leave.
 */
bool allowance_has(const struct session *session, size_t more);

/* Whether threads of a collector inside leave enough for the program's (process_limit.h). */
bool allowance_has_threads(const struct session *session);

/*
 * Takes the memory that session and collector need, wherever that is: a container's limit counts
 * both.  Where there is one, the collector keeps fewer pending events of each worker, and the
 * flight recorder keeps less: the session's pending_slots, flight_bytes and options.max_bytes say
 * how much.
 */
bool allowance_take(struct session *session);
