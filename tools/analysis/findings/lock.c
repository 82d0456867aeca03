/* SPDX-License-Identifier: MIT */
/* lock.c - tasks that keep their workers while they wait for locks, or for other threads. */
#include <stdarg.h>
#include <stdlib.h>

#include "tools/analysis/findings/cause.h"

/* ---- the loss of a place ---- */

/* By wait: blocked there, or with nothing to do while the path ran who held the lock. */
static struct loss *lock_losses(const struct clues *clues)
{
	struct loss *loss = calloc(clues->dag->n_waits + 1ull, sizeof(*loss));

	for (uint32_t i = 0; loss && i < clues->dag->n_waits; i++)
		loss[i] = clues->wait[i].lock;
	for (uint32_t i = 0; loss && i < clues->n_parts; i++)
		if (clues->part[i].role == ROLE_LOCK)
			loss_add(&loss[clues->part[i].wait], &clues->part[i].loss);
	return loss;
}

static bool is_lock(uint8_t what)
{
	return what == WIRE_WAIT_OBJECT || what == WIRE_WAIT_MUTEX || what == WIRE_WAIT_RWLOCK ||
	       what == WIRE_WAIT_ADDRESS;
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

/* How long the object was held, wherever that began. */
static uint64_t held_ns(const struct locks *locks, const struct lock *lock)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < locks->n; i++)
		if (locks->lock[i].object == lock->object && locks->lock[i].n_objects == 1)
			sum_ns += locks->lock[i].held_ns;
	return sum_ns;
}

/* What the trace says of that lock. */
static void add_evidence(const struct clues *clues, const struct lock *lock,
			 struct finding *finding)
{
	bool one = lock->n_objects == 1 && lock->held_known;
	double elapsed = (double)clues->elapsed_ns;

	finding->lock = lock;
	finding->kind = lock->waiter[0].kind;
	finding->n = lock->n_waits;
	finding->bound_ns = one ? held_ns(clues->locks, lock) : 0;
	finding->cost_ns = one && lock->n_entries ? lock->held_ns / lock->n_entries : 0;
	finding->median_ns = grain_work(clues, finding->kind);
	finding->share = (double)(one ? finding->bound_ns : lock->busy_ns) / elapsed;
	finding->to_ns = clues->elapsed_ns;
	if (!machine_inflates(clues->machine, &clues->machine_rows->total, clues->dag))
		finding->aim_ns = clues->breakdown->total.work_ns / clues->dag->n_workers;
}

static int add(const struct clues *clues, struct findings *findings, const struct cause *cause,
	       uint32_t i, const struct loss *loss)
{
	const struct dag_wait *wait = &clues->dag->wait[i];
	const struct wait_clues *seen = &clues->wait[i];
	const struct lock *lock = lock_at(clues, wait);
	struct finding *finding = finding_add(findings, cause, clues, loss, seen->kind);

	if (!finding)
		return -1;
	finding->site = wait->site;
	finding->variant = wait->what;
	finding->n = seen->n_lock;
	finding->most_ns = seen->lock_max_ns;
	if (lock)
		add_evidence(clues, lock, finding);
	return 0;
}

static int find(const struct clues *clues, struct findings *findings, const struct cause *cause,
		bool locks)
{
	struct loss *loss = lock_losses(clues);
	int error = loss ? 0 : -1;

	for (uint32_t i = 1; i < clues->dag->n_waits && !error; i++) {
		uint8_t what = clues->dag->wait[i].what;

		if (wait_blocks(what) && is_lock(what) == locks && is_worth(clues, &loss[i]))
			error = add(clues, findings, cause, i, &loss[i]);
	}
	free(loss);
	return error;
}

/* ---- locks ---- */

