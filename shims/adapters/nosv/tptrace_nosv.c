/* SPDX-License-Identifier: MIT */
/*
 * tptrace_nosv.c - a library to preload that marks the calls of nOS-V.  README.md says how.
 *
 * Each wrapper is a function of libnosv; what that calls of itself inside of one is passed on.  A
 * task whose code has run is a new task when it is submitted again.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "tptrace_task.h"

/* libnosv's function of the name. */
#define REAL(name)                                                                                 \
	({                                                                                         \
		static __typeof__(&name) real;                                                     \
		if (!real)                                                                         \
			real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                         \
		real;                                                                              \
	})
#define SUBMIT_BLOCKS 2u /* NOSV_SUBMIT_BLOCKING */

extern void *nosv_self(void);
extern int nosv_get_num_cpus(void);
extern int nosv_mutex_trylock(void *mutex);

static struct tptrace_runtime trace = { "nOS-V", "", 0 };
static __thread int inside;	      /* of a wrapper */
static __thread tptrace_task_t ended; /* whose callbacks the worker runs; 0: a task's code */

/* ---- types and tasks, by their addresses ---- */

enum { IDLE, SUBMITTED, BEGUN };

struct known {
	struct known *next;
	const void *address;
	void (*run)(void *); /* of a type, and of a task of that type */
	const void *site;    /* likewise: its label */
	_Atomic int state;   /* of a task */
	bool suspends;	     /* once its code returns, which is to run again */
	tptrace_task_t task;
	struct tptrace_here runs, suspended;
};

static struct {
	atomic_flag lock;
	struct known *first;
} bucket[4096];

/* Where it is, or would be; with the lock of its bucket. */
static struct known **known_locked(const void *address)
{
	size_t i = ((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15)) >> 52;
	struct known **at = &bucket[i].first;

	while (atomic_flag_test_and_set(&bucket[i].lock))
		;
	while (*at && (*at)->address != address)
		at = &(*at)->next;
	return at;
}

static void unlock(const void *address)
{
	atomic_flag_clear(&bucket[((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15)) >> 52].lock);
}

/* NULL: none of ours, as one that was made before this library was there. */
static struct known *known_at(const void *address)
{
	struct known *known = *known_locked(address);

	unlock(address);
	return known;
}

/* A task has the code and the site of its type.  Without memory it is not recorded. */
static void known_add(const void *address, void (*run)(void *), const void *site, int state)
{
	struct known *known = calloc(1, sizeof(*known)), **at;

	if (!known)
		return;
	known->address = address;
	known->run = run;
	known->site = site;
	known->state = state;
	at = known_locked(address);
	if (*at)
		free(known);
	else
		*at = known;
	unlock(address);
}

static void known_drop(const void *address)
{
	struct known **at = known_locked(address), *known = *at;

	if (known)
		*at = known->next;
	unlock(address);
	free(known);
}

/* ---- a task's code ---- */

/* In place of the code of each type.  Several threads may run a parallel task: the first is the one
 * that counts. */
static void run_code(void *task)
{
	static __thread bool is_marked;
	struct known *known = known_at(task);
	int was_inside = inside, submitted = SUBMITTED;
	bool is_first = atomic_compare_exchange_strong(&known->state, &submitted, BEGUN);
	bool goes_on = known->suspends;

	inside = 0;
	if (!is_marked) /* there are more threads than CPUs; who runs takes the place of one */
		tptrace_task_no_worker();
	is_marked = true;
	known->suspends = false;
	ended = 0;
	if (is_first)
		tptrace_task_begin(&known->task, &known->runs);
	else if (goes_on)
		tptrace_task_resume(&known->suspended);
	known->run(task);
	if (known->suspends) {
		tptrace_task_wait(&trace, &known->suspended, TPTRACE_WAIT_OBJECT, task,
				  known->site);
	} else if (is_first || goes_on) {
		tptrace_task_end(&known->runs);
		ended = known->task;
		atomic_store(&known->state, IDLE);
	}
	inside = was_inside;
}

