// SPDX-License-Identifier: MIT
// A group is cancelled while its tasks are pending: those that have not begun never do.
#include "threads.hh"

static void all()
{
	std::atomic<long> n{ 0 };
	tbb::task_group group;

	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 200; i++)
			group.run([&, i] {
				if (i == 150) /* the last are taken first */
					group.cancel();
				n++;
			});
		if (group.wait() != tbb::canceled)
			std::printf("round %d was not cancelled\n", round);
	}
	std::printf("%s\n", n < 20 * 200 ? "some never ran" : "all ran");
	std::printf("after %d\n", group.run_and_wait([] {}));

	tbb::task_group other;

	other.cancel();
	for (int i = 0; i < 10; i++)
		other.run([&] { std::printf("never\n"); });
	std::printf("cancelled before %d\n", other.wait() == tbb::canceled);
}

int main()
{
	in_arena(all);
	std::printf("tptrace-tasks %d\n", 20 * 200 + 1 + 10);
}
