/* SPDX-License-Identifier: MIT */
/* cilk_doors.c - the doors of Cilk's functions. */
#include "shims/cilk/cilk.h"

DOOR_TABLE(cilk, CILK_FUNCTIONS(CALL_DOOR));
