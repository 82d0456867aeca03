// SPDX-License-Identifier: MIT
// What waits by futex(2) alone, in a team's members: prints what each call returns.  `N`: with so
// many members, one of which lets the others go on, prints how often and how long they waited.
// Who lets others go on looks in /proc first whether they sleep, so that they do on a busy machine.
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

using namespace std::chrono_literals;

static std::atomic<int> sleeper[8]; // threads about to wait, by member; 0: not yet

static void about_to_wait(int member)
{
	sleeper[member] = static_cast<int>(syscall(SYS_gettid));
}

static bool sleeps(int thread)
{
	char path[64], state = 0;

	std::snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	if (FILE *file = std::fopen(path, "r")) {
		if (std::fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		std::fclose(file);
	}
	return state == 'S';
}

static void await_sleeper(int member)
{
	while (!sleeper[member] || !sleeps(sleeper[member]))
		std::this_thread::sleep_for(100us);
	sleeper[member] = 0;
}

// One member waits, the other one lets it go on 2 ms after it sleeps.
template <typename wait_type, typename wake_type>
static void handed(const char *name, wait_type wait, wake_type wake)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			about_to_wait(0);
			wait();
		}
#pragma omp section
		{
			await_sleeper(0);
			std::this_thread::sleep_for(2ms);
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

	for (int round = 0; round < 20; round++) {
		word = members == 1;
#pragma omp parallel num_threads(members)
		if (omp_get_thread_num() || members == 1) {
			auto since = std::chrono::steady_clock::now();
			n += word == 0;
			about_to_wait(omp_get_thread_num());
			word.wait(0);
			ns += (std::chrono::steady_clock::now() - since).count();
		} else {
			for (int member = 1; member < members; member++)
				await_sleeper(member);
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
