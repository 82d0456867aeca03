// SPDX-License-Identifier: MIT
// 400 oneTBB tasks that one std::mutex, or one tbb::mutex, serialises; arguments: threads, and
// "tbb".  A tbb::mutex spins before it blocks: the program counts its own calls that block, and
// prints them, too.  The first task keeps the lock until another asks for it.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "convoy.h"

// The linker leads the calls of r1::wait_on_address() here (--wrap).
static std::atomic<long> n_asked, n_blocked;
extern "C" void real_wait(void *, void *, uintptr_t) __asm__("__real_" WAIT_ON_ADDRESS);
extern "C" void counted_wait(void *, void *, uintptr_t) __asm__("__wrap_" WAIT_ON_ADDRESS);

void counted_wait(void *address, void *predicate, uintptr_t context)
{
	n_blocked++;
	real_wait(address, predicate, context);
}

static void wait_for(const std::atomic<long> &n)
{
	for (uint64_t end = now_ns() + 20000000000u; !n && now_ns() < end;)
		;
}

template <typename lock_type> static void work(lock_type &lock, bool first, bool blocks)
{
	spin(20000);
	if (!lock.try_lock()) {
		long since = now_ns();

		n_asked++;
		lock.lock();
		waited(since);
	}
	spin(200000);
	if (first)
		wait_for(blocks ? n_blocked : n_asked);
	lock.unlock();
}

template <typename lock_type> static void convoy(int n_threads, lock_type &lock, bool blocks)
{
	tbb::global_control control(tbb::global_control::max_allowed_parallelism, n_threads);
	tbb::task_arena arena(n_threads);

	arena.execute([&] {
		tbb::task_group group;

		for (int i = 0; i < 400; i++)
			group.run([&, i] { work(lock, n_threads > 1 && i == 0, blocks); });
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
		convoy(n_threads, own, true);
	else
		convoy(n_threads, plain, false);
	ended_ns = now_ns();
	convoy_print();
	std::printf("%ld blocked\n", n_blocked.load());
}
