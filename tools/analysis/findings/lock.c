/* SPDX-License-Identifier: MIT */
/* lock.c - tasks that keep their workers while they wait for locks, or for other threads. */
#include <stdio.h>
#include <string.h>

#include "tools/analysis/findings/cause.h"
#include "tools/dag/wait_rules.h"

/* ---- the lock of a place ---- */

/* Of the place's locks the one that was waited for most; NULL if there is none. */
static const struct lock *lock_at(const struct clues *clues, const struct dag_wait *wait)
{
	for (uint32_t i = 0; clues->locks && i < clues->locks->n; i++) {
		const struct lock *lock = &clues->locks->lock[i];

		if (lock->site == wait->site && lock->what == wait->what && lock->n_waits)
			return lock;
	}
	return NULL;
}

/* The lock that the place is one of several places of; NULL if it is the only one. */
static const struct lock *whole_at(const struct clues *clues, const struct dag_wait *wait)
{
	const struct lock *lock = lock_at(clues, wait);
	const struct lock *whole = lock ? locks_whole(clues->locks, lock) : NULL;
	uint32_t n_rows = 0;

	for (uint32_t i = 0; whole && i < clues->locks->n; i++)
		n_rows += clues->locks->lock[i].site == wait->site &&
			  clues->locks->lock[i].what == wait->what;
	return n_rows == 1 ? whole : NULL;
}

/* What the place is a matter of; NULL: of no cause here. */
static const struct cause *cause_at(const struct clues *clues, const struct dag_wait *wait)
{
	const struct lock *lock;

	switch (wait->what) {
	case WIRE_WAIT_OBJECT:
	case WIRE_WAIT_MUTEX:
	case WIRE_WAIT_RWLOCK:
	case WIRE_WAIT_ADDRESS:
		return &cause_lock;
	case WIRE_WAIT_WORD:
		lock = lock_at(clues, wait);
		return lock && lock->held_known ? &cause_lock : &cause_word;
	case WIRE_WAIT_NAMED:
		return &cause_word;
	case WIRE_WAIT_MESSAGE:
		return &cause_message;
	case WIRE_WAIT_DEVICE:
		return &cause_device;
	default:
		return wait_blocks(wait->what) ? &cause_blocked : NULL;
	}
}

/* How long the object was held, wherever that began. */
static uint64_t held_ns(const struct locks *locks, const struct lock *lock)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < locks->n; i++)
		if (locks->lock[i].object == lock->object && locks->lock[i].n_objects == 1)
			sum_ns += locks->lock[i].held_ns;
	return sum_ns;
}

static bool held_is_known(const struct lock *lock)
{
	return lock->n_objects == 1 && lock->held_known;
}

#define NAMED 3u /* kinds of tasks */

/* Kinds that wait, with their waits; and those that hold it, with the time that others waited. */
enum { WAITERS, HOLDERS };
static const struct {
	const char *kind[NAMED], *much[NAMED], *more;
} kind_ids[] = {
	[WAITERS] = { { "waiter", "waiter_2", "waiter_3" },
		      { "waiter_waits", "waiter_2_waits", "waiter_3_waits" },
		      "more_waiters" },
	[HOLDERS] = { { "holder", "holder_2", "holder_3" },
		      { "holder_time", "holder_2_time", "holder_3_time" },
		      "more_holders" },
};

static void add_kinds(struct finding *finding, int who, const struct lock_kind *kind, uint32_t n)
{
	for (uint32_t i = 0; i < n && i < NAMED; i++)
		FACTS(finding, fact_kind(kind_ids[who].kind[i], kind[i].kind),
		      who == WAITERS ? fact_count(kind_ids[who].much[i], kind[i].n)
				     : fact_ns(kind_ids[who].much[i], kind[i].ns));
	if (n > NAMED)
		FACTS(finding, fact_count(kind_ids[who].more, n - NAMED));
}

/* What the trace says of that lock. */
static void add_evidence(const struct clues *clues, const struct lock *lock,
			 struct finding *finding)
{
	bool one = held_is_known(lock);
	double elapsed = (double)clues->elapsed_ns;
	uint64_t busy_ns = one ? held_ns(clues->locks, lock) : lock->busy_ns;

