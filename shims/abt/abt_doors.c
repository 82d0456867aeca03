/* SPDX-License-Identifier: MIT */
/* abt_doors.c - the doors of Argobots' functions. */
#include "shims/abt/abt.h"

DOOR_TABLE(abt, ABT_FUNCTIONS(CALL_DOOR));
