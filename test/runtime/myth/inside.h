/* SPDX-License-Identifier: MIT */
/* inside.h - what the two files of the stand-in for MassiveThreads share. */
#pragma once

#include "test/runtime/ult.h"

#include <stdatomic.h>
#include "test/runtime/myth/myth/myth.h"

static inline bool is_past(const struct timespec *until)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec > until->tv_sec ||
	       (now.tv_sec == until->tv_sec && now.tv_nsec > until->tv_nsec);
}
