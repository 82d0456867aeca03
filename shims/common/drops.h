/* SPDX-License-Identifier: MIT */
/*
 * drops.h - whether a caller drops the arguments that it has on the stack: then their place is the
 * callee's, whatever they are.
 *
 * Where a call returns, compilers add a number to the stack pointer, some instructions later.  If
 * none of those before looks at the arguments, nobody will.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "shims/common/segment.h"

/*
 * Whether at least so many bytes above the return address are not looked at again.  False, too, of
 * code that is not understood.  From any thread; reads the code there, and no further than it goes.
 */
bool drops_arguments(const void *return_address, int32_t bytes) CALL_HIDDEN;
