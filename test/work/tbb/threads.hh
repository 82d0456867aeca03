// SPDX-License-Identifier: MIT
/*
 * threads.hh - runs a program on as many threads as TBB_THREADS says, cores or no cores; and has
 * what most programs include: corpus.py compiles it once, as that takes longer than they do.
 */
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <thread>
#include <vector>

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
