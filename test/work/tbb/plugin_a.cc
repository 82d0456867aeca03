// SPDX-License-Identifier: MIT
// Tasks of a plugin: another one has other tasks at the same addresses.
// part-of: plugin.cc
#include <atomic>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

struct work_of_plugin_a {
	std::atomic<long> *sum;
	void operator()() const
	{
		*sum += 1;
	}
};

#define WORK work_of_plugin_a
#include "plugin_run.h"
