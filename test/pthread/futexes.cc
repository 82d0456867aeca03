// SPDX-License-Identifier: MIT
// What waits by futex(2) alone, in a team's members: prints what each call returns.  `N`: with so
// many members, one of which lets the others go on, prints how often and how long they waited.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <linux/futex.h>
#include <omp.h>
#include <semaphore>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "asleep.h"

using namespace std::chrono_literals;

// One member waits, the other one lets it go on when it sleeps.
template <typename wait_type, typename wake_type>
static void handed(const char *name, wait_type wait, wake_type wake)
{
	volatile int waits = 0;

#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			waits = gettid();
			wait();
		}
#pragma omp section
		{
			until_asleep(&waits);
			wake();
		}
	}
	std::printf("%s\n", name);
}

static void library()
{
	std::atomic<int> word{0};
	std::atomic<char> narrow{0};
	std::latch latch{1};
	std::barrier meeting{2};
	std::counting_semaphore<4> semaphore{0};
	std::binary_semaphore timed{0};

	handed("word", [&] { word.wait(0); }, [&] { word = 1, word.notify_one(); });
	handed("narrow", [&] { narrow.wait(0); }, [&] { narrow = 1, narrow.notify_all(); });
	handed("latch", [&] { latch.wait(); }, [&] { latch.count_down(); });
	handed("barrier", [&] { meeting.arrive_and_wait(); }, [&] { meeting.arrive_and_wait(); });
	handed("semaphore", [&] { semaphore.acquire(); }, [&] { semaphore.release(); });
	handed(
		"timed", [&] { std::printf("%d\n", timed.try_acquire_for(20s)); },
		[&] { timed.release(); });
}

static void show(const char *name, long result)
{
	std::printf("%s: %ld %s\n", name, result, result < 0 ? std::strerror(errno) : "");
}

static void by_number()
{
	static int word = 1;
	timespec soon = { 0, 2000000 };

#pragma omp parallel num_threads(1)
	{
		errno = 0;
		show("changed", syscall(SYS_futex, &word, FUTEX_WAIT, 2, nullptr));
		show("late", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &soon));
		show("nowhere", syscall(SYS_futex, nullptr, FUTEX_WAIT, 1, &soon));
		show("unknown", syscall(SYS_futex, &word, 99, 1, &soon));
		show("no mask", syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 1, &soon, nullptr, 0));
		show("nobody", syscall(SYS_futex, &word, FUTEX_WAKE, 1));
		show("none", syscall(-1));
		show("process", syscall(SYS_getpid) == getpid());
		void *page = reinterpret_cast<void *>(syscall(SYS_mmap, nullptr, 4096ul, PROT_READ,
							      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0l));
		show("six", page != MAP_FAILED && munmap(page, 4096) == 0);
	}
}

static void convoy(int members)
{
	std::atomic<int> word{members == 1};
	std::atomic<long> n{0}, ns{0};
	volatile int waits[8];

	for (int round = 0; round < 20; round++) {
		word = members == 1;
		std::fill(std::begin(waits), std::end(waits), 0);
#pragma omp parallel num_threads(members)
		if (omp_get_thread_num() || members == 1) {
			auto since = std::chrono::steady_clock::now();
			n += word == 0;
			waits[omp_get_thread_num()] = gettid();
			word.wait(0);
			ns += (std::chrono::steady_clock::now() - since).count();
		} else {
			for (int i = 1; i < members; i++)
				until_asleep(&waits[i]);
			std::this_thread::sleep_for(5ms);
			word = 1;
			word.notify_all();
		}
	}
	std::printf("%ld waits of %ld ns\n", n.load(), ns.load());
}

int main(int n, char **arguments)
{
	if (n > 1) {
		convoy(std::atoi(arguments[1]));
		return 0;
	}
	library();
	by_number();
	return 0;
}
