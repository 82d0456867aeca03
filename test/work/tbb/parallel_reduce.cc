// SPDX-License-Identifier: MIT
// parallel_reduce and parallel_deterministic_reduce, of functors and bodies; parallel_scan.
#include <functional>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include "threads.hh"

using range = tbb::blocked_range<int>;

struct body {
	long sum = 0;
	body() = default;
	body(body &, tbb::split)
	{
	}
	void operator()(const range &r)
	{
		for (int i = r.begin(); i != r.end(); i++)
			sum += i;
	}
	void join(body &right)
	{
		sum += right.sum;
	}
};

static float harmonic(const range &r, float sum)
{
	for (int i = r.begin(); i != r.end(); i++)
		sum += 1.0f / (float)(i + 1);
	return sum;
}

static void all()
{
	tbb::affinity_partitioner affinity;
	body one, two;
	float once = 0;
	std::vector<long> in(5000), out(5000);

	tbb::parallel_reduce(range(0, 10000), one);
	tbb::parallel_reduce(range(0, 10000, 100), two, tbb::simple_partitioner());
	std::printf("%ld %ld\n", one.sum, two.sum);
	for (int i = 0; i < 5; i++) {
		float sum = tbb::parallel_deterministic_reduce(range(0, 10000, 100), 0.0f, harmonic,
							       std::plus<float>());

		if (i && sum != once)
			std::printf("not deterministic\n");
		once = sum;
	}
	std::printf("%.6f\n", (double)once);
	long n = tbb::parallel_reduce(
		range(0, 3000), 0L,
		[](const range &r, long sum) { return sum + (long)r.size(); }, std::plus<long>(),
		affinity);
	std::printf("%ld\n", n);
	for (int i = 0; i < 5000; i++)
		in[i] = i % 7;
	long total = tbb::parallel_scan(
		range(0, 5000, 50), 0L,
		[&](const range &r, long sum, bool last) {
			for (int i = r.begin(); i != r.end(); i++) {
				sum += in[i];
				if (last)
					out[i] = sum;
			}
			return sum;
		},
		std::plus<long>());
	std::printf("scan %ld %ld %ld\n", total, out[2500], out[4999]);
}

int main()
{
	in_arena(all);
}
