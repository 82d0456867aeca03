/* SPDX-License-Identifier: MIT */
/*
 * storm.c - makes tasks while its recording is stopped, started and copied, again and again.
 *
 * It is a program as those of test/port, for any runtime.  $STORM_COUNTER is a file of words: tasks
 * that began; 1 ends the program after the round at hand; rounds.  $STORM_EVERY: about so many
 * tasks lie between two calls of tptrace_stop() and tptrace_start(), which tasks make themselves,
 * on whatever worker they are; 0: there are none.  $STORM_SNAPSHOTS so many of these calls are
 * followed by tptrace_snapshot().
 */
#define PORT_SIZE 1000000
#define PORT_SMALL 1
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/tptrace.h"
#include "test/kill/mapped.h"
#include "test/port/tree.h"

static struct counter {
	uint64_t n, over, rounds;
} *counter;
static uint64_t every, next_turn, n_turns, n_snapshots;
static long depth = 9;

static uint64_t number_of(const char *name)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 10) : 0;
}

/* One task in about `every` turns the recording off, or on. */
static void count_one(void)
{
	uint64_t n = __atomic_add_fetch(&counter->n, 1, __ATOMIC_RELAXED);
	uint64_t at = __atomic_load_n(&next_turn, __ATOMIC_RELAXED);

	if (every == 0 || n < at ||
	    !__atomic_compare_exchange_n(&next_turn, &at, n + 1 + n * 2654435761u % (2 * every),
					 false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	uint64_t turn = __atomic_fetch_add(&n_turns, 1, __ATOMIC_RELAXED);

	if (turn & 1)
		tptrace_start();
	else
		tptrace_stop();
	if (turn < n_snapshots)
		tptrace_snapshot();
}

static bool counter_open(void)
{
	counter = (struct counter *)mapped("STORM_COUNTER", sizeof(*counter));
	if (!counter)
		return false;
	every = number_of("STORM_EVERY");
	next_turn = every;
	n_snapshots = number_of("STORM_SNAPSHOTS");
	if (getenv("STORM_DEPTH"))
		depth = (long)number_of("STORM_DEPTH");
	return true;
}

static long port_program(long size, long *n_tasks)
{
	struct tree root;

	if (!counter && !counter_open())
		exit(2);
	for (long i = 0; i < size && !__atomic_load_n(&counter->over, __ATOMIC_RELAXED); i++) {
		memset(&root, 0, sizeof(root));
		root.n = depth;
		tree(&root);
		__atomic_add_fetch(&counter->rounds, 1, __ATOMIC_RELAXED);
	}
	*n_tasks = (long)counter->n;
	return 0;
}
