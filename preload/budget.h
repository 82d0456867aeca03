/* SPDX-License-Identifier: MIT */
/*
 * budget.h - how much memory the recorder may take where the program's is limited.
 *
 * Three limits count: those of the process on address space (RLIMIT_AS) and on data (RLIMIT_DATA),
 * and those of the memory cgroups.  Half of the memory that each left at the first look is reserved
 * for the program: a program that is short of memory runs as it would alone, and less is recorded,
 * or nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/session/exported.h"

#define BUDGET_NO_LIMIT UINT64_MAX

/* Whether that many bytes more may be mapped.  Off the hot path; any thread. */
bool budget_allows(size_t bytes);

/* The same of memory that no other process shares, which counts as data. */
bool budget_allows_own(size_t bytes);

/* What memory is for: that without which a thread is not recorded, or that which makes it faster,
 * in all a part of it, so that later threads find some. */
enum budget_use { BUDGET_NEEDED, BUDGET_MORE };

/* Takes memory that will be written to, for good.  False if it is not there.  Off the hot path; any
 * thread; needs little stack. */
bool budget_take(size_t bytes, enum budget_use use);

/* Bytes that may still be taken, or BUDGET_NO_LIMIT.  Likewise; first by one thread alone. */
uint64_t budget_left(void);

/* Zeroed memory of this process alone, which nothing counts; NULL if that fails, and errno is kept.
 */
void *map_zeroed(size_t bytes) EXPORT_AS(map_zeroed);

/* Whether files may be opened now, to ask what is in use; where not, the last answers hold. */
void budget_give(bool (*may_open)(void));

/* The limits, or what they leave, have changed: looks afresh. */
void budget_forget(void);
