// SPDX-License-Identifier: MIT
// A task_group for each call, a task for each of its halves.
#include <cstdio>
#include <oneapi/tbb/task_group.h>
#include "threads.hh"

static long fib(int n)
{
	long a, b;

	if (n < 2)
		return n;
	tbb::task_group group;
	group.run([&] { a = fib(n - 1); });
	group.run([&] { b = fib(n - 2); });
	group.wait();
	return a + b;
}

int main()
{
	in_arena([] { std::printf("fib %ld\n", fib(16)); });
	std::printf("tptrace-tasks %ld\n", 2 * 1596L); /* fib(17) - 1 calls have n >= 2 */
}
