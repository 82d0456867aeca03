/* SPDX-License-Identifier: MIT */
/*
 * chunk_test.c - all orders in which a worker and its collector can change chunks, and a death
 * between any two of their stores.
 *
 * The worker is the real one (preload/worker.c, chunk.c), and so is what the collector
 * calls of chunk.h.  Each side is a coroutine that stops at the points of
 * collector/session/point.h; all orders of both are tried, up to a number of changes from one side
 * to the other.  At every stop the process may have died: what is in a copy of the memory then must
 * hold each event once, from where the file ends.
 */
#define TEST_POINTS
#include "test/unit/recorder.h"

#include <ucontext.h>

#include "test/lib/unit.h"
#include "test/lib/collector.h"

#define N_CHUNKS 6u
#define USED 3u	    /* events in a chunk */
#define N_EVENTS 8u /* that the worker makes */
#define STOPS_MAX 100u
#define STACK_BYTES (64u << 10)

enum { WORKER, COLLECTOR, SUCCESSOR, SIDES };

static struct side {
	jmp_buf begin, at; /* where it starts anew, and where it stopped: a switch asks no kernel */
	bool made, started, done;
	char stack[STACK_BYTES];
} side[SIDES];
static jmp_buf scheduler;
static int running = SIDES; /* SIDES: nobody stops */

/* What is tried. */
static struct plan {
	bool early;	     /* released with what is copied, or only with a block of it */
	unsigned thins;	     /* bit n: the n-th chunk that ends is thinned */
	uint32_t dies_after; /* stops of the collector before it dies; STOPS_MAX: it does not */
	uint32_t n_changes;  /* from one side to another, at most */
} plan;

static struct worker *worker;
static char *copy;
static uint64_t written, taken; /* numbers: the file's, and what the collector has copied */
static uint32_t n_ended, n_collected;
static const char *wrong;

void test_point(const char *name)
{
	int self = running;

	if (self == SIDES)
		return;
	running = SIDES;
	if (!_setjmp(side[self].at))
		_longjmp(scheduler, 1);
	running = self;
}

/* ---- what must hold ---- */

static bool is_kept(uint64_t seq)
{
	return seq % 2 == 0;
}

/* Events come in order, none twice; those that are missing were thinned out, or are lost. */
static void account_for(const struct wire_event *event, uint64_t *next)
{
	if (event_kind(event) == WIRE_TRACER)
		return;
	if (event_kind(event) != WIRE_SIGNAL)
		wrong = "an event is torn";
	else if (event->b < *next)
		wrong = "an event comes twice";
	for (; *next < event->b; ++*next)
		if (is_kept(*next))
			wrong = "an event is missing";
	*next = event->b + 1;
}

/* The seq of the first event from that number on: the worker notes it as it makes them. */
static uint64_t seq_at[N_EVENTS + STOPS_MAX];

/* What a reader finds from that number on, in `memory`; returns the number behind it. */
static uint64_t read_all(struct worker *memory, uint64_t number)
{
	struct chunk_events events;
	uint64_t next = seq_at[number];

	while (!wrong && chunk_find(memory, &worker->sizes, number, &events)) {
		for (uint32_t i = 0; i < events.n; i++)
			account_for(&events.slot[i], &next);
		number = events.number + events.n - events.n_whole;
	}
	return number;
}

/* The process dies now. */
static void check_death(void)
{
	size_t bytes = worker_place(&worker->sizes) - offsetof(struct worker, head);
	struct worker *memory = (struct worker *)copy;
	uint64_t from = written, head = atomic_load(&worker->head);

	memcpy(&memory->head, &worker->head, bytes);
	if (plan.early) {
		chunk_take_back(memory, &worker->sizes, from);
		from = chunk_oldest(memory, &worker->sizes, from) > from &&
				       read_all(memory, from) == from
			       ? chunk_oldest(memory, &worker->sizes, from)
			       : from;
		if (from > taken && from != head)
			wrong = "what nobody has taken is lost";
	}
	if (!wrong && read_all(memory, from) != head)
		wrong = "events are lost with the process";
}

/* ---- the sides ---- */

