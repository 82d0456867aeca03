// SPDX-License-Identifier: MIT
// oneTBB's containers and locks alone.
#include <cstdio>
#include <oneapi/tbb/concurrent_vector.h>
#include <oneapi/tbb/queuing_mutex.h>

int main()
{
	tbb::concurrent_vector<int> v;
	tbb::queuing_mutex mutex;

	for (int i = 0; i < 1000; i++) {
		tbb::queuing_mutex::scoped_lock lock(mutex);
		v.push_back(i);
	}
	std::printf("%zu\n", v.size());
}