	finding->lock = lock;
	finding->kind = lock->waiter[0].kind;
	finding->to_ns = clues->elapsed_ns;
	FACTS(finding, fact_count("locks", lock->n_objects),
	      fact_share(one ? "held" : "waited_for", (double)busy_ns / elapsed),
	      fact_count("waits", lock->n_waits), fact_ns("median_wait", lock->median_ns),
	      fact_ns("longest_wait", lock->max_ns), fact_count("places", lock->n_places));
	add_kinds(finding, WAITERS, lock->waiter, lock->n_waiters);
	add_kinds(finding, HOLDERS, lock->holder, lock->n_holders);
	if (one && lock->n_entries)
		FACTS(finding, fact_ns("held_each", lock->held_ns / lock->n_entries),
		      fact_ns("task_work", grain_work(clues, finding->kind)));
	if (machine_inflates(clues->machine, &clues->machine_rows->total, clues->dag))
		return; /* how much of the work is waits for a CPU nobody knows */
	FACTS(finding, fact_ns("work_held", lock->serial_ns), fact_ns("now", clues->elapsed_ns),
	      fact_ns("best", clues->breakdown->total.work_ns / clues->dag->n_workers));
}

/* The place of all of the lock's places that a finding of it has: where its waits are longest. */
static uint32_t main_place(const struct clues *clues, uint32_t i)
{
	const struct lock *whole = whole_at(clues, &clues->dag->wait[i]);

	for (uint32_t j = 1; whole && j < clues->dag->n_waits; j++)
		if (clues->dag->wait[j].site == whole->site &&
		    clues->dag->wait[j].what == whole->what)
			return j;
	return i;
}

/* One lock is one finding: what its other places lost counts there, too. */
void lock_settle(struct ledger *ledger)
{
	for (uint32_t i = 1; i < ledger->clues->dag->n_waits; i++) {
		struct loss *loss = ledger_row(ledger, ROW_LOCK, i);
		uint32_t to = loss->ns > 0 ? main_place(ledger->clues, i) : i;

		if (to != i)
			ledger_move(ledger_row(ledger, ROW_LOCK, to), loss);
	}
}

uint32_t spot_place(const struct clues *clues, const struct kind_spot *spot)
{
	const struct dag_wait *wait = &clues->dag->wait[spot->wait];

	if (spot->spot != SPOT_LOCK || !spot->wait || cause_at(clues, wait) != &cause_lock ||
	    !lock_at(clues, wait))
		return 0;
	return main_place(clues, spot->wait);
}

/*
 * The work of tasks that samples saw in calls of the lock: before they sleep for it, and when they
 * wake others, they are on a CPU.  The first such spot, as a number; UINT32_MAX: none.
 */
static uint32_t claim_spots(struct ledger *ledger, uint32_t at)
{
	const struct kind_spots *spots = ledger->clues->spots;
	uint32_t first = UINT32_MAX;
	struct kind_spot spot;

	for (uint32_t i = 0; spots && i < spots->n; i++) {
		if (!spot_sum(spots, i, &spot) || spot_place(ledger->clues, &spot) != at)
			continue;
		spot_claim(ledger, &spot);
		first = first < i ? first : i;
	}
	return first;
}

/* Calls of the lock's places that would be a finding of their own: taken often, besides. */
struct lock_calls {
	uint64_t n, sum_ns;
};

static struct lock_calls claim_calls(struct ledger *ledger, uint32_t at)
{
	const struct clues *clues = ledger->clues;
	struct lock_calls calls = { 0 };

	for (uint32_t i = 1; i < clues->dag->n_waits; i++)
		if (calls_are_worth(ledger, i) && main_place(clues, i) == at) {
			claim(ledger, ledger_row(ledger, ROW_CALLS, i));
			calls.n += clues->wait[i].n_calls;
			calls.sum_ns += clues->wait[i].calls_ns;
		}
	return calls;
}

static const char *const waits_for[WIRE_WAITS] = {
	[WIRE_WAIT_OBJECT] = "a lock",
	[WIRE_WAIT_MUTEX] = "a mutex",
	[WIRE_WAIT_RWLOCK] = "a lock of readers and writers",
	[WIRE_WAIT_ADDRESS] = "a lock",
	[WIRE_WAIT_WORD] = "a full/empty word",
	[WIRE_WAIT_NAMED] = "a full/empty word",
	[WIRE_WAIT_COND] = "a condition variable",
	[WIRE_WAIT_SEM] = "a semaphore",
	[WIRE_WAIT_THREAD] = "the end of a thread",
	[WIRE_WAIT_THREADS] = "a barrier of threads",
	[WIRE_WAIT_FUTURE] = "a std::future",
	[WIRE_WAIT_FUTEX] = "a futex (std::atomic::wait(), std::latch, std::barrier, "
			    "std::counting_semaphore)",
	[WIRE_WAIT_MESSAGE] = "a message",
	[WIRE_WAIT_DEVICE] = "a device",
};

