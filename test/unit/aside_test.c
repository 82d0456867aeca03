/* SPDX-License-Identifier: MIT */
/* aside_test.c - a call whose caller's return address lies aside: what is called finds its
 * arguments, and no stack of ours; unwinders find the caller; and back() is called, however the
 * call ends. */
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

#include "test/lib/test.h"

#include "shims/common/aside.c" /* NOLINT: its poison comes last */
#include "shims/common/aside_pool.h"

typedef long words_fn(long, long, long, long, long, long, long, long, long, long, long, long);

static struct aside aside;
static bool has_aside;
static int n_back;
static const void *frame;		/* the callee's */
static const void *caller, *entered_by; /* whose code called, by an unwinder; by the wrapper */
static bool leaves;
static uintptr_t left_at; /* what a callee leaves on the stack, and how much of it is gone later */
static int n_gone;
#define LEFT_BYTES 256
#define LEFT 0x5a
#define UNCHECKED __attribute__((no_sanitize("address"))) /* read when it has returned */

static void *back(struct aside *called, void *returned)
{
	assert_ptr_equal(called, &aside);
	n_back++;
	return (char *)returned + 1000;
}

static _Unwind_Reason_Code find_caller(struct _Unwind_Context *context, void *arg)
{
	int *n = arg;

	if (++*n == (has_aside ? 4 : 3)) /* this one's caller, look(), its caller, ours */
		caller = _Unwind_FindEnclosingFunction((void *)_Unwind_GetIP(context));
	return _URC_NO_REASON;
}

static __attribute__((noinline)) void look(void)
{
	int n = 0;

	_Unwind_Backtrace(find_caller, &n);
	if (leaves)
		pthread_exit(NULL);
}

UNCHECKED static __attribute__((noinline)) long twelve(long a, long b, long c, long d, long e,
						       long f, long g, long h, long i, long j,
						       long k, long l)
{
	volatile char left[LEFT_BYTES];

	for (int i = 0; i < LEFT_BYTES; i++)
		left[i] = LEFT;
	left_at = (uintptr_t)left;
	frame = __builtin_frame_address(0);
	if (has_aside) /* as long as it may return */
		assert_int_equal(aside.stack[-1], ASIDE_RETURN(&aside));
	look();
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
	       12 * l;
}

words_fn wrapped __asm__("wrapped_on");
ASIDE_WRAPPER(wrapped);
UNCHECKED ASIDE_ENTER(wrapped)
{
	entered_by = _Unwind_FindEnclosingFunction(from);
	for (int i = 0; left_at && i < LEFT_BYTES; i++)
		n_gone += ((volatile char *)left_at)[i] != LEFT;
	assert_int_equal(on_stack[5], 12);
	in[0]++;
	aside.back = back;
	return (struct aside_entered){ (const void *)(uintptr_t)twelve, has_aside ? &aside : NULL };
}

/* The registers that a call keeps are busy. */
static __attribute__((noinline)) long call(words_fn *fn)
{
	long n[8];

	for (int i = 0; i < 8; i++)
		n[i] = strtol("7", NULL, 10);
	long got = fn(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);

	for (int i = 0; i < 8; i++)
		assert_int_equal(n[i], 7);
	return got;
}

TEST(test_call)
{
	long sum = call(twelve);
	const void *alone = frame;

	for (int with = 0; with < 2; with++) {
		has_aside = with;
		n_back = 0;
		assert_int_equal(call(wrapped), sum + 1 + (with ? 1000 : 0));
		assert_int_equal(n_back, with);
		assert_ptr_equal(entered_by, (const void *)(uintptr_t)call);
		if (IN_ASSEMBLY) {
			assert_ptr_equal(frame, alone);
			assert_ptr_equal(caller, (const void *)(uintptr_t)call);
		}
	}
}

/* Between two calls, and in what we do for both, what the first one left stays. */
TEST(test_below)
{
	has_aside = true;
	left_at = 0;
	n_gone = 0;
	wrapped(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	wrapped(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	if (IN_ASSEMBLY)
		assert_int_equal(n_gone, 0);
}

static void *four(const void *a, const void *b, const void *c, const void *d)
{
	look();
	return (char *)a + (long)b + (long)c + (long)d;
}

static __attribute__((noinline)) void *call_four(void *arg)
{
	void *got = aside_call((char *)0 + 1, (char *)0 + 2, (char *)0 + 3, (char *)0 + 4,
			       has_aside ? &aside : NULL, (aside_fn *)four);

	__asm__ volatile("" ::: "memory"); /* it returns to here */
	return arg ? got : NULL;
}

TEST(test_four)
{
	aside.back = back;
	for (int with = 0; with < 2; with++) {
		has_aside = with;
		n_back = 0;
		assert_ptr_equal(call_four(&aside), (char *)0 + 10 + (with ? 1000 : 0));
		assert_int_equal(n_back, with);
	}
}

#if IN_ASSEMBLY
/* ---- at each instruction ---- */

extern const char aside_hold[], wrapped_on[];
static int n_steps, n_lost;
static const void *above; /* whose code called that where the signal came */

static _Unwind_Reason_Code find_above(struct _Unwind_Context *context, void *arg)
{
	const char **at = arg, *ip = (const char *)_Unwind_GetIP(context);

	if (!*at) {
		above = _Unwind_FindEnclosingFunction((void *)ip);
		return _URC_NORMAL_STOP;
	}
	if (ip == *at)
		*at = NULL;
	return _URC_NO_REASON;
}

static void step(int number, siginfo_t *info, void *context)
{
	const char *at = (const char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	const char *in = _Unwind_FindEnclosingFunction((void *)(at + 1));

	if (in != aside_hold && in != wrapped_on && in != (const char *)(uintptr_t)aside_call)
		return;
	n_steps++;
	above = NULL;
	_Unwind_Backtrace(find_above, &at);
	if (above != (const void *)(uintptr_t)call && above != (const void *)(uintptr_t)call_four)
		n_lost++;
}

/* The processor's trap flag. */
static void single_step(bool on)
{
	uint64_t flags;

	__asm__ volatile("pushfq\n	pop %0" : "=r"(flags)::"memory");
	flags = on ? flags | 0x100 : flags & ~UINT64_C(0x100);
	__asm__ volatile("push %0\n	popfq" ::"r"(flags) : "memory", "cc");
}

/* Who unwinds from a signal finds the caller, wherever it comes. */
TEST(test_each_instruction)
{
	struct sigaction old, action = { .sa_sigaction = step, .sa_flags = SA_SIGINFO };

	aside.back = back;
	assert_int_equal(sigaction(SIGTRAP, &action, &old), 0);
	for (int with = 0; with < 2; with++) {
		has_aside = with;
		n_steps = n_lost = 0;
		single_step(true);
		call(wrapped);
		call_four(&aside);
		single_step(false);
		assert_int_equal(n_lost, 0);
		assert_true(n_steps >= 25);
	}
	sigaction(SIGTRAP, &old, NULL);
}
#endif

/* An exception, as which pthread_exit() comes, passes. */
TEST(test_thrown)
{
	pthread_t thread;
	void *returned = &thread;

	leaves = has_aside = true;
	n_back = 0;
	assert_int_equal(pthread_create(&thread, NULL, call_four, NULL), 0);
	assert_int_equal(pthread_join(thread, &returned), 0);
	assert_null(returned);
	if (IN_ASSEMBLY) /* in C for who is compiled with -fexceptions, as shims are */
		assert_int_equal(n_back, 1);
	leaves = false;
}
