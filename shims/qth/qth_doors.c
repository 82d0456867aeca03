/* SPDX-License-Identifier: MIT */
/* qth_doors.c - the doors of Qthreads' functions. */
#include "shims/qth/qth.h"

DOOR_TABLE(qth, QTH_FUNCTIONS(CALL_DOOR));
