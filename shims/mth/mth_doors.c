/* SPDX-License-Identifier: MIT */
/* mth_doors.c - the doors of MassiveThreads' functions. */
#include "shims/mth/mth.h"

DOOR_TABLE(mth, MTH_FUNCTIONS(CALL_DOOR));
