// SPDX-License-Identifier: MIT
// Arenas of several sizes and priorities: enqueue, execute, arenas within arenas, tasks of all.
#include "threads.hh"

int main()
{
	threads set;
	std::atomic<long> sum{ 0 };
	std::atomic<int> left{ 60 };
	tbb::task_arena one(1), two(2), many(n_threads() + 1, 1, tbb::task_arena::priority::high);
	tbb::task_arena low(2, 0, tbb::task_arena::priority::low);
	tbb::task_group groups[2];

	for (int i = 0; i < 20; i++) {
		low.enqueue([&] { sum++; left--; });
		two.enqueue([&] { sum += 10; left--; });
		many.enqueue([&] { sum += 100; left--; });
	}
	while (left)
		std::this_thread::yield();
	std::printf("enqueued %ld\n", sum.load());
	two.execute([&] { groups[0].run([&] { sum += 3; }); });
	many.execute([&] { groups[1].run([&] { sum += 4; }); });
	two.execute([&] { groups[0].wait(); });
	many.execute([&] { groups[1].wait(); });
	std::printf("groups %ld\n", sum.load());
	int n = many.execute([&] {
		return two.execute([&] {
			tbb::parallel_for(0, 100, [&](int i) { sum += i; });
			return one.execute([&] {
				tbb::parallel_for(0, 100, [&](int i) { sum += i; });
				return tbb::this_task_arena::max_concurrency();
			});
		});
	});
	std::printf("sum %ld in %d\n", sum.load(), n);
	try {
		many.execute([&] { throw 5; });
	} catch (int e) {
		std::printf("thrown %d\n", e);
	}
	tbb::task_arena attached(tbb::attach{});
	attached.execute([&] { tbb::parallel_for(0, 10, [&](int) { sum++; }); });
	std::printf("sum %ld\n", sum.load());
}
