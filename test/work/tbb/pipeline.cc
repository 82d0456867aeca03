// SPDX-License-Identifier: MIT
// parallel_pipeline: a serial reader, two parallel filters, a serial writer in order.
#include <oneapi/tbb/parallel_pipeline.h>
#include "threads.hh"

static void run(tbb::filter_mode last)
{
	int next = 0;
	long sum = 0, before = -1, out_of_order = 0;

	tbb::parallel_pipeline(
		8,
		tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
					    [&](tbb::flow_control &flow) {
						    if (next == 300)
							    flow.stop();
						    return next++;
					    }) &
			tbb::make_filter<int, long>(tbb::filter_mode::parallel,
						    [](int i) { return (long)i * i; }) &
			tbb::make_filter<long, long>(tbb::filter_mode::parallel,
						     [](long i) { return i + 1; }) &
			tbb::make_filter<long, void>(last, [&](long i) {
				out_of_order += i < before;
				before = i;
				sum += i;
			}));
	std::printf("sum %ld", sum);
	if (last == tbb::filter_mode::serial_in_order)
		std::printf(" out of order %ld", out_of_order);
	std::printf("\n");
}

int main()
{
	in_arena([] {
		run(tbb::filter_mode::serial_in_order);
		run(tbb::filter_mode::serial_out_of_order);
	});
}
