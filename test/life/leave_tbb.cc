/* SPDX-License-Identifier: MIT */
/* leave_tbb.cc - the tasks of leave.c, with oneTBB. */
#include <atomic>
#include <oneapi/tbb/task_group.h>

extern "C" void burst(void (*run)(void), std::atomic<long> *n_made)
{
	for (int i = 0; i < 1000; i++) {
		tbb::task_group group;

		for (int k = 0; k < 32; k++) {
			++*n_made;
			group.run(run);
		}
		group.wait();
	}
}
