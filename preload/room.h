/* SPDX-License-Identifier: MIT */
/*
 * room.h - how much of a limited address space (RLIMIT_AS) the recorder may take: half of what the
 * program had left when it was asked first.  A program that is short of memory is to run as it
 * would alone; better that nothing is recorded.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether that many bytes more may be mapped.  Off the hot path; by one thread at a time. */
bool room_for(size_t bytes);

/* The limit, or what is left, is another one: asked afresh. */
void room_forget(void);
