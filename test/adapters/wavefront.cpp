// SPDX-License-Identifier: MIT
// wavefront.cpp - 16 x 16 blocks on Taskflow, each after the one above and the one to the left.
#include <tptrace_taskflow.hpp>

#include <cstdio>

enum { N = 16, RUNS = 2 };

static void spin()
{
	static thread_local volatile int sum;

	for (int i = 0; i < 20000; i++)
		sum = sum + 1;
}

int main()
{
	static tf::Task block[N][N];
	tf::Executor executor(2);
	tf::Taskflow flow;
	auto observer = executor.make_observer<tptrace::taskflow_observer>();

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			block[i][j] = flow.emplace(spin).name(i == j ? "diagonal" : "block");
			if (i)
				block[i - 1][j].precede(block[i][j]);
			if (j)
				block[i][j - 1].precede(block[i][j]);
		}
	observer->watch(flow);
	for (int run = 0; run < RUNS; run++)
		observer->run(executor, flow);
	std::puts("done");
	return 0;
}
