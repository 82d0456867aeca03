/* SPDX-License-Identifier: MIT */
/* starpu_doors.c - the doors of StarPU's functions. */
#include "shims/starpu/starpu.h"

DOOR_TABLE(starpu, STARPU_FUNCTIONS(CALL_DOOR));
