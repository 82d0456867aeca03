// SPDX-License-Identifier: MIT
// One context shared by groups and algorithms, nested and side by side.
#include "threads.hh"

static void all()
{
	std::atomic<long> sum{ 0 };
	tbb::task_group_context context;
	tbb::task_group a(context), b(context);

	for (int i = 0; i < 20; i++) {
		a.run([&] {
			tbb::parallel_for(0, 10, [&](int k) { sum += k; }, context);
		});
		b.run([&] {
			tbb::task_group inner(context);

			inner.run([&] { sum += 1; });
			inner.wait();
		});
	}
	b.wait();
	a.wait();
	tbb::parallel_for(0, 100, [&](int k) { sum += k; }, context);
	std::printf("sum %ld\n", sum.load());
}

int main()
{
	in_arena(all);
}
