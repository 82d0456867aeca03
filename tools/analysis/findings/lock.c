/* SPDX-License-Identifier: MIT */
/* lock.c - tasks that keep their workers while they wait for locks, or for other threads. */
#include <stdarg.h>
#include <stdlib.h>

#include "tools/analysis/findings/cause.h"

/* ---- the loss of a place ---- */

/* What the places of a lock lost, by wait. */
struct losses {
	struct loss
		*waits; /* blocked there, or with nothing to do while the path ran who held it */
	struct loss *calls; /* calls_at() */
};

static struct loss *wait_losses(const struct clues *clues)
{
	struct loss *loss = calloc(clues->dag->n_waits + 1ull, sizeof(*loss));

	for (uint32_t i = 0; loss && i < clues->dag->n_waits; i++)
		loss[i] = clues->wait[i].lock;
	for (uint32_t i = 0; loss && i < clues->n_parts; i++)
		if (clues->part[i].role == ROLE_LOCK)
			loss_add(&loss[clues->part[i].wait], &clues->part[i].loss);
	return loss;
}

static struct loss *call_losses(const struct clues *clues)
{
	struct loss *loss = calloc(clues->dag->n_waits + 1ull, sizeof(*loss));

	for (uint32_t i = 1; loss && i < clues->dag->n_waits; i++)
		loss[i] = calls_at(clues, i);
	return loss;
}

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

/* What the trace says of that lock. */
static void add_evidence(const struct clues *clues, const struct lock *lock,
			 struct finding *finding)
{
	bool one = held_is_known(lock);
	double elapsed = (double)clues->elapsed_ns;

	finding->lock = lock;
	finding->kind = lock->waiter[0].kind;
	finding->n = lock->n_waits;
	finding->cost_ns = one && lock->n_entries ? lock->held_ns / lock->n_entries : 0;
	finding->median_ns = grain_work(clues, finding->kind);
	finding->share = (double)(one ? held_ns(clues->locks, lock) : lock->busy_ns) / elapsed;
	finding->to_ns = clues->elapsed_ns;
	if (machine_inflates(clues->machine, &clues->machine_rows->total, clues->dag))
		return; /* how much of the work is waits for a CPU nobody knows */
	finding->bound_ns = lock->serial_ns;
	finding->aim_ns = clues->breakdown->total.work_ns / clues->dag->n_workers;
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
static void join_places(const struct clues *clues, struct loss *loss)
{
	for (uint32_t i = 1; i < clues->dag->n_waits; i++) {
		uint32_t to = loss[i].ns > 0 ? main_place(clues, i) : i;

		if (to == i)
			continue;
		loss_add(&loss[to], &loss[i]);
		loss[i] = (struct loss){ 0 };
	}
}

static void losses_free(struct losses *losses)
{
	free(losses->waits);
	free(losses->calls);
}

/* 0 or -1. */
static int losses_build(struct losses *losses, const struct clues *clues)
{
	*losses = (struct losses){ wait_losses(clues), call_losses(clues) };
	if (!losses->waits || !losses->calls) {
		losses_free(losses);
		return -1;
	}
	join_places(clues, losses->waits);
	join_places(clues, losses->calls);
	return 0;
}

bool lock_is_found(const struct clues *clues, uint32_t wait)
{
	uint32_t at = main_place(clues, wait);
	struct losses losses;
	bool found;

	if (cause_at(clues, &clues->dag->wait[at]) != &cause_lock ||
	    losses_build(&losses, clues) < 0)
		return false;
	found = is_worth(clues, &losses.waits[at]);
	losses_free(&losses);
	return found;
}

/* Calls of the lock's places that are worth a finding of their own, and are told in that of its
 * waits. */
static void add_calls(const struct clues *clues, uint32_t at, struct finding *finding)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 1; i < clues->dag->n_waits; i++)
		if (calls_at(clues, i).ns > 0 && main_place(clues, i) == at) {
			finding->n_calls += clues->wait[i].n_calls;
			sum_ns += clues->wait[i].calls_ns;
		}
	finding->tracer_ns = calls_tracer_ns(clues);
	finding->call_ns = calls_each_ns(clues, finding->n_calls, sum_ns);
}