static uint32_t thin_some(struct thinner *thinner, const struct session *session,
			  struct slice *source, struct wire_event *out)
{
	uint32_t n = 0;

	if (!(plan.thins >> n_ended++ & 1))
		return 0;
	for (uint32_t i = 0; i < source->n; i++)
		if (event_kind(&source->slot[i]) == WIRE_TRACER || is_kept(source->slot[i].b))
			out[n++] = source->slot[i];
	return n;
}

static size_t one_byte(void)
{
	return 1;
}

/* The next event, or whatever the recorder puts before it, is that of this seq. */
static void note_seq(uint64_t seq)
{
	for (uint64_t n = atomic_load(&worker->head); n < N_EVENTS + STOPS_MAX; n++)
		seq_at[n] = seq;
}

static void make_events(void)
{
	for (uint64_t seq = 0; seq < N_EVENTS; seq++) {
		worker->task = 1;
		note_seq(seq);
		record_event(worker, WIRE_SIGNAL, seq);
		note_seq(seq + 1);
		if (worker->lost)
			wrong = "the worker drops an event";
		if (seq % USED == 1)
			test_point("made");
	}
}

/* Takes what there is, with stops, from `number` on. */
static uint64_t take_once(uint64_t number)
{
	struct chunk_events events;
	uint64_t next = seq_at[number];

	if (!chunk_find(worker, &worker->sizes, number, &events))
		return number;
	for (uint32_t i = 0; i < events.n; i++) {
		if (i == events.n / 2)
			test_point("take:half");
		account_for(&events.slot[i], &next);
	}
	n_collected += events.n;
	return events.number + events.n - events.n_whole;
}

static void collect(uint32_t n_rounds)
{
	for (uint32_t i = 0; i < n_rounds; i++) {
		taken = take_once(taken);
		if (plan.early) {
			chunk_release(worker, &worker->sizes, taken, CHUNK_TAKEN);
			continue;
		}
		written = taken; /* a block of it is in the file: one store */
		test_point("block:put");
		chunk_release(worker, &worker->sizes, taken, CHUNK_FREE);
	}
}

static void take_over(void)
{
	uint64_t number = written;

	if (plan.early)
		chunk_take_back(worker, &worker->sizes, written);
	taken = take_once(written);
	if (taken == written && plan.early) { /* a gap */
		number = chunk_oldest(worker, &worker->sizes, written);
		taken = take_once(number);
	}
	written = taken;
	collect(1);
}

static void side_begins(void)
{
	int self = running;

	_setjmp(side[self].begin);
	running = self;
	if (self == WORKER)
		make_events();
	else if (self == COLLECTOR)
		collect(3);
	else
		take_over();
	running = SIDES;
	side[self].done = true;
	_longjmp(scheduler, 1);
}

/* ---- all orders ---- */

static uint32_t choice[STOPS_MAX], n_choices[STOPS_MAX];

static void begin_run(void)
{
	const struct chunk_sizes sizes = { .n = N_CHUNKS, .slots = USED + CHUNK_SPARE };

	memset(&worker->head, 0, worker_place(&sizes) - offsetof(struct worker, head));
	worker->limit = 0;
	worker_make(worker, 1, &sizes, sizes.slots, NULL);
	atomic_store(&worker->n_chunks, N_CHUNKS);
	worker->thins = 1;
	worker->thinner = NULL;
	worker->thin_failed = worker->has_gap = false;
	memset(seq_at, 0, sizeof(seq_at));
	written = taken = 0;
	n_ended = 0;
	for (int i = 0; i < SIDES; i++)
		side[i].started = side[i].done = false;
	side[SUCCESSOR].done = plan.dies_after == STOPS_MAX;
}

/* On a stack of its own, once. */
static void make_side(struct side *s)
{
	ucontext_t context;

	s->made = true;
	getcontext(&context);
	context.uc_stack.ss_sp = s->stack;
	context.uc_stack.ss_size = sizeof(s->stack);
	makecontext(&context, side_begins, 0);
	setcontext(&context);
}

static void step(int which)
{
	struct side *s = &side[which];
	bool started = s->started;

	s->started = true;
	running = which;
	if (!_setjmp(scheduler)) {
		if (!s->made)
			make_side(s);
		_longjmp(started ? s->at : s->begin, 1);
	}
	running = SIDES;
}