int nosv_type_init(void **type, void (*code)(void *), void (*end)(void *),
		   void (*completed)(void *), const char *label, void *metadata,
		   uint64_t (*cost)(void *), uint64_t flags)
{
	int status = REAL(nosv_type_init)(type, code ? run_code : code, end, completed, label,
					  metadata, cost, flags);

	if (status == 0 && code)
		known_add(*type, code, label ? tptrace_task_name(NULL, label) : NULL, IDLE);
	return status;
}

int nosv_type_destroy(void *type, uint64_t flags)
{
	known_drop(type);
	return REAL(nosv_type_destroy)(type, flags);
}

/* The program's, not ours. */
void *nosv_get_task_type_run_callback(void *type)
{
	struct known *known = known_at(type);

	return known ? (void *)known->run : REAL(nosv_get_task_type_run_callback)(type);
}

int nosv_create(void **task, void *type, size_t bytes, uint64_t flags)
{
	struct known *known = known_at(type);
	int status = REAL(nosv_create)(task, type, bytes, flags);

	if (status == 0 && known)
		known_add(*task, known->run, known->site, IDLE);
	return status;
}

int nosv_destroy(void *task, uint64_t flags)
{
	known_drop(task);
	return REAL(nosv_destroy)(task, flags);
}

/* Creates the task; or, if it waits, lets it go on. */
int nosv_submit(void *task, uint64_t flags)
{
	struct known *known = inside ? NULL : known_at(task);
	int idle = IDLE, status;
	struct tptrace_here here;

	if (!known)
		return REAL(nosv_submit)(task, flags);
	if (ended && atomic_load(&known->state) != IDLE) {
		tptrace_task_release_by(ended, task);
		return REAL(nosv_submit)(task, flags);
	}
	if (atomic_compare_exchange_strong(&known->state, &idle, SUBMITTED))
		tptrace_task_create(&trace, &known->task, &here, (tptrace_code_t)known->run,
				    known->site);
	else
		tptrace_task_release(&here, task);
	if (flags & SUBMIT_BLOCKS) {
		tptrace_task_resume(&here);
		tptrace_task_wait_for(&trace, &here, known->task, TPTRACE_TASK_CALLER);
	}
	inside++;
	status = REAL(nosv_submit)(task, flags);
	inside--;
	tptrace_task_resume(&here);
	return status;
}

int nosv_suspend(void)
{
	int status = REAL(nosv_suspend)();
	struct known *known = status == 0 ? known_at(REAL(nosv_self)()) : NULL;

	if (known)
		known->suspends = true;
	return status;
}

/* ---- threads of the program that become tasks ---- */

int nosv_init(void)
{
	int status = REAL(nosv_init)();

	if (status == 0)
		tptrace_task_workers(&trace, (uint32_t)REAL(nosv_get_num_cpus)());
	return status;
}

int nosv_attach(void **task, void *affinity, const char *label, uint64_t flags)
{
	int status = REAL(nosv_attach)(task, affinity, label, flags);

	if (status == 0) {
		tptrace_task_no_worker();
		known_add(REAL(nosv_self)(), NULL, NULL, BEGUN);
	}
	return status;
}

int nosv_detach(uint64_t flags)
{
	known_drop(REAL(nosv_self)());
	return REAL(nosv_detach)(flags);
}

/* ---- what waits, and what lets others go on ---- */

/* The call, which libnosv makes of itself if it is inside of another. */
#define MARKED(mark, call)                                                                         \
	({                                                                                         \
		struct tptrace_here here;                                                          \
		int status, was_inside = inside;                                                   \
		if (!was_inside)                                                                   \
			mark;                                                                      \
		inside = was_inside + 1;                                                           \
		status = call;                                                                     \
		inside = was_inside;                                                               \
		if (!was_inside)                                                                   \
			tptrace_task_resume(&here);                                                \
		status;                                                                            \
	})
