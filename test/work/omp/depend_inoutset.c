/* SPDX-License-Identifier: MIT */
/* depend inoutset: GOMP_task whose depend array holds {address, type 5} records. */
// needs: gcc13
#define SET inoutset
#define LAST inout
#define BESIDE
#include "depend_sets.h"
