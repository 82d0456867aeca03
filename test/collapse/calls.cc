// SPDX-License-Identifier: MIT
// calls.cc - fib(N) as task_group is mostly used: one half is a task, the other a call, which waits
// in turn.
#include <cstdio>
#include <cstdlib>

#include <oneapi/tbb/task_group.h>

static long fib(int n)
{
	long a, b;

	if (n < 2)
		return n;
	tbb::task_group group;
	group.run([&a, n] { a = fib(n - 1); });
	b = fib(n - 2);
	group.wait();
	return a + b;
}

int main(int argc, char **argv)
{
	std::printf("%ld\n", fib(argc > 1 ? std::atoi(argv[1]) : 22));
}
