// SPDX-License-Identifier: MIT
// plugin_run.h - what plugin.cc calls of a plugin: n tasks of its struct WORK, and their sum.
#pragma once

#ifdef __cplusplus
extern "C" long plugin_run(int n)
{
	std::atomic<long> sum{ 0 };
	tbb::task_group group;

	for (int i = 0; i < n; i++)
		group.run(WORK{ &sum });
	group.wait();
	return sum;
}
#endif