static int add(const struct clues *clues, struct findings *findings, const struct cause *cause,
	       uint32_t i, const struct losses *losses)
{
	const struct dag_wait *wait = &clues->dag->wait[i];
	const struct wait_clues *seen = &clues->wait[i];
	const struct lock *lock = lock_at(clues, wait);
	const struct lock *whole = whole_at(clues, wait);
	bool has_calls = cause == &cause_lock && losses->calls[i].ns > 0;
	struct loss loss = losses->waits[i];
	struct finding *finding;

	if (has_calls)
		loss_add(&loss, &losses->calls[i]);
	finding = finding_add(findings, cause, clues, &loss, seen->kind);
	if (!finding)
		return -1;
	lock = whole ? whole : lock;
	finding->site = wait->site;
	finding->variant = wait->what;
	finding->n = seen->n_lock;
	finding->most_ns = seen->lock_max_ns;
	if (lock)
		add_evidence(clues, lock, finding);
	if (has_calls)
		add_calls(clues, i, finding);
	return 0;
}

static int find(const struct clues *clues, struct findings *findings, const struct cause *cause)
{
	struct losses losses;
	int error = losses_build(&losses, clues);

	if (error)
		return error;
	for (uint32_t i = 1; i < clues->dag->n_waits && !error; i++) {
		const struct dag_wait *wait = &clues->dag->wait[i];

		if (is_worth(clues, &losses.waits[i]) && cause_at(clues, wait) == cause)
			error = add(clues, findings, cause, i, &losses);
	}
	losses_free(&losses);
	return error;
}

/* ---- locks ---- */

#define NAMED 3u	 /* kinds of tasks */
#define HELD_LITTLE 0.25 /* of the run: then it is not what is done inside that costs */

/* A sentence that grows in a buffer of FINDING_TEXT. */
struct text {
	char *at;
	size_t room;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *text, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(text->at, text->room, format, arguments);
	va_end(arguments);
	n = n < 0 ? 0 : (size_t)n < text->room ? n : (int)text->room - 1;
	text->at += n;
	text->room -= (size_t)n;
}

/* "scan, app.c:7 (118 x)", or with the time that others waited for its tasks. */
static void say_kinds(struct text *text, const struct finding_names *names,
		      const struct lock_kind *kind, uint32_t n)
{
	char name[120], time[UNITS_TIME];

	for (uint32_t i = 0; i < n && i < NAMED; i++) {
		names->kind(names->context, kind[i].kind, name, sizeof(name));
		if (kind[i].n)
			say(text, "%s%s (%llu x)", i ? ", " : "", name,
			    (unsigned long long)kind[i].n);
		else
			say(text, "%s%s (%s)", i ? ", " : "", name, units_time(time, kind[i].ns));
	}
	if (n > NAMED)
		say(text, ", %u more", n - NAMED);
}

static void say_tasks(struct text *text, const struct lock *lock, const struct finding_names *names)
{
	bool same = lock->n_waiters == 1 && lock->n_holders == 1 &&
		    lock->waiter[0].kind == lock->holder[0].kind;

	say(text, "\nby tasks of ");
	say_kinds(text, names, lock->waiter, lock->n_waiters);
	if (lock->n_places > 1)
		say(text, ", at %u places (--by lock)", lock->n_places);
	if (same) {
		say(text, "; the same held it");
	} else if (lock->n_holders) {
		say(text, "\nheld meanwhile by tasks of ");
		say_kinds(text, names, lock->holder, lock->n_holders);
	}
}

