// SPDX-License-Identifier: MIT
// Tasks suspend themselves and are resumed by threads of the program, by other tasks, or at once.
#include <condition_variable>
#include <mutex>
#include <queue>
#include <oneapi/tbb/task.h>
#include "threads.hh"

static std::mutex lock;
static std::condition_variable more;
static std::queue<tbb::task::suspend_point> points;
static bool done;

static void resumer()
{
	std::unique_lock<std::mutex> held(lock);

	for (;;) {
		more.wait(held, [] { return done || !points.empty(); });
		if (points.empty())
			return;
		tbb::task::suspend_point point = points.front();
		points.pop();
		held.unlock();
		tbb::task::resume(point);
		held.lock();
	}
}

static void suspend()
{
	tbb::task::suspend([](tbb::task::suspend_point point) {
		std::lock_guard<std::mutex> held(lock);
		points.push(point);
		more.notify_one();
	});
}

static void all()
{
	std::thread outside(resumer);
	std::atomic<long> sum{ 0 };
	tbb::task_group group;

	for (int i = 0; i < 100; i++)
		group.run([&sum, &group, i] {
			tbb::task_group inner;

			if (i % 3 == 0)
				suspend();
			inner.run([&] {
				suspend();
				sum += i;
			});
			inner.wait();
			if (i % 5 == 0)
				tbb::parallel_for(0, 5, [&](int k) {
					if (k == 2)
						suspend();
					sum += k;
				});
			if (i % 7 == 0)
				tbb::task::suspend([](tbb::task::suspend_point point) {
					tbb::task::resume(point);
				});
			if (i % 11 == 0)
				tbb::task::suspend([&](tbb::task::suspend_point point) {
					group.run([point] { tbb::task::resume(point); });
				});
			sum++;
		});
	group.wait();
	{
		std::lock_guard<std::mutex> held(lock);
		done = true;
		more.notify_one();
	}
	outside.join();
	std::printf("sum %ld\n", sum.load());
}

int main()
{
	in_arena(all);
}
