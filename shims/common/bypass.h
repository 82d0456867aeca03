/* SPDX-License-Identifier: MIT */
/* bypass.h - libraries whose calls of a runtime do not come by the shims. */
#pragma once

#include <dlfcn.h>
#include "shims/common/segment.h"

/* Looks at all that is loaded, if a library was loaded with RTLD_DEEPBIND that could not be seen
 * to.  Before code is unloaded, and at exit; not in a handler. */
void bypass_look_again(void) CALL_HIDDEN;

/* What dlopen() and dlmopen() do where a library may bypass us; NULL: they are to call libc's.
 * `from` is their caller. */
void *bypass_load(const char *name, int flags, const void *from) CALL_HIDDEN;
void *bypass_load_into(Lmid_t space, const char *name, int flags, const void *from) CALL_HIDDEN;