static void add_wait_facts(const struct clues *clues, uint32_t i, struct finding *finding)
{
	const struct dag_wait *wait = &clues->dag->wait[i];
	const struct wait_clues *seen = &clues->wait[i];
	const struct lock *lock = whole_at(clues, wait) ?: lock_at(clues, wait);

	finding->site = wait->site;
	if (lock && wait->what != WIRE_WAIT_THREAD) /* which ends once: no other wait is for it */
		add_evidence(clues, lock, finding);
	else
		FACTS(finding, fact_count("waits", seen->n_lock));
	FACTS(finding, fact_string("thing", waits_for[wait->what] ?: "another thread"),
	      fact_ns("longest_block", seen->lock_max_ns), fact_kind("task", finding->kind));
	if (wait->rank && wait->rank != DAG_WAIT_RANKS)
		FACTS(finding, fact_count("rank", wait->rank - 1));
}

static void find_waits(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	const struct clues *clues = ledger->clues;

	for (uint32_t i = 1; i < clues->dag->n_waits; i++) {
		struct lock_calls calls = { 0 };
		uint32_t spot = UINT32_MAX;
		struct finding *finding;

		if (cause_at(clues, &clues->dag->wait[i]) != cause)
			continue;
		claim(ledger, ledger_row(ledger, ROW_LOCK, i));
		if (cause == &cause_lock)
			spot = claim_spots(ledger, i);
		if (!claim_is_worth(ledger))
			claim_drop(ledger);
		else if (cause == &cause_lock)
			calls = claim_calls(ledger, i);
		finding = finding_claim(findings, cause, ledger, clues->wait[i].kind);
		if (!finding)
			continue;
		add_wait_facts(clues, i, finding);
		if (calls.n)
			FACTS(finding, fact_count("calls", calls.n),
			      fact_ns("call", calls_each_ns(clues, calls.n, calls.sum_ns)),
			      fact_ns("recording", calls_tracer_ns(clues)));
		if (spot != UINT32_MAX)
			spot_facts(clues->spots, spot, finding);
	}
}

/* ---- locks ---- */

#define HELD_LITTLE 0.25 /* of the run: then it is not what is done inside that costs */

/* "scan, app.c:7 (118 x)", or with the time that others waited for its tasks. */
static void say_kinds(struct sentence *text, int who)
{
	char template[120];

	for (uint32_t i = 0; i < NAMED && fact_of(text->finding, kind_ids[who].kind[i]); i++) {
		snprintf(template, sizeof(template), "%s{%s} ({%s}%s)", i ? ", " : "",
			 kind_ids[who].kind[i], kind_ids[who].much[i], who == WAITERS ? " x" : "");
		say(text, template);
	}
	if (fact_of(text->finding, kind_ids[who].more))
		say(text, who == WAITERS ? ", {more_waiters} more" : ", {more_holders} more");
}

static void say_tasks(struct sentence *text, const struct lock *lock)
{
	bool same = lock->n_waiters == 1 && lock->n_holders == 1 &&
		    lock->waiter[0].kind == lock->holder[0].kind;

	say(text, "\nby tasks of ");
	say_kinds(text, WAITERS);
	if (lock->n_places > 1)
		say(text, ", at {places} places (--by lock)");
	if (same) {
		say(text, "; others of these held it");
	} else if (lock->n_holders) {
		say(text, "\nheld meanwhile by tasks of ");
		say_kinds(text, HOLDERS);
	}
}

static void say_waits(struct sentence *text, const char *share)
{
	const struct finding *finding = text->finding;

	if (finding->lock->n_objects > 1)
		say(text, "{locks} of them; ");
	say(text, share);
	say(text, fact_of(finding, "held") ? " {held}" : " {waited_for}");
	say(text, " of the run; {waits} wait{waits:s}, median {median_wait}, max {longest_wait}");
}

static void say_times(struct sentence *text, const char *waited)
{
	say(text, "{waits:times} a worker waited ");
	say(text, waited);
	say(text, ", up to {longest_block}, in tasks of {task}");
}

static void say_best(struct sentence *text)
{
	uint64_t best_ns = fact_n(text->finding, "best");

	if (best_ns && best_ns < fact_n(text->finding, "now"))
		say(text, ": {best} at best on {workers} workers");
}

static void say_calls(struct sentence *text)
{
	if (fact_of(text->finding, "calls"))
		say(text,
		    "\ntaken often: {calls} calls that took it while it was free, or released "
		    "it, cost {call} each (recording adds {recording}, which is not counted)");
}

