/* SPDX-License-Identifier: MIT */
/* cancel_test.c - a thread that is to be cancelled is not while it is in the recorder's hands. */
#include "preload/inside/log.c"	    /* NOLINT */
#include "preload/libc.c"	    /* NOLINT */
#include "preload/offspring.c"	    /* NOLINT */
#include "preload/programs.c"	    /* NOLINT */
#include "preload/budget.c"	    /* NOLINT */
#include "preload/stack.c"	    /* NOLINT */

#include "test/lib/test.h"

bool session_may_open(void)
{
	return true;
}

const struct collector *session_collector(void)
{
	return NULL;
}

static bool done;

static void test_here(void *arg)
{
	pthread_testcancel();
	done = true;
}

static void *on_another_stack(void *arg)
{
	pthread_cancel(pthread_self());
	stack_call(64 << 10, test_here, NULL);
	pthread_testcancel();
	return arg;
}

static void *says(void *arg)
{
	pthread_cancel(pthread_self());
	log_say("a line of a thread that is to be cancelled");
	done = true;
	pthread_testcancel();
	return arg;
}

/* In a frame of its own: AddressSanitizer takes what cancelling unwinds for still in use. */
static __attribute__((noinline)) bool has_no_words(void)
{
	char *const environment[] = { "LD_PRELOAD=libtpshim_omp.so", NULL };
	enum preloads_kept kept;

	return offspring_words(AT_FDCWD, "/proc/self/exe", environment, &kept) == 0;
}

static void *looks(void *arg)
{
	pthread_cancel(pthread_self());
	done = has_no_words();
	pthread_testcancel();
	return arg;
}

/* It does its work, and then ends as it was told to. */
static void is_cancelled_later(void *(*run)(void *))
{
	void *got = NULL;
	pthread_t thread;

	done = false;
	assert_int_equal(pthread_create(&thread, NULL, run, NULL), 0);
	assert_int_equal(pthread_join(thread, &got), 0);
	assert_true(done);
	assert_ptr_equal(got, PTHREAD_CANCELED);
}

TEST(test_stack)
{
	is_cancelled_later(on_another_stack);
}

TEST(test_log)
{
	is_cancelled_later(says);
}

TEST(test_offspring)
{
	is_cancelled_later(looks);
}
