/* SPDX-License-Identifier: MIT */
/*
 * pth_future.c - std::future, std::shared_future: libstdc++ blocks in functions of its own there,
 * by futex(2).
 *
 * Facts [libstdc++ of gcc 5 to 15, bits/atomic_futex.h]: what headers inline into the program looks
 * at the word first, so that it calls these only to block, and to wake whoever said that it blocks.
 * It looks again after a wait, which may end early.  A std::chrono::duration is passed as the
 * integer that it holds.
 *
 * A program may load libstdc++ later than this, where only the caller finds it.
 */
#include "shims/pthread/pth.h"

#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shims/common/next.h"

#define CLASS "_ZNSt28__atomic_futex_unsigned_base"
#define DEADLINE "EPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE"
#define WAIT CLASS "19_M_futex_wait_until" DEADLINE
#define WAIT_STEADY CLASS "26_M_futex_wait_until_steady" DEADLINE
#define NOTIFY CLASS "19_M_futex_notify_allEPj"

typedef bool (*wait_fn)(void *self, unsigned *word, unsigned value, bool limited, long s, long ns);
typedef void (*notify_fn)(unsigned *word);

#define PARAMETERS (void *self, unsigned *word, unsigned value, bool limited, long s, long ns)
#define ARGUMENTS (self, word, value, limited, s, ns)

CALL_EXPORT bool pth_future_wait PARAMETERS __asm__(WAIT);
CALL_EXPORT bool pth_future_wait_steady PARAMETERS __asm__(WAIT_STEADY);
CALL_EXPORT void pth_future_notify(unsigned *word) __asm__(NOTIFY);

static wait_fn _Atomic real_wait, real_wait_steady;
static notify_fn _Atomic real_notify;

/* Loaders' locks are free to take here; who calls later may wait for a thread that holds them. */
__attribute__((constructor)) static void bind_early(void)
{
	real_wait = (wait_fn)dlsym(RTLD_NEXT, WAIT);
	real_wait_steady = (wait_fn)dlsym(RTLD_NEXT, WAIT_STEADY);
	real_notify = (notify_fn)dlsym(RTLD_NEXT, NOTIFY);
}

/* Of a libstdc++ that came later and stays, or, and only while it calls, in the caller's file. */
static wait_fn find_late(wait_fn _Atomic *real, const char *symbol, const void *from)
{
	int saved = errno;
	void *handle = dlopen("libstdc++.so.6", RTLD_NOLOAD | RTLD_LAZY);
	wait_fn found = handle ? (wait_fn)dlsym(handle, symbol) : NULL;

	atomic_store(real, found);
	if (!found)
		found = (wait_fn)next_for(from, symbol);
	errno = saved;
	return found;
}

#define WAITS(name, symbol)                                                                        \
	CALL_EXPORT bool pth_future_##name PARAMETERS                                              \
	{                                                                                          \
		struct worker *worker = waiting_worker();                                          \
		wait_fn real = atomic_load_explicit(&real_##name, memory_order_acquire);           \
                                                                                                   \
		if (!real)                                                                         \
			real = find_late(&real_##name, symbol, FROM);                              \
		if (!real)                                                                         \
			return true; /* the caller looks again */                                  \
		if (pth_passes(worker))                                                            \
			return real ARGUMENTS;                                                     \
		PTH_WAITING waiting = pth_wait(worker, FROM, WIRE_WAIT_FUTURE, word, NULL);        \
                                                                                                   \
		return real ARGUMENTS;                                                             \
	}

WAITS(wait, WAIT)
WAITS(wait_steady, WAIT_STEADY)

/* Unless it is known, what it does is done here: whoever is to be woken may hold loaders' locks. */
static void notify(unsigned *word)
{
	notify_fn real = atomic_load_explicit(&real_notify, memory_order_acquire);
	int saved = errno;

	if (real) {
		real(word);
		return;
	}
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX);
	errno = saved;
}

CALL_EXPORT void pth_future_notify(unsigned *word)
{
	struct waiting released = { 0 };
	struct worker *worker;

	if (waiting_for(word) && !pth_passes(worker = waiting_worker()))
		released = pth_release(worker, FROM, word);
	notify(word);
	waiting_released(&released);
}
