/* SPDX-License-Identifier: MIT */
/* pth.c - finds the real functions, and the places that call them. */
#include "shims/pthread/pth.h"

#include <gnu/libc-version.h>
#include <string.h>

#include "preload/module.h"
#include "shims/common/next.h"

struct pth pth_real;

/* ---- the real functions ---- */

/* Names of libc's own for what malloc() may need while the others are looked up. */
extern int __pthread_mutex_lock(pthread_mutex_t *mutex) __attribute__((weak));
extern int __pthread_mutex_unlock(pthread_mutex_t *mutex) __attribute__((weak));
extern int __pthread_mutex_trylock(pthread_mutex_t *mutex) __attribute__((weak));

/* volatile: the compiler takes dlsym() for a leaf, but by way of malloc() it comes back here. */
static __thread volatile bool binding __attribute__((tls_model("initial-exec")));

/* In the place of a function that this libc does not have. */
static int missing(void)
{
	return ENOSYS;
}

static void bind(void *slot, const char *symbol, const char *version)
{
	void *found = next_versioned(symbol, version);

	if (!found)
		found = (void *)missing;
	memcpy(slot, &found, sizeof(found));
}

void pth_bind(void)
{
	int saved = errno;

	if (binding) {
		pth_real.mutex_lock = __pthread_mutex_lock;
		pth_real.mutex_unlock = __pthread_mutex_unlock;
		pth_real.mutex_trylock = __pthread_mutex_trylock;
		return;
	}
	binding = true;
#define BIND(result, name, symbol, ...) bind(&pth_real.name, symbol, NULL);
	PTH_ASKED(BIND)
	PTH_FUNCTIONS(BIND)
#undef BIND
#define BIND(result, name, symbol, ...) bind(&pth_real.name, symbol, PTH_CONDITION_VERSION);
	PTH_CONDITIONS(BIND)
	binding = false;
	errno = saved;
}

__attribute__((constructor)) static void bind_early(void)
{
	if (!pth_real.mutex_lock)
		pth_bind();
}

/* ---- where a task waits ---- */

/*
 * There is one pthread.  What a task runtime's own library calls is passed on: how the runtime
 * waits for its threads, and when it ends them at exit, is no activity of the program's tasks.
 */
static uint32_t pth_site(const void *from)
{
	static struct next_library library = { .name = "pthread", .by_program = true };

	if (!library.version)
		library.version = gnu_get_libc_version();
	return next_site(&library, from, NULL);
}

/* A runtime calls: the strand that record_ticks() was to end goes on. */
static struct waiting pass_on(struct worker *worker)
{
	worker_turn(worker, WORKER_INSIDE);
	return (struct waiting){ 0 };
}

__thread bool pth_early;

/* The main thread's wait, before anything is recorded; whoever releases the object is told. */
#define WAIT_EARLY UINT64_MAX
static struct {
	const void *from, *object;
	enum wire_wait wait;
} early;

static struct waiting wait_early(const void *from, enum wire_wait wait, const void *object)
{
	early.from = from;
	early.object = object;
	early.wait = wait;
	atomic_fetch_add(&waiting_tasks[waiting_place(object)], 1);
	return (struct waiting){ WAIT_EARLY, waiting_place(object) };
}

/* If something was recorded meanwhile, the wait was the first that the thread did. */
void pth_wait_end(struct waiting *waiting)
{
	if (waiting->task == WAIT_EARLY) {
		struct worker *worker = record_main((uintptr_t)early.from);

		waiting_uncount(waiting->place);
		*waiting = worker ? waiting_begin(worker, record_since(), pth_site(early.from),
						  early.wait, early.object)
				  : (struct waiting){ 0 };
	}
	waiting_end(waiting);
}

struct waiting pth_wait(struct worker *worker, const void *from, enum wire_wait wait,
			const void *object, const void *mutex)
{
	uint64_t ticks;
	uint32_t site;

	if (!worker && !(worker = record_main((uintptr_t)from)))
		return wait_early(from, wait, object);
	ticks = record_ticks(worker);
	site = pth_site(from);
	if (!site)
		return pass_on(worker);
	if (mutex && waiting_for(mutex)) {
		record_event_at(worker, ticks, WIRE_SIGNAL, (uintptr_t)mutex);
		record_event_at(worker, ticks, WIRE_RESUME, worker->task);
	}
	return waiting_begin(worker, ticks, site, wait, object);
}

struct waiting pth_release(struct worker *worker, const void *from, const void *object)
{
	if (!worker && !(worker = record_main((uintptr_t)from)))
		return (struct waiting){ 0 };
	return pth_site(from) ? waiting_release(worker, object) : (struct waiting){ 0 };
}

void pth_joined(const void *from, uint64_t thread)
{
	if (!worker_self() && !record_runtime_calls((uintptr_t)from))
		record_joined(thread);
}