/* Whether it is known how long it was held each time, and that was little. */
static bool is_held_little(const struct finding *finding)
{
	return fact_n(finding, "held_each") && fact_of(finding, "held")->real < HELD_LITTLE;
}

static void advise_on_lock(struct sentence *hint)
{
	const struct finding *finding = hint->finding;

	if (is_held_little(finding)) {
		say(hint, "it is held for {held_each} each time, and waiting costs more: take it "
			  "once for several items, or use an atomic operation");
	} else {
		if (fact_of(finding, "calls") || fact_of(finding, "of_cpu"))
			say(hint,
			    "take it once for several items, or use an atomic operation; or ");
		say(hint, "do less while it is held");
		if (fact_n(finding, "held_each"))
			say(hint, " ({held_each} each time; a task works for {task_work})");
	}
	say(hint, ", or a copy for each worker, merged at the end (reduction)");
	say_best(hint);
	say(hint, "; or several locks for several parts of the data");
}

/* Of ordered sections: whoever waits does so for the iteration before, and not for some other. */
static void advise_on_order(struct sentence *hint)
{
	say(hint, is_held_little(hint->finding)
			  ? "an iteration has it for {held_each}, and to hand it on costs more: "
			  : "do before it what needs no order, or ");
	say(hint, "keep what each iteration makes, and put that in order after the loop");
	say_best(hint);
}

static void say_lock(const struct finding *finding, struct sentence *what, struct sentence *advice)
{
	const struct lock *lock = finding->lock;

	if (!lock) {
		say_times(what, "here for a lock and could do nothing else");
	} else {
		say_waits(what, held_is_known(lock) ? "held" : "others waited for");
		say_tasks(what, lock);
	}
	say_calls(what);
	if (fact_of(finding, "of_cpu"))
		say(what, "\n{of_cpu} of the CPU time of the tasks is in calls for this lock");
	if (fact_n(finding, "work_held"))
		say(what, "\nwork while it is held: {work_held} in all, so no number of workers "
			  "runs this in less (now {now})");
	if (lock && lock->n_objects == 1 && dag_object_is_order(lock->object))
		advise_on_order(advice);
	else
		advise_on_lock(advice);
}

const struct cause cause_lock = {
	{ "lock", "lock", "Workers wait for a lock (critical, ordered, a mutex) that others hold.",
	  "A task waits for an object and its worker runs nothing until the object is released.  "
	  "Lost: the time of these workers, and that of others who have nothing to do while the "
	  "ready path holds the lock.  Calls of the lock that would be a finding of their own "
	  "(locking) count, too.  So does the CPU time of tasks that stack samples see in calls at "
	  "that line: at least 16 samples (contention).  A lock that several places wait for is "
	  "one finding, at the place with the longest waits.  tptrace knows how long it was held "
	  "for the runtime's own locks, and full/empty words that a task takes and fills again.  "
	  "For pthread's mutexes it only knows how long others waited.",
	  "Do less while the lock is held; a copy for each worker, merged at the end; several "
	  "locks for several parts of the data." },
	.find = find_waits,
	.say = say_lock,
};

/* ---- words ---- */

static void say_word(const struct finding *finding, struct sentence *what, struct sentence *advice)
{
	(void)advice;
	if (!finding->lock) {
		say(what, "tasks of {task} were late here, after the word was full or empty");
		return;
	}
	say_waits(what, "waited for");
	say(what, "\nby tasks of ");
	say_kinds(what, WAITERS);
	if (finding->lock->n_holders) {
		say(what, "\nsignalled by tasks of ");
		say_kinds(what, HOLDERS);
	}
}

const struct cause cause_word = {
	{ "word", "full/empty word",
	  "Tasks wait for a full/empty word until another task fills or empties it.",
	  "The tasks waited for the word, and workers had nothing else, or took long to go on with "
	  "them.  The task that filled or emptied it had not taken it before, so it is no lock.  "
	  "Where a task that waits leaves its worker to others (Qthreads, MassiveThreads), its "
	  "waits are in --by lock, but only what workers lost through them counts here.",
	  "Fill or empty it sooner, by several tasks; hand over more at a time; several words in "
	  "between." },
	.advice = "begin sooner what fills or empties it, or let several tasks do so; hand over "
		  "more at a time, or keep several words in between, so that neither side waits "
		  "for each item",
	.find = find_waits,
	.say = say_word,
};

/* ---- other threads ---- */