/* One order, by choice[]; whether all went well. */
static bool run_once(void)
{
	uint32_t n_stops = 0, n_changes = 0, n_of_collector = 0;
	int last = WORKER;

	begin_run();
	while (!wrong && n_stops < STOPS_MAX) {
		int second = side[COLLECTOR].done ? SUCCESSOR : COLLECTOR;
		bool both = !side[WORKER].done && !side[second].done;
		int which = side[last].done ? WORKER : last;

		if (side[WORKER].done && side[second].done)
			break;
		if (side[WORKER].done || (which != WORKER && side[which].done))
			which = second;
		if (which != WORKER)
			which = second;
		n_choices[n_stops] = both && n_changes < plan.n_changes ? 2 : 1;
		if (choice[n_stops]) {
			which = which == WORKER ? second : WORKER;
			n_changes++;
		}
		n_stops++;
		step(which);
		last = which;
		if (which == COLLECTOR && ++n_of_collector == plan.dies_after)
			side[COLLECTOR].done = true;
		if (!wrong)
			check_death();
	}
	for (uint32_t i = n_stops; i < STOPS_MAX; i++)
		n_choices[i] = 1;
	return !wrong;
}

/* The next order; false if there is none. */
static bool next_order(void)
{
	for (uint32_t i = STOPS_MAX; i-- > 0;) {
		if (choice[i] + 1 < n_choices[i]) {
			choice[i]++;
			memset(&choice[i + 1], 0, (STOPS_MAX - i - 1) * sizeof(choice[0]));
			return true;
		}
	}
	return false;
}

static uint64_t run_all(void)
{
	uint64_t n = 0;

	memset(choice, 0, sizeof(choice));
	do
		n++;
	while (run_once() && next_order());
	if (wrong) {
		print_message("%s: order %llu,", wrong, (unsigned long long)n);
		for (uint32_t i = 0; i < 60; i++)
			print_message(" %u", choice[i]);
		print_message(" (thins %#x, early %d, dies after %u)\n", plan.thins, plan.early,
			      plan.dies_after);
	}
	return n;
}

static int open_all(void **state)
{
	static struct collector thinning;
	const struct chunk_sizes sizes = { .n = N_CHUNKS, .slots = USED + CHUNK_SPARE };

	thinning = idle_collector;
	thinning.thin = thin_some;
	thinning.thinner_bytes = one_byte;
	session_give(&thinning);
	session_start();
	atomic_store(&session_get()->state, SESSION_ON);
	session_get()->drop = true;
	session_get()->process.affinity = 0; /* it thins */
	session_get()->process.quota_milli = 0;
	worker = mmap(NULL, worker_place(&sizes), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	copy = mmap(NULL, worker_place(&sizes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	return worker == MAP_FAILED || copy == MAP_FAILED;
}

/* All orders, of either sort of collector, that dies after so many steps. */
static uint64_t run_sorts(uint32_t dies_after, uint32_t n_changes)
{
	uint64_t n = 0;

	for (plan.thins = 0; plan.thins < 8; plan.thins++)
		for (int early = 0; early < 2; early++) {
			plan = (struct plan){ .early = early,
					      .thins = plan.thins,
					      .dies_after = dies_after,
					      .n_changes = n_changes };
			n += run_all();
			assert_null(wrong);
		}
	return n;
}

/* A collector that lives. */
static void test_all_orders(void **state)
{
	uint64_t n = run_sorts(STOPS_MAX, 4);

	print_message("[ %llu orders ]\n", (unsigned long long)n);
	assert_in_range(n, 10000, 100000000);
	assert_true(n_collected > n);
}

/* One that dies anywhere, and has a successor. */
static void test_successor(void **state)
{
	uint64_t n = 0;

	for (uint32_t k = 1; k <= 14; k++)
		n += run_sorts(k, 3);
	print_message("[ %llu orders ]\n", (unsigned long long)n);
	assert_in_range(n, 10000, 100000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_orders),
		cmocka_unit_test(test_successor),
	};

	return cmocka_run_group_tests(tests, open_all, NULL);
}
