// SPDX-License-Identifier: MIT
// A task for each queen that can be placed; one of them is run by the parent itself.
#include <atomic>
#include <cstdio>
#include <oneapi/tbb/task_group.h>
#include "threads.hh"

static std::atomic<long> solutions, placed;

static void place(int n, unsigned columns, unsigned left, unsigned right, int row)
{
	unsigned free = ~(columns | left | right) & ((1u << n) - 1);
	tbb::task_group group;

	if (row == n) {
		solutions++;
		return;
	}
	while (free) {
		unsigned bit = free & -free;
		auto next = [=] {
			place(n, columns | bit, (left | bit) << 1, (right | bit) >> 1, row + 1);
		};

		free ^= bit;
		placed++;
		if (free)
			group.run(next);
		else
			group.run_and_wait(next);
	}
	group.wait();
}

int main()
{
	in_arena([] { place(7, 0, 0, 0, 0); });
	std::printf("solutions %ld placed %ld\n", solutions.load(), placed.load());
	std::printf("tptrace-tasks %ld\n", placed.load());
}