#define WAIT(what, object)                                                                         \
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_##what, object, TPTRACE_TASK_CALLER)
#define RELEASE(object) tptrace_task_release(&here, object)

int nosv_pause(uint64_t flags)
{
	return MARKED(WAIT(OBJECT, REAL(nosv_self)()), REAL(nosv_pause)(flags));
}

int nosv_waitfor(uint64_t ns, uint64_t *took)
{
	return MARKED(WAIT(YIELD, NULL), REAL(nosv_waitfor)(ns, took));
}

int nosv_yield(uint64_t flags)
{
	return MARKED(WAIT(YIELD, NULL), REAL(nosv_yield)(flags));
}

int nosv_schedpoint(uint64_t flags)
{
	return MARKED(WAIT(YIELD, NULL), REAL(nosv_schedpoint)(flags));
}

/* One that is free leaves no event. */
int nosv_mutex_lock(void *mutex)
{
	if (inside || REAL(nosv_mutex_trylock)(mutex) == 0)
		return inside ? REAL(nosv_mutex_lock)(mutex) : 0;
	return MARKED(WAIT(LOCK, mutex), REAL(nosv_mutex_lock)(mutex));
}

int nosv_mutex_unlock(void *mutex)
{
	return MARKED(RELEASE(mutex), REAL(nosv_mutex_unlock)(mutex));
}

int nosv_barrier_wait(void *barrier)
{
	return MARKED(WAIT(BARRIER, barrier), REAL(nosv_barrier_wait)(barrier));
}

int nosv_cond_wait(void *cond, void *mutex)
{
	return MARKED(WAIT(LOCK, cond), REAL(nosv_cond_wait)(cond, mutex));
}

int nosv_cond_signal(void *cond)
{
	return MARKED(RELEASE(cond), REAL(nosv_cond_signal)(cond));
}

int nosv_cond_broadcast(void *cond)
{
	return MARKED(RELEASE(cond), REAL(nosv_cond_broadcast)(cond));
}

/* ---- waits for the end of tasks ---- */

/* All of them have ended: one wait for each, of which the first was the real one. */
static void joined(void *const *tasks, size_t n, bool are_destroyed)
{
	for (size_t i = 0; i < n; i++) {
		struct known *known = known_at(tasks[i]);
		struct tptrace_here here;

		if (known && i) {
			tptrace_task_wait_for(&trace, &here, known->task, TPTRACE_TASK_CALLER);
			tptrace_task_resume(&here);
		}
		if (are_destroyed)
			known_drop(tasks[i]);
	}
}

static tptrace_task_t known_task(void *task)
{
	struct known *known = known_at(task);

	return known ? known->task : 0;
}

#define JOIN(n, first, call)                                                                       \
	MARKED(tptrace_task_wait_for(&trace, &here, (n) ? known_task(first) : 0,                   \
				     TPTRACE_TASK_CALLER),                                         \
	       call)

int nosv_join(void *task, void **result, uint64_t timeout)
{
	int status = JOIN(1, task, REAL(nosv_join)(task, result, timeout));

	if (status == 0)
		joined(&task, 1, true);
	return status;
}

int nosv_join_all(void **tasks, void **results, size_t n, uint64_t timeout)
{
	int status = JOIN(n, *tasks, REAL(nosv_join_all)(tasks, results, n, timeout));

	if (status == 0)
		joined(tasks, n, true);
	return status;
}

int nosv_wait(void *task, uint64_t timeout)
{
	return JOIN(1, task, REAL(nosv_wait)(task, timeout));
}

int nosv_wait_all(void **tasks, size_t n, uint64_t timeout)
{
	int status = JOIN(n, *tasks, REAL(nosv_wait_all)(tasks, n, timeout));

	if (status == 0)
		joined(tasks, n, false);
	return status;
}
