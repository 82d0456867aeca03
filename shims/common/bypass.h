/* SPDX-License-Identifier: MIT */
/* bypass.h - libraries whose calls of a runtime do not come by the shims. */
#pragma once

#include "shims/common/segment.h"

/* Looks at all that is loaded, if a library was loaded with RTLD_DEEPBIND that could not be seen
 * to.  Before code is unloaded, and at exit; not in a handler. */
void bypass_look_again(void) CALL_HIDDEN;
