// SPDX-License-Identifier: MIT
/* threads.hh - runs a program on as many threads as TBB_THREADS says, cores or no cores. */
#pragma once

#include <cstdlib>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

static int n_threads()
{
	const char *text = std::getenv("TBB_THREADS");

	return text ? std::atoi(text) : 2;
}

struct threads {
	tbb::global_control control{ tbb::global_control::max_allowed_parallelism,
				     static_cast<size_t>(n_threads()) };
};

/* The default arena is no larger than the machine: this one is. */
template <typename F> static void in_arena(F f)
{
	threads set;
	tbb::task_arena arena(n_threads());

	arena.execute(f);
}
