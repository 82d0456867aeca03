/* SPDX-License-Identifier: MIT */
/* healthy_tbb.cc loop|sort|pipeline - programs that need nothing but more CPUs. */
#include <string>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_sort.h>
#include <vector>

#include "spin.h"

static void loop()
{
	tbb::parallel_for(
		0, 200, [](int) { spin_us(1000); }, tbb::simple_partitioner());
}

static void sort()
{
	std::vector<unsigned> keys(1000000);
	unsigned seed = 1;

	for (auto &key : keys)
		key = seed = seed * 1103515245 + 12345;
	tbb::parallel_sort(keys);
}

static void pipeline()
{
	int read = 0, written = 0;

	tbb::parallel_pipeline(
		8, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
					       [&](tbb::flow_control &end) {
						       if (read == 200)
							       end.stop();
						       return read++;
					       }) &
			   tbb::make_filter<int, int>(tbb::filter_mode::parallel,
						      [](int n) {
							      spin_us(1000);
							      return n;
						      }) &
			   tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order,
						       [&](int n) { written += n; }));
}

int main(int argc, char **argv)
{
	const std::string name = argc == 2 ? argv[1] : "";

	if (name != "loop" && name != "sort" && name != "pipeline")
		return 2;
	name == "loop" ? loop() : name == "sort" ? sort() : pipeline();
	return 0;
}