/* Whether the task waits in the C++ runtime until another one has built a static variable. */
static bool is_guard(const struct finding *finding, const struct finding_names *names)
{
	return strstr(names->site(names->context, finding->site), "__cxa_guard_acquire") != NULL;
}

/* Whether the program makes threads beside its workers, and its tasks wait until they end. */
static bool is_thread(const struct finding *finding)
{
	const struct fact *thing = fact_of(finding, "thing");

	return thing && strcmp(thing->text, waits_for[WIRE_WAIT_THREAD]) == 0;
}

static void say_blocked(const struct finding *finding, struct sentence *what,
			struct sentence *advice)
{
	if (is_guard(finding, what->names)) {
		say_times(what, "for a static variable that another task was building");
		say(advice, "build it before these tasks begin, by tasks of its own if that takes "
			    "long");
		return;
	}
	if (!fact_n(finding, "waits")) { /* a user-level thread leaves its worker to others */
		say(what, "tasks of {task} waited here for {thing}, and were late to go on after "
			  "its signal");
		say(advice, "hand over more at a time, so that fewer tasks wait; or create the "
			    "task that goes on once it may");
		return;
	}
	say_times(what, "here for {thing} and could do nothing else");
	if (is_thread(finding)) {
		say(advice, "call in the task what the thread does (std::async, std::thread), or "
			    "make tasks of it: workers have the CPUs, and one waits for each such "
			    "thread");
		return;
	}
	say(advice, "let the task wait by the runtime's own means (depend(), taskwait, "
		    "task_group::wait()), so that its worker runs others meanwhile; or end it, and "
		    "create another for what comes after");
}

const struct cause cause_blocked = {
	{ "blocked", "task blocks its worker",
	  "A task waits for another thread, and its worker can run no other task meanwhile.  It "
	  "waits by a condition variable, a semaphore, a barrier of threads, a std::future, a "
	  "futex or pthread_join().",
	  "The wait ended only when another worker signalled, and the worker ran nothing until "
	  "then.",
	  "Wait by the runtime's own means; or end the task, and create another for what comes "
	  "after.  Instead of waiting for a thread that it made, a task can do that work itself." },
	.find = find_waits,
	.say = say_blocked,
};

/* ---- other ranks ---- */

static void say_message(const struct finding *finding, struct sentence *what,
			struct sentence *advice)
{
	bool one = fact_of(finding, "rank");

	if (fact_n(finding, "waits"))
		say_times(what, one ? "here for rank {rank}" : "here for other ranks");
	else /* between regions */
		say(what, "workers had nothing to run while {task} was inside MPI here");
	say(advice, one ? "report all ranks together: that names what rank {rank} runs; or "
			: "report all ranks together: that names what the last one runs; or ");
	say(advice, "begin the call early (MPI_Irecv, MPI_Ibarrier, ..), and wait for it when "
		    "there is no other task to run");
}

const struct cause cause_message = {
	{ "message", "task waits for a message",
	  "A task is inside a call of MPI, and its worker can run no other task meanwhile: what it "
	  "waits for another rank does later.",
	  "The call ended only after others had done their part, and the worker ran nothing until "
	  "then.  Lost: its time, and that of others who have nothing to do while the ready path "
	  "waits here.",
	  "Give the late rank less to do, or do it earlier there; begin the call early, and wait "
	  "for it late." },
	.find = find_waits,
	.say = say_message,
};

/* ---- devices ---- */

static void say_device(const struct finding *finding, struct sentence *what,
		       struct sentence *advice)
{
	if (!fact_n(finding, "waits")) { /* nowait: libomp's hidden helpers do */
		say(what, "tasks of {task} waited here for a device, on threads that are no "
			  "workers, and workers had nothing else to run");
		say(advice, "give the workers other tasks meanwhile, or a part of the work");
		return;
	}
	say_times(what, "here for a device");
	say(advice, "launch and copy asynchronously (target nowait with depend, streams), and wait "
		    "when there is no other task to run; or give the host a part of the work");
}

const struct cause cause_device = {
	{ "device", "task waits for a device",
	  "A task waits for what a device (a GPU, say) runs or copies, and its worker can run no "
	  "other task meanwhile.",
	  "The call that launched, copied or waited ended only when the device was done, and the "
	  "worker ran nothing until then.  Lost: its time, and that of others who have nothing to "
	  "do while the ready path waits here.",
	  "Launch and copy asynchronously: target nowait with depend, streams, events.  Wait late, "
	  "when nothing else is left to run; or give the host a part of the work." },
	.find = find_waits,
	.say = say_device,
};