#define NAMED 3u /* kinds of tasks */

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
			say(text, "%s%s (%s)", i ? ", " : "", name,
			    units_time(time, kind[i].ns));
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
	if (same) {
		say(text, "; the same held it");
	} else if (lock->n_holders) {
		say(text, "\nheld meanwhile by tasks of ");
		say_kinds(text, names, lock->holder, lock->n_holders);
	}
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
		if (lock->n_objects > 1)
			say(&found, "%llu locks; ", (unsigned long long)lock->n_objects);
		say(&found, "%s %.0f %% of the run; %llu wait%s, median %s, max %s",
		    finding->bound_ns ? "held" : "others waited for", 100 * finding->share,
		    (unsigned long long)lock->n_waits, lock->n_waits == 1 ? "" : "s",
		    units_time(time[0], lock->median_ns), units_time(time[1], lock->max_ns));
		say_tasks(&found, lock, names);
	}
	if (finding->bound_ns)
		say(&found,
		    "\nholding it: %s in all, so no number of workers runs this in less (now %s)",
		    units_time(time[0], finding->bound_ns), units_time(time[1], finding->to_ns));
	say(&hint, "do less while it is held");
	if (finding->cost_ns)
		say(&hint, " (%s each time; a task works for %s)",
		    units_time(time[0], finding->cost_ns),
		    units_time(time[1], finding->median_ns));
	say(&hint, ", or a copy for each worker, merged at the end (reduction)");
	if (finding->aim_ns && finding->aim_ns < finding->to_ns)
		say(&hint, ": %s at best on %u workers", units_time(time[0], finding->aim_ns),
		    finding->n_workers);
	say(&hint, "; or several locks for several parts of the data");
}

static int find_lock(const struct clues *clues, struct findings *findings)
{
	return find(clues, findings, &cause_lock, true);
}

const struct cause cause_lock = {
	{ "lock", "lock",
	  "Workers wait for a lock (critical, ordered, a mutex) that others hold.",
	  "A task waits for an object and its worker runs nothing until the object is released.  "
	  "Lost: the time of these workers, and that of others who have nothing to do while the "
	  "ready path holds the lock.  How long it was held is known of the runtime's own locks; "
	  "of mutexes only how long others waited.",
	  "Do less while the lock is held; a copy for each worker, merged at the end; several "
	  "locks for several parts of the data." },
	find_lock,
	say_lock,
};

/* ---- other threads ---- */

static const char *const waits_for[WIRE_WAITS] = {
	[WIRE_WAIT_COND] = "a condition variable",
	[WIRE_WAIT_SEM] = "a semaphore",
	[WIRE_WAIT_THREAD] = "the end of a thread",
	[WIRE_WAIT_THREADS] = "a barrier of threads",
	[WIRE_WAIT_FUTURE] = "a std::future",
};

static int find_blocked(const struct clues *clues, struct findings *findings)
{
	return find(clues, findings, &cause_blocked, false);
}

static void say_blocked(const struct finding *finding, const struct finding_names *names,
			char *what, char *advice)
{
	char tasks[160], most[UNITS_TIME], times[UNITS_TIMES];
	const char *thing = waits_for[finding->variant];

	names->kind(names->context, finding->kind, tasks, sizeof(tasks));
	snprintf(what, FINDING_TEXT,
		 "%s a worker waited here for %s and could do nothing else, up to %s, in tasks of "
		 "%s",
		 units_times(times, finding->n), thing ? thing : "another thread",
		 units_time(most, finding->most_ns), tasks);
	snprintf(advice, FINDING_TEXT,
		 "let the task wait by the runtime's own means (depend(), taskwait, "
		 "task_group::wait()), so that its worker runs others meanwhile; or end it, and "
		 "create another for what comes after");
}

const struct cause cause_blocked = {
	{ "blocked", "task blocks its worker",
	  "A task waits for another thread by a condition variable, a semaphore, a barrier of "
	  "threads, a std::future or pthread_join(), and its worker can run no other task meanwhile.",
	  "The wait ended only when another worker signalled, and the worker ran nothing until "
	  "then.",
	  "Wait by the runtime's own means; or end the task, and create another for what comes "
	  "after." },
	find_blocked,
	say_blocked,
};
