/* SPDX-License-Identifier: MIT */
/* tbb_serial.cc - sorts a table before its tasks can begin.  FIXED: in tasks, too. */
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

#include "spin.h"

#define PARTS 60

static void tasks(tbb::task_group &group)
{
	for (int i = 0; i < PARTS; i++)
		group.run([] { spin_us(3000); });
}

int main()
{
	tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
	tbb::task_group group;

	group.run_and_wait([] { spin_us(1000); });
#ifdef FIXED
	tasks(group);
	group.wait();
#else
	spin_us(PARTS * 3000);
#endif
	tasks(group);
	group.wait();
	return 0;
}
