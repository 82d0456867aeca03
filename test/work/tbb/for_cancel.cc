// SPDX-License-Identifier: MIT
// A context is cancelled from inside, and with it nested algorithms, but not isolated ones.
#include "threads.hh"

static void all()
{
	std::atomic<long> n{ 0 }, isolated{ 0 };

	for (int round = 0; round < 20; round++) {
		tbb::task_group_context context;

		tbb::parallel_for(
			0, 1000,
			[&](int i) {
				if (i == 10)
					context.cancel_group_execution();
				if (i < 5)
					tbb::parallel_for(0, 100, [&](int) { n++; });
				n++;
			},
			tbb::simple_partitioner(), context);
		if (!context.is_group_execution_cancelled())
			std::printf("round %d was not cancelled\n", round);
		tbb::task_group_context alone(tbb::task_group_context::isolated);
		tbb::parallel_for(0, 100, [&](int) { isolated++; }, alone);
	}
	std::printf("%s, isolated %ld\n", n < 20 * 1500 ? "less than all" : "all", isolated.load());
}

int main()
{
	in_arena(all);
}
