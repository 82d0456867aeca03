/* SPDX-License-Identifier: MIT */
/* fine.h - how many numbers fine.c and tbb_fine.cc add up, and how many a task. */
#pragma once

#include "spin.h"

#define NUMBERS 40000
#ifdef FIXED
#define GRAIN 1000
#else
#define GRAIN 1
#endif
