// SPDX-License-Identifier: MIT
// deep.cc N - deep.c on oneTBB.  -DNEST_INVOKE .. say how.
#include <cstdlib>
#include <iostream>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>

static void chain(int n)
{
	if (!n)
		return;
#ifdef NEST_INVOKE
	tbb::parallel_invoke([] {}, [=] { chain(n - 1); });
#elif defined(NEST_FOR)
	tbb::parallel_for(0, 2, [=](int i) { i ? chain(n - 1) : void(); });
#else
	tbb::task_group group;
	group.run([=] { chain(n - 1); });
	group.wait();
#endif
}

int main(int argc, char **argv)
{
	tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);

	chain(argc > 1 ? atoi(argv[1]) : 1000);
	std::cout << "done\n";
}
