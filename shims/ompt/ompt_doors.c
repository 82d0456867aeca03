/* SPDX-License-Identifier: MIT */
/* ompt_doors.c - the doors of libomp's functions. */
#include "shims/ompt/ompt_kmpc.h"

DOOR_TABLE(kmpc, KMPC_FUNCTIONS(CALL_DOOR));
