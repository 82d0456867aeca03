// SPDX-License-Identifier: MIT
// deep.cc N - deep.c on oneTBB.
#include <cstdlib>
#include <iostream>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

static void chain(int n)
{
	if (!n)
		return;
	tbb::task_group group;
	group.run([=] { chain(n - 1); });
	group.wait();
}

int main(int argc, char **argv)
{
	tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);

	chain(argc > 1 ? atoi(argv[1]) : 1000);
	std::cout << "done\n";
}
