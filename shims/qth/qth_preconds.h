/* SPDX-License-Identifier: MIT */
/* qth_preconds.h - the words that a task waits for, as qthread_spawn() wants them. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include "shims/common/callsite.h"

/*
 * n, and the addresses of n words, which follow one by one, or, if n is negative, in an array of
 * -n.  NULL for none.  The library frees it with free(), as it does its own.
 */
void *qth_preconds(int n, va_list words) CALL_HIDDEN;
