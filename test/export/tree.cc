/* SPDX-License-Identifier: MIT */
/* tree.cc - a tree of tasks of oneTBB, to be exported. */
#include <cstdio>
#include <cstdlib>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

static int fib(int n)
{
	int a, b;
	tbb::task_group group;

	if (n < 2)
		return n;
	group.run([&] { a = fib(n - 1); });
	group.run([&] { b = fib(n - 2); });
	group.wait();
	return a + b;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, result = 0;
	tbb::task_arena arena(2);

	arena.execute([&] {
		result = fib(n);
		tbb::parallel_for(0, 64, [](int) {});
	});
	printf("%d\n", result);
	return 0;
}
