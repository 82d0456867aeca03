// SPDX-License-Identifier: MIT
// The number of threads is changed while the program runs.
#include "threads.hh"

using tbb::global_control;

int main()
{
	std::atomic<long> sum{ 0 };

	for (int n : { 1, n_threads(), 1, 3, n_threads() + 2 }) {
		global_control control(global_control::max_allowed_parallelism, (size_t)n);

		tbb::parallel_for(0, 200, [&](int i) { sum += i; });
		tbb::task_arena arena(n);
		arena.execute([&] { tbb::parallel_for(0, 200, [&](int i) { sum += i; }); });
		std::printf("%d: %ld\n", n, sum.load());
	}
	global_control stack(global_control::thread_stack_size, 1 << 20);
	tbb::parallel_for(0, 200, [&](int i) { sum += i; });
	std::printf("sum %ld\n", sum.load());
	tbb::task_scheduler_handle handle{ tbb::attach{} };
	tbb::parallel_for(0, 200, [&](int i) { sum += i; });
	std::printf("finalized %d\n", tbb::finalize(handle, std::nothrow));
}
