/* SPDX-License-Identifier: MIT */
/* gomp_doors.c - the doors of libgomp's functions. */
#include "shims/gomp/gomp.h"

DOOR_TABLE(gomp, GOMP_FUNCTIONS(CALL_DOOR));