static void say_waits(struct text *text, const struct finding *finding, const char *share)
{
	const struct lock *lock = finding->lock;
	char median[UNITS_TIME], most[UNITS_TIME];

	if (lock->n_objects > 1)
		say(text, "%llu of them; ", (unsigned long long)lock->n_objects);
	say(text, "%s %.0f %% of the run; %llu wait%s, median %s, max %s", share,
	    100 * finding->share, (unsigned long long)lock->n_waits, lock->n_waits == 1 ? "" : "s",
	    units_time(median, lock->median_ns), units_time(most, lock->max_ns));
}

static void say_best(struct text *text, const struct finding *finding)
{
	char time[UNITS_TIME];

	if (finding->aim_ns && finding->aim_ns < finding->to_ns)
		say(text, ": %s at best on %u workers", units_time(time, finding->aim_ns),
		    finding->n_workers);
}

static void say_calls(struct text *text, const struct finding *finding)
{
	char time[2][UNITS_TIME];

	if (finding->n_calls)
		say(text,
		    "\ntaken often: %llu calls that took it while it was free, or released it, "
		    "cost %s each (recording adds %s, which is not counted)",
		    (unsigned long long)finding->n_calls, units_time(time[0], finding->call_ns),
		    units_time(time[1], finding->tracer_ns));
}

static void advise_on_lock(struct text *hint, const struct finding *finding)
{
	char time[2][UNITS_TIME];

	if (finding->cost_ns && finding->share < HELD_LITTLE)
		say(hint,
		    "it is held for %s each time, and waiting costs more: take it once for "
		    "several items, or use an atomic operation",
		    units_time(time[0], finding->cost_ns));
	else
		say(hint, "%sdo less while it is held",
		    finding->n_calls ? "take it once for several items, or use an atomic "
				       "operation; or "
				     : "");
	if (finding->cost_ns && finding->share >= HELD_LITTLE)
		say(hint, " (%s each time; a task works for %s)",
		    units_time(time[0], finding->cost_ns), units_time(time[1], finding->median_ns));
	say(hint, ", or a copy for each worker, merged at the end (reduction)");
	say_best(hint, finding);
	say(hint, "; or several locks for several parts of the data");
}

/* Of ordered sections: whoever waits does so for the iteration before, and not for some other. */
static void advise_on_order(struct text *hint, const struct finding *finding)
{
	char time[UNITS_TIME];

	if (finding->cost_ns && finding->share < HELD_LITTLE)
		say(hint, "an iteration has it for %s, and to hand it on costs more: ",
		    units_time(time, finding->cost_ns));
	else
		say(hint, "do before it what needs no order, or ");
	say(hint, "keep what each iteration makes, and put that in order after the loop");
	say_best(hint, finding);
}

static void say_lock(const struct finding *finding, const struct finding_names *names, char *what,
		     char *advice)
{
	const struct lock *lock = finding->lock;
	struct text found = { what, FINDING_TEXT }, hint = { advice, FINDING_TEXT };
	char time[2][UNITS_TIME], tasks[160], times[UNITS_TIMES];

	if (!lock) {
		names->kind(names->context, finding->kind, tasks, sizeof(tasks));
		say(&found,
		    "%s a worker waited here for a lock and could do nothing else, up to %s, in "
		    "tasks of %s",
		    units_times(times, finding->n), units_time(time[0], finding->most_ns), tasks);
	} else {
		say_waits(&found, finding, held_is_known(lock) ? "held" : "others waited for");
		say_tasks(&found, lock, names);
	}
	say_calls(&found, finding);
	if (finding->bound_ns)
		say(&found,
		    "\nwork while it is held: %s in all, so no number of workers runs this in less "
		    "(now %s)",
		    units_time(time[0], finding->bound_ns), units_time(time[1], finding->to_ns));
	if (lock && lock->n_objects == 1 && dag_object_is_order(lock->object))
		advise_on_order(&hint, finding);
	else
		advise_on_lock(&hint, finding);
}

