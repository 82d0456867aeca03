/* SPDX-License-Identifier: MIT */
/* nest_resize.c, where libomp keeps the teams of three levels, with all threads that they had. */
// env: KMP_HOT_TEAMS_MAX_LEVEL=3 KMP_HOT_TEAMS_MODE=1
#include "nest_resize.c"
