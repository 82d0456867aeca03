/* SPDX-License-Identifier: MIT */
/*
 * planted_tbb.cc - as planted.c, on oneTBB: a lambda under a std::mutex, serial code, a wait in
 * each round.
 */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <thread>

static const int tasks = 40, rounds = 20;
static std::mutex guard;
static long long planted_ns;
static bool fixed;

static long long now_ns()
{
	return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

static void sleep_us(long us)
{
	std::this_thread::sleep_for(std::chrono::microseconds(us));
}

template <typename F> static void each(F body)
{
	tbb::parallel_for(0, tasks, body, tbb::simple_partitioner());
}

static void lock()
{
	if (fixed)
		return each([](int) { sleep_us(6000); });
	each([](int) {
		sleep_us(1000);
		long long since = now_ns();
		std::lock_guard<std::mutex> lock(guard);
		planted_ns += now_ns() - since;
		sleep_us(5000);
	});
}

static void serial()
{
	tbb::task_group group;

	group.run([] {
		long long since = now_ns();

		if (!fixed)
			sleep_us(120000);
		planted_ns = fixed ? 0 : now_ns() - since;
		each([](int) { sleep_us(5000); });
	});
	group.wait();
}

static void wait()
{
	for (int round = 0; round < rounds; round++) {
		long long end[2];
		tbb::task_group group;

		for (int i = 0; i < 2; i++)
			group.run([i, &end] {
				sleep_us(fixed ? 6000 : i ? 10000 : 2000);
				end[i] = now_ns();
			});
		group.wait();
		planted_ns += std::llabs(end[1] - end[0]);
	}
}

int main(int argc, char **argv)
{
	tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
	const char *name = argc > 1 ? argv[1] : "";

	fixed = argc > 2;
	if (!strcmp(name, "lock"))
		lock();
	else if (!strcmp(name, "serial"))
		serial();
	else if (!strcmp(name, "wait"))
		wait();
	else
		return 2;
	printf("%lld\n", planted_ns);
	return 0;
}
