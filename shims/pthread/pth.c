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

struct waiting pth_wait(struct worker *worker, const void *from, enum wire_wait wait,
			const void *object)
{
	uint64_t ticks = record_ticks(worker);
	uint32_t site = pth_site(from);

	return site ? waiting_begin(worker, ticks, site, wait, object) : pass_on(worker);
}

struct waiting pth_wait_without(struct worker *worker, const void *from, const void *mutex,
				const void *cond)
{
	uint64_t ticks = record_ticks(worker);
	uint32_t site = pth_site(from);

	if (!site)
		return pass_on(worker);
	if (waiting_for(mutex)) {
		record_event_at(worker, ticks, WIRE_SIGNAL, (uintptr_t)mutex);
		record_event_at(worker, ticks, WIRE_RESUME, worker->task);
	}
	return waiting_begin(worker, ticks, site, WIRE_WAIT_COND, cond);
}

struct waiting pth_release(struct worker *worker, const void *from, const void *object)
{
	return pth_site(from) ? waiting_release(worker, object) : (struct waiting){ 0 };
}

void pth_joined(const void *from, uint64_t thread)
{
	if (!worker_self() && !record_runtime_calls((uintptr_t)from))
		record_joined(thread);
}
