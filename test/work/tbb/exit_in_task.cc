// SPDX-License-Identifier: MIT
// exit() in a task, while others run and are pending.
// status: 7
#include "threads.hh"

int main()
{
	static tbb::task_group group; /* never destroyed while tasks are left: that would abort */
	threads set;

	for (int i = 0; i < 50; i++)
		group.run([i] {
			if (i == 25) {
				std::printf("bye\n");
				std::fflush(stdout);
				std::_Exit(7);
			}
		});
	group.wait();
}
