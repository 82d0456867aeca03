// SPDX-License-Identifier: MIT
/* dags_tbb.hh - two workers, cores or no cores. */
#pragma once

#include <oneapi/tbb/global_control.h>

struct workers {
	tbb::global_control control{ tbb::global_control::max_allowed_parallelism, 2 };
};
