/* SPDX-License-Identifier: MIT */
/* depend mutexinoutset: GOMP_task with the new depend array, where sums need no atomics. */
#define SET mutexinoutset
#define LAST out
#include "depend_sets.h"
