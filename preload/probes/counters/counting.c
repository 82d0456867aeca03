/* SPDX-License-Identifier: MIT */
/*
 * counting.c - the probe `counters`: what a thread's counters say where a strand begins, and where
 * it ends.
 *
 * Counters are read last of all before a strand begins, once there is room for its event, and first
 * of all when it ends.  WIRE_COUNTER events with the differences, if they are not 0, go before the
 * event that ends the strand.  A strand whose begin was not recorded has none.
 *
 * PAPI is called on a stack of the recorder's own, without cancellation: a task's may have 16 KiB.
 * A thread that finds no event set for its counters counts nothing; how many there were is in the
 * trace.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/session/environment.h"
#include "preload/libc.h"
#include "preload/probe.h"
#include "preload/probes/counters/counters.h"
#include "preload/probes/counters/papi.h"
#include "preload/budget.h"
#include "preload/session.h"
#include "preload/stack.h"

/* Of one worker's thread. */
struct counting {
	int papi_set; /* PAPI_NO_SET */
	bool known;   /* base[] is that of the strand that runs */
	bool works;   /* the last reading did */
	bool ends;    /* now[] is the end of a strand whose base is known */
	uint64_t base[COUNTERS_MOST], now[COUNTERS_MOST];
};

#define COUNTING_BYTES (4096u + PAPI_STACK_BYTES) /* the stack is behind the struct */

/* Of this session: what is counted, and what a strand without length counts; written before it is
 * on. */
static struct counters counters;
static uint64_t reading[COUNTERS_MOST];
static uint32_t number[COUNTERS_MOST]; /* of WIRE_COUNTER */

static void *stack_top(struct counting *counting)
{
	return (char *)counting + COUNTING_BYTES;
}

/* ---- reading ---- */

static void read_usage(struct counting *counting)
{
	struct rusage usage;
	const long *word = (const long *)&usage;

	if (syscall(SYS_getrusage, RUSAGE_THREAD, &usage) != 0)
		counting->works = false;
	for (uint32_t i = 0; i < counters.n && counting->works; i++) {
		const struct counter *counter = &counters.counter[i];

		if (counter->source == COUNTER_USAGE)
			counting->now[i] =
				(uint64_t)(word[counter->word[0]] +
					   (counter->word[1] ? word[counter->word[1]] : 0));
	}
}

static void read_cpu(struct counting *counting, uint32_t i)
{
	struct timespec ts;

	if (syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &ts) == 0)
		counting->now[i] = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	else
		counting->works = false;
}

/* On the recorder's stack. */
static void read_papi(void *arg)
{
	struct counting *counting = arg;
	long long sums[COUNTERS_MOST];
	int before;

	libc.setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	counting->works = papi_read(counting->papi_set, sums);
	libc.setcancelstate(before, NULL);
	for (uint32_t i = 0, n = 0; i < counters.n && counting->works; i++)
		if (counters.counter[i].source == COUNTER_PAPI)
			counting->now[i] = (uint64_t)sums[n++];
}

static bool has(enum counter_source source)
{
	for (uint32_t i = 0; i < counters.n; i++)
		if (counters.counter[i].source == source)
			return true;
	return false;
}

static void read_source(struct counting *counting, enum counter_source source)
{
	if (source == COUNTER_USAGE && has(source))
		read_usage(counting);
	if (source == COUNTER_PAPI && counting->papi_set != PAPI_NO_SET)
		stack_run(stack_top(counting), read_papi, counting);
	for (uint32_t i = 0; source == COUNTER_CPU && i < counters.n; i++)
		if (counters.counter[i].source == source)
			read_cpu(counting, i);
}

/* What a reading takes away itself counts, too: so the sources are read in one order before a
 * strand, and in the other one after it. */
static void read_before(struct counting *counting)
{
	int saved = errno;

	counting->works = true;
	for (int source = COUNTER_USAGE; source <= COUNTER_CPU; source++)
		read_source(counting, (enum counter_source)source);
	memcpy(counting->base, counting->now, sizeof(counting->base));
	errno = saved;
}

static void read_after(struct counting *counting)
{
	int saved = errno;

	counting->works = true;
	for (int source = COUNTER_CPU; source >= COUNTER_USAGE; source--)
		read_source(counting, (enum counter_source)source);
	errno = saved;
}

/* What was counted from one reading to the next, without what the readings count. */
static uint64_t counted(const struct counting *counting, uint32_t i)
{
	uint64_t n = counting->now[i] - counting->base[i];

	return (int64_t)n > (int64_t)reading[i] ? n - reading[i] : 0;
}

/* ---- the boundaries of strands ---- */

static void put_counts(struct worker *worker, const struct counting *counting)
{
	for (uint32_t i = 0; i < counters.n; i++)
		if (counted(counting, i))
			probe_put(worker, WIRE_COUNTER,
				  field_make(number[i], counted(counting, i)));
}

