/* SPDX-License-Identifier: MIT */
/* lock_names.h - what reports call a lock, and a wait. */
#pragma once

#include <stddef.h>
#include "tools/analysis/locks.h"
#include "tools/run/sites.h"

/* "lock", "mutex", "bit", .. */
const char *lock_what(const struct lock *lock);
/*
 * "critical(histogram)", "mutex guard", "lock 0x7f00" if no variable is known there,
 * "lock (12 more)".  Returns out.
 */
char *lock_name(char *out, size_t room, const struct sites *sites, const struct lock *lock);

/* What is waited for: "lock", "mutex", "taskwait", ... */
const char *wait_name(uint8_t what);
