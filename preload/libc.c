/* SPDX-License-Identifier: MIT */
/* libc.c - finds libc's own thread functions and clock. */
#include "preload/libc.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/session/clock.h"

#define YIELDS 64u     /* who waits for a lock sleeps after so many, .. */
#define REST_NS 50000u /* .. for so long each time */

struct libc libc = { .thread_create = pthread_create,
		     .thread_tryjoin = pthread_tryjoin_np,
		     .thread_detach = pthread_detach,
		     .thread_sigmask = pthread_sigmask,
		     .key_create = pthread_key_create,
		     .setspecific = pthread_setspecific,
		     .setcancelstate = pthread_setcancelstate };

static void libc_symbol(void *handle, const char *name, void *function)
{
	void *found = dlsym(handle, name);

	if (found)
		atomic_store_explicit((void *_Atomic *)function, found, memory_order_relaxed);
}

/*
 * Where threads have a library of their own (glibc up to 2.33), what is bound anyway stays; and
 * with a sanitizer, which has to know of every thread.
 */
static void find_all(void)
{
	void *handle = dlopen("libc.so.6", RTLD_NOLOAD | RTLD_LAZY);

	libc_symbol(RTLD_DEFAULT, "__pthread_get_minstack", &libc.minstack);
	if (!handle || dlsym(RTLD_DEFAULT, "__sanitizer_print_stack_trace"))
		return;
	libc_symbol(handle, "pthread_create", &libc.thread_create);
	libc_symbol(handle, "pthread_tryjoin_np", &libc.thread_tryjoin);
	libc_symbol(handle, "pthread_detach", &libc.thread_detach);
	libc_symbol(handle, "pthread_sigmask", &libc.thread_sigmask);
	libc_symbol(handle, "pthread_key_create", &libc.key_create);
	libc_symbol(handle, "pthread_setspecific", &libc.setspecific);
	libc_symbol(handle, "pthread_setcancelstate", &libc.setcancelstate);
	clock_find();
	dlclose(handle);
}

/* A shim's dlclose() takes a lock, and comes here. */
void libc_find(void)
{
	static __thread bool finding __attribute__((tls_model("initial-exec")));
	static _Atomic bool done;

	if (atomic_load_explicit(&done, memory_order_acquire) || finding)
		return;
	finding = true;
	find_all();
	finding = false;
	atomic_store_explicit(&done, true, memory_order_release);
}

/* glibc takes static thread-local storage, of which a program may have any size, out of the stack.
 */
int libc_start_thread(pthread_t *thread, size_t stack_bytes, void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int error = pthread_attr_init(&attr);

	if (error)
		return error;
	if (libc.minstack)
		stack_bytes += libc.minstack(&attr);
	error = pthread_attr_setstacksize(&attr, stack_bytes);
	sigfillset(&all);
	if (!error) {
		libc.thread_sigmask(SIG_SETMASK, &all, &before);
		error = libc.thread_create(thread, &attr, run, arg);
		libc.thread_sigmask(SIG_SETMASK, &before, NULL);
	}
	pthread_attr_destroy(&attr);
	return error;
}

/* The owner of the locks: each forked child has its own number.  0 is nobody. */
static _Atomic uint32_t generation = 1;

struct held {
	uint32_t n_locks;
	uint64_t signals; /* blocked before the first of them was taken */
	int cancels;	  /* its cancel state then */
};

static __thread struct held held __attribute__((tls_model("initial-exec")));

#define ALL_SIGNALS (~UINT64_C(0)) /* the kernel's set of them, without libc's own exceptions */

void libc_lock(_Atomic uint32_t *lock)
{
	const uint64_t all = ALL_SIGNALS;
	int saved = errno;

	libc_find();
	if (held.n_locks == 0) { /* the handler of a signal up to here has left it so */
		syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &held.signals, sizeof(all));
		libc.setcancelstate(PTHREAD_CANCEL_DISABLE, &held.cancels);
	}
	held.n_locks++;
	errno = saved;
	libc_take(lock);
}

/* As before the first lock. */
static void let_interrupt(void)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &held.signals, NULL, sizeof(held.signals));
	libc.setcancelstate(held.cancels, NULL);
}

void libc_unlock(_Atomic uint32_t *lock)
{
	int saved = errno;

	libc_give(lock);
	if (--held.n_locks == 0)
		let_interrupt();
	errno = saved;
}

static _Atomic uint32_t n_resting; /* threads that sleep until a lock may be free */

bool libc_lock_awaited(void)
{
	return atomic_load(&n_resting) > 0;
}

/* A holder of lower priority than the waiter's gets the CPU only while that one sleeps. */
static void let_run(uint32_t turn)
{
	const struct timespec rest = { .tv_nsec = REST_NS };
	int saved = errno;

	if (turn < YIELDS) {
		syscall(SYS_sched_yield);
	} else {
		atomic_fetch_add(&n_resting, 1);
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &rest, NULL);
		atomic_fetch_sub(&n_resting, 1);
	}
	errno = saved;
}

void libc_take(_Atomic uint32_t *lock)
{
	uint32_t mine = atomic_load_explicit(&generation, memory_order_relaxed);
	uint32_t holder = 0, turn = 0;

	while (!atomic_compare_exchange_weak_explicit(lock, &holder, mine, memory_order_acquire,
						      memory_order_relaxed)) {
		if (holder != mine)
			continue; /* free, or of a thread that the fork left behind */
		holder = 0;
		let_run(turn++);
	}
}

void libc_give(_Atomic uint32_t *lock)
{
	atomic_store_explicit(lock, 0, memory_order_release);
}

int libc_join_thread(pthread_t thread, void **value)
{
	uint32_t turn = 0;
	int error;

	while ((error = libc.thread_tryjoin(thread, value)) == EBUSY)
		let_run(turn++);
	return error;
}

void libc_left_behind(void)
{
	atomic_fetch_add(&generation, 1);
	atomic_store(&n_resting, 0);
}

void libc_forked(void)
{
	bool held_some = held.n_locks > 0;

	libc_left_behind();
	held.n_locks = 0;
	if (held_some)
		let_interrupt();
}

void libc_yield(void)
{
	int saved = errno;

	syscall(SYS_sched_yield);
	errno = saved;
}

bool libc_can_read(const void *word)
{
	const int how = ~0;
	int saved = errno;
	bool can = word && syscall(SYS_rt_sigprocmask, how, word, NULL, sizeof(uint64_t)) != 0 &&
		   errno == EINVAL; /* no word, no nonsense: 0 */

	errno = saved;
	return can;
}
