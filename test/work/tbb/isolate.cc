// SPDX-License-Identifier: MIT
// Isolated regions: who waits in one takes no tasks of others.
#include "threads.hh"

static void all()
{
	std::atomic<long> sum{ 0 }, mixed{ 0 };

	tbb::parallel_for(0, 50, [&](int) {
		static thread_local int inside;

		mixed += inside;
		inside++;
		int n = tbb::this_task_arena::isolate([&] {
			tbb::parallel_for(0, 50, [&](int k) { sum += k; });
			return 1;
		});
		inside -= n;
	});
	std::printf("sum %ld mixed %ld\n", sum.load(), mixed.load());
	try {
		tbb::this_task_arena::isolate([] {
			tbb::parallel_for(0, 10, [](int i) {
				if (i == 5)
					throw i;
			});
		});
	} catch (int i) {
		std::printf("thrown %d\n", i);
	}
}

int main()
{
	in_arena(all);
}