static int find_lock(const struct clues *clues, struct findings *findings)
{
	return find(clues, findings, &cause_lock);
}

const struct cause cause_lock = {
	{ "lock", "lock", "Workers wait for a lock (critical, ordered, a mutex) that others hold.",
	  "A task waits for an object and its worker runs nothing until the object is released.  "
	  "Lost: the time of these workers, and that of others who have nothing to do while the "
	  "ready path holds the lock.  Calls of the lock that would be a finding of their own "
	  "(locking) count, too.  A lock that several places wait for is one finding, at the place "
	  "with the longest waits.  tptrace knows how long it was held for the runtime's own "
	  "locks, and full/empty words that a task takes and fills again.  For pthread's mutexes "
	  "it only knows how long others waited.",
	  "Do less while the lock is held; a copy for each worker, merged at the end; several "
	  "locks for several parts of the data." },
	.find = find_lock,
	.say = say_lock,
};

/* ---- words ---- */

static int find_word(const struct clues *clues, struct findings *findings)
{
	return find(clues, findings, &cause_word);
}

static void say_word(const struct finding *finding, const struct finding_names *names, char *what,
		     char *advice)
{
	const struct lock *lock = finding->lock;
	struct text found = { what, FINDING_TEXT };

	if (lock) {
		say_waits(&found, finding, "waited for");
		say(&found, "\nby tasks of ");
		say_kinds(&found, names, lock->waiter, lock->n_waiters);
		if (lock->n_holders) {
			say(&found, "\nsignalled by tasks of ");
			say_kinds(&found, names, lock->holder, lock->n_holders);
		}
	} else {
		char tasks[160];

		names->kind(names->context, finding->kind, tasks, sizeof(tasks));
		say(&found, "tasks of %s were late here, after the word was full or empty", tasks);
	}
	snprintf(
		advice, FINDING_TEXT,
		"begin sooner what fills or empties it, or let several tasks do so; hand over more "
		"at a time, or keep several words in between, so that neither side waits for "
		"each item");
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
	.find = find_word,
	.say = say_word,
};

/* ---- other threads ---- */

static const char *const waits_for[WIRE_WAITS] = {
	[WIRE_WAIT_COND] = "a condition variable",
	[WIRE_WAIT_SEM] = "a semaphore",
	[WIRE_WAIT_THREAD] = "the end of a thread",
	[WIRE_WAIT_THREADS] = "a barrier of threads",
	[WIRE_WAIT_FUTURE] = "a std::future",
	[WIRE_WAIT_FUTEX] = "a futex (std::atomic::wait(), std::latch, std::barrier, "
			    "std::counting_semaphore)",
};

static int find_blocked(const struct clues *clues, struct findings *findings)
{
	return find(clues, findings, &cause_blocked);
}

static void say_blocked(const struct finding *finding, const struct finding_names *names,
			char *what, char *advice)
{
	char tasks[160], most[UNITS_TIME], times[UNITS_TIMES];
	const char *thing = waits_for[finding->variant];

	thing = thing ? thing : "another thread";
	names->kind(names->context, finding->kind, tasks, sizeof(tasks));
	if (!finding->n) { /* a user-level thread, which leaves its worker to others */
		snprintf(what, FINDING_TEXT,
			 "tasks of %s waited here for %s, and were late to go on after its signal",
			 tasks, thing);
		snprintf(advice, FINDING_TEXT,
			 "hand over more at a time, so that fewer tasks wait; or create the task "
			 "that goes on once it may");
		return;
	}
	snprintf(what, FINDING_TEXT,
		 "%s a worker waited here for %s and could do nothing else, up to %s, in tasks of "
		 "%s",
		 units_times(times, finding->n), thing, units_time(most, finding->most_ns), tasks);
	snprintf(advice, FINDING_TEXT,
		 "let the task wait by the runtime's own means (depend(), taskwait, "
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
	  "after." },
	.find = find_blocked,
	.say = say_blocked,
};
