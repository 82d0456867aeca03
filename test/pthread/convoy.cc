// SPDX-License-Identifier: MIT
// 400 oneTBB tasks that one std::mutex, or one tbb::mutex, serialises; arguments: threads, and
// "tbb".
#include <cstdlib>
#include <mutex>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "asleep.h"
#include "convoy.h"

static volatile int waits; // who asks for the lock first while another one has it

template <typename lock_type> static void work(lock_type &lock, int n_threads)
{
	spin(20000);
	if (!lock.try_lock()) {
		long since = now_ns();

		if (waits == 0)
			waits = gettid();
		lock.lock();
		waited(since);
	} else if (n_threads > 1 && n_waits == 0) {
		until_asleep(&waits); // tbb::mutex spins and yields, for long on a busy machine
	}
	spin(200000);
	lock.unlock();
}

template <typename lock_type> static void convoy(int n_threads, lock_type &lock)
{
	tbb::global_control control(tbb::global_control::max_allowed_parallelism, n_threads);
	tbb::task_arena arena(n_threads);

	arena.execute([&] {
		tbb::task_group group;

		for (int i = 0; i < 400; i++)
			group.run([&] { work(lock, n_threads); });
		group.wait();
	});
}

int main(int argc, char **argv)
{
	static std::mutex plain;
	static tbb::mutex own;
	int n_threads = argc > 1 ? std::atoi(argv[1]) : 4;

	began_ns = now_ns();
	if (argc > 2)
		convoy(n_threads, own);
	else
		convoy(n_threads, plain);
	ended_ns = now_ns();
	convoy_print();
}
