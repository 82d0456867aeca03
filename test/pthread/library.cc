// SPDX-License-Identifier: MIT
// What the C++ library makes of pthread, in oneTBB's tasks: the sums must come out.
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <thread>

using namespace std::chrono_literals;

template <typename lock_type> static void counts(const char *name, lock_type &lock)
{
	long n = 0;
	tbb::parallel_for(0, 2000, [&](int) {
		std::lock_guard<lock_type> guard(lock);
		n++;
	});
	std::printf("%s: %ld\n", name, n);
}

static void conditions()
{
	std::mutex lock;
	std::condition_variable_any any;
	std::condition_variable cond;
	bool ready = false;
	tbb::task_group group;

	std::thread other([&] {
		std::this_thread::sleep_for(20ms);
		std::lock_guard<std::mutex> guard(lock);
		ready = true;
		cond.notify_all();
		any.notify_all();
	});
	group.run([&] {
		std::unique_lock<std::mutex> guard(lock);
		cond.wait(guard, [&] { return ready; });
	});
	group.wait();
	other.join();
	group.run([&] {
		std::unique_lock<std::mutex> guard(lock);
		auto late = cond.wait_for(guard, 10ms) == std::cv_status::timeout;
		auto later = any.wait_until(guard, std::chrono::system_clock::now() + 10ms) ==
			     std::cv_status::timeout;
		std::printf("conditions: %d %d\n", late, later);
	});
	group.wait();
}

static void shared()
{
	std::shared_timed_mutex lock;
	long n = 0, seen = 0;
	tbb::parallel_for(0, 2000, [&](int i) {
		if (i % 10) {
			std::shared_lock<std::shared_timed_mutex> guard(lock);
			if (n < 0)
				seen++;
		} else {
			std::lock_guard<std::shared_timed_mutex> guard(lock);
			n++;
		}
	});
	std::printf("shared: %ld %ld\n", n, seen);
	lock.lock();
	std::thread([&] { std::printf("timed: %d\n", lock.try_lock_for(10ms)); }).join();
	lock.unlock();
}

static void rest()
{
	std::counting_semaphore<10> places(2);
	std::once_flag once;
	std::atomic<int> inside{ 0 }, most{ 0 }, inits{ 0 };
	tbb::parallel_for(0, 200, [&](int) {
		std::call_once(once, [&] { inits++; });
		places.acquire();
		int now = ++inside;
		if (now > most)
			most = now;
		inside--;
		places.release();
	});
	std::printf("semaphore: %d, once: %d\n", most <= 2, inits.load());
	std::latch latch(4);
	std::jthread threads[3];
	for (auto &thread : threads)
		thread = std::jthread([&] { latch.arrive_and_wait(); });
	latch.arrive_and_wait();
	auto future = std::async(std::launch::async, [] {
		std::this_thread::sleep_for(10ms);
		return 5;
	});
	std::promise<int> promise;
	std::thread giver([&] { promise.set_value(6); });
	std::printf("futures: %d\n", future.get() + promise.get_future().get());
	giver.join();
}

int main()
{
	tbb::global_control control(tbb::global_control::max_allowed_parallelism, 4);
	tbb::task_arena arena(4);
	std::mutex plain;
	std::recursive_mutex recursive;
	std::timed_mutex timed;
	arena.execute([&] {
		tbb::task_group group;
		group.run_and_wait([&] {
			counts("mutex", plain);
			counts("recursive", recursive);
			counts("timed", timed);
			conditions();
			shared();
			rest();
		});
	});
}