static void counting_before(struct worker *worker, void *own, enum wire_kind kind, uint64_t b)
{
	struct counting *counting = own;

	(void)worker;
	(void)b;
	counting->ends = kind_ends(kind) && counting->known;
	if (!kind_begins(kind) && !kind_ends(kind))
		return;
	counting->known = false;
	if (counting->ends)
		read_after(counting);
}

static void counting_after(struct worker *worker, void *own, enum wire_kind kind, const void *frame)
{
	struct counting *counting = own;

	(void)frame;
	if (counting->ends && counting->works)
		put_counts(worker, counting);
	if (!kind_begins(kind))
		return;
	probe_touch(worker);
	read_before(counting);
	counting->known = counting->works;
}

/* ---- threads ---- */

/* On its own stack. */
static void make_set(void *arg)
{
	struct counting *counting = arg;

	counting->papi_set = counters_papi_set(&counters);
}

static void free_set(void *arg)
{
	struct counting *counting = arg;

	papi_free(counting->papi_set);
	papi_leave();
}

static bool counting_come(struct worker *worker, void *own)
{
	struct counting *counting = own;

	(void)worker;
	counting->papi_set = PAPI_NO_SET;
	if (counters.papi)
		stack_run(stack_top(counting), make_set, counting);
	return counting->papi_set != PAPI_NO_SET || !counters.papi;
}

static void counting_leave(struct worker *worker, void *own)
{
	struct counting *counting = own;

	(void)worker;
	if (counting->papi_set != PAPI_NO_SET)
		stack_run(stack_top(counting), free_set, counting);
}

/* ---- the session ---- */

struct opening {
	const char *list;
	struct counting *counting;
	char wrong[600];
};

/* What a reading takes, in ps, and reading[]: the least of a few, as an interrupt only ever adds.
 */
static uint32_t measure_ps(struct counting *counting)
{
	enum { STRANDS = 64 };
	uint64_t best_ns = UINT64_MAX;

	for (uint32_t i = 0; i < counters.n; i++)
		reading[i] = UINT64_MAX;
	for (int strand = 0; strand < STRANDS; strand++) {
		uint64_t begin_ns = clock_monotonic_ns(), ns;

		read_before(counting);
		read_after(counting);
		ns = clock_monotonic_ns() - begin_ns;
		best_ns = ns < best_ns ? ns : best_ns;
		for (uint32_t i = 0; i < counters.n; i++)
			if (counting->now[i] - counting->base[i] < reading[i])
				reading[i] = counting->now[i] - counting->base[i];
	}
	return (uint32_t)(best_ns * 1000 / 2);
}

/* On its own stack: finds the names, and whether this thread can count. */
static void look(void *arg)
{
	struct opening *opening = arg;

	papi_close();
	if (counters_find(&counters, opening->list, opening->wrong, sizeof(opening->wrong)) < 0)
		counters.n = 0;
	else if (counters.papi)
		make_set(opening->counting);
}

/* Counts once, by this thread. */
static void try_list(struct session *session, struct opening *opening)
{
	opening->counting = map_zeroed(COUNTING_BYTES);
	if (!opening->counting)
		return;
	opening->counting->papi_set = PAPI_NO_SET;
	stack_run(stack_top(opening->counting), look, opening);
	if (opening->wrong[0])
		options_say_bad(COUNTERS_VARIABLE, opening->list, opening->wrong);
	else if (counters.tell)
		options_say_bad(COUNTERS_VARIABLE, opening->list, counters.missing);
	if (counters.n)
		atomic_fetch_add(&session->event_ps, measure_ps(opening->counting));
	if (opening->counting->papi_set != PAPI_NO_SET)
		stack_run(stack_top(opening->counting), free_set, opening->counting);
	munmap(opening->counting, COUNTING_BYTES);
}

static bool counting_open(struct session *session)
{
	struct opening opening = { .list = options_variable(COUNTERS_VARIABLE) };

	counters = (struct counters){ 0 };
	if (!opening.list || !*opening.list || probe_rules_time())
		return false;
	try_list(session, &opening);
	for (uint32_t i = 0; i < counters.n; i++) {
		const struct counter *counter = &counters.counter[i];
		int n = probe_counter(session, counter->name, counter->unit);

		if (n < 0) /* another probe has taken the rest */
			counters.n = i;
		else
			number[i] = (uint32_t)n;
	}
	session->counters_missing = session_keep(session, counters.missing);
	if (counters.n)
		session->options.collapse_ns = 0; /* an aggregate has no counts */
	return counters.n > 0;
}

__attribute__((constructor)) static void counting_add(void)
{
	static struct probe probe = { .name = "counters",
				      .order = PROBE_MEASURES,
				      .worker_bytes = COUNTING_BYTES,
				      .open = counting_open,
				      .come = counting_come,
				      .leave = counting_leave,
				      .before = counting_before,
				      .after = counting_after };

	probe_add(&probe);
}
