/* SPDX-License-Identifier: MIT */
/* counting.c - reads the thread's counters at the boundaries of its strands. */
#include "preload/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/callpath.h"
#include "preload/libc.h"
#include "preload/session.h"
#include "collector/session/counters.h"
#include "collector/session/papi.h"
#include "preload/slow.h"
#include "preload/stack.h"
#include "preload/virtual.h"

/* In this process, not shared; of one thread. */
struct counting {
	int papi_set;		     /* PAPI_NO_SET */
	bool known;		     /* base[] is that of the strand that runs */
	bool works;		     /* the last reading did */
	bool ends;		     /* now[] is the end of a strand whose base is known */
	kinds_class slow, next_slow; /* of the strand that runs; of the one that begins */
	uint64_t began_ticks;	     /* when the strand that runs did, if it is slowed */
	uint64_t held_ticks;	     /* that finding paths took, and that are not told yet */
	uint64_t base[COUNTERS_MOST], now[COUNTERS_MOST];
};

#define COUNTING_BYTES (4096u + PAPI_STACK_BYTES) /* the stack is behind the struct */

/* Of this session: what is counted, and what a strand without length counts; written before it is
 * on. */
static struct counters counters;
static uint64_t reading[COUNTERS_MOST];

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
			probe_put(worker, WIRE_COUNTER, counter_make(i, counted(counting, i)));
}

/* The other counters have been read. */
static void slow_down(struct worker *worker, struct counting *counting)
{
	uint32_t last = counters.n - 1;

	if (counting->slow)
		counting->now[last] = counting->base[last] +
				      slow_strand(worker, counting->slow, counting->began_ticks);
}

static void counting_before(struct worker *worker, void *own, enum wire_kind kind, uint64_t b)
{
	struct counting *counting = own;

	if (virtual_on()) {
		virtual_event(worker, kind, b);
		return;
	}
	if (slow_on())
		counting->next_slow = kinds_event(worker, kind, b);
	counting->ends = kind_ends(kind) && counting->known;
	if (!kind_begins(kind) && !kind_ends(kind))
		return;
	counting->known = false;
	if (counting->ends)
		read_after(counting);
	if (counting->ends && slow_on())
		slow_down(worker, counting);
}

#define HELD_TOLD_TICKS 4096u

/* The path by which the thread creates; and, now and then, how long finding them took. */
static void put_path(struct worker *worker, struct counting *counting, const void *frame)
{
	uint64_t began = worker_ticks(worker);
	uint32_t path = callpath_of(frame, stack_top(counting));

	counting->held_ticks += worker_ticks(worker) - began;
	if (counting->held_ticks >= HELD_TOLD_TICKS) {
		probe_put(worker, WIRE_TRACER, counting->held_ticks);
		counting->held_ticks = 0;
	}
	if (path)
		probe_put(worker, WIRE_PATH, path);
}

/* The slot's page is touched before the counters are read: its fault is not the strand's. */
static void begin_strand(struct worker *worker, struct counting *counting)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);

	*(volatile uint64_t *)&worker->slot[head & worker->mask].a = 0;
	read_before(counting);
	counting->known = counting->works;
	counting->slow = counting->next_slow;
	if (counting->slow)
		counting->began_ticks = worker_ticks(worker);
}

static void counting_after(struct worker *worker, void *own, enum wire_kind kind, const void *frame)
{
	struct counting *counting = own;

	if (counting->ends && counting->works)
		put_counts(worker, counting);
	if ((kind == WIRE_CREATE || kind == WIRE_FORK) && callpath_on())
		put_path(worker, counting, frame);
	if (kind_begins(kind) && counters.n)
		begin_strand(worker, counting);
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

static struct counting *counting_map(void)
{
	struct counting *counting =
		mmap(NULL, COUNTING_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (counting == MAP_FAILED)
		return NULL;
	counting->papi_set = PAPI_NO_SET;
	return counting;
}

static void counting_unmap(struct counting *counting)
{
	munmap(counting, COUNTING_BYTES);
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
	struct session *session;
	const char *list;
	struct counting *counting;
	char wrong[600];
};

static void describe(struct session *session)
{
	session->n_counters = counters.n;
	for (uint32_t i = 0; i < counters.n; i++) {
		session->counter[i].name = session_keep(session, counters.counter[i].name);
		session->counter[i].unit = session_keep(session, counters.counter[i].unit);
	}
	session->counters_missing = session_keep(session, counters.missing);
}

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

/* Has TPTRACE_COUNTERS counted. */
static void open_list(struct session *session, struct opening *opening)
{
	opening->counting = counting_map();
	if (!opening->counting)
		return;
	stack_run(stack_top(opening->counting), look, opening);
	if (opening->wrong[0])
		options_say_bad(COUNTERS_VARIABLE, opening->list, opening->wrong);
	else if (counters.tell)
		options_say_bad(COUNTERS_VARIABLE, opening->list, counters.missing);
	if (counters.n)
		atomic_fetch_add(&session->event_ps, measure_ps(opening->counting));
	if (opening->counting->papi_set != PAPI_NO_SET)
		stack_run(stack_top(opening->counting), free_set, opening->counting);
	counting_unmap(opening->counting);
}

/* `tptrace record` leaves a place for it. */
static void add_slowed(void)
{
	if (counters.n == COUNTERS_MOST)
		counters.n--;
	reading[counters.n] = 0;
	counters.counter[counters.n++] =
		(struct counter){ .name = SLOW_COUNTER, .unit = "ns", .source = COUNTER_SLOW };
}

static bool counting_open(struct session *session)
{
	struct opening opening = { .session = session, .list = getenv(COUNTERS_VARIABLE) };

	counters = (struct counters){ 0 };
	callpath_open(session);
	slow_open(session);
	virtual_open(session);
	if (opening.list && *opening.list && !virtual_on())
		open_list(session, &opening);
	if (slow_on() && !virtual_on())
		add_slowed();
	describe(session);
	if (counters.n || virtual_on())
		session->options.collapse_ns = 0; /* an aggregate has no counts */
	return counters.n || callpath_on() || virtual_on();
}

__attribute__((constructor)) static void counting_add(void)
{
	static struct probe counting_probe = { .order = PROBE_MEASURES,
					       .worker_bytes = COUNTING_BYTES,
					       .open = counting_open,
					       .come = counting_come,
					       .leave = counting_leave,
					       .before = counting_before,
					       .after = counting_after };

	probe_add(&counting_probe);
}
