/* SPDX-License-Identifier: MIT */
/* tbb_doors.c - the doors of oneTBB's functions. */
#include "shims/tbb/tbb.h"

DOOR_TABLE(tbb, TBB_FUNCTIONS(TBB_DOOR));
