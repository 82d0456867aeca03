/* SPDX-License-Identifier: MIT */
/* next.h - what stands behind a wrapper, of a library that has one instance. */
#pragma once

#include "shims/common/segment.h"

/*
 * The next symbol of that name, for a caller at `from`, whose library only its own module may see:
 * a plug-in's, say.  NULL if there is none.  Takes loader locks, and changes errno.
 */
void *next_for(const void *from, const char *symbol) CALL_HIDDEN;
