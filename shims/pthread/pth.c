/* SPDX-License-Identifier: MIT */
/* pth.c - finds the real functions, and the places that call them. */
#include "shims/pthread/pth.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <string.h>

#include "preload/libc.h"
#include "preload/module.h"

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

static void *library_of(void *function)
{
	Dl_info info;

	return function && dladdr(function, &info) ? info.dli_fbase : NULL;
}

/*
 * The next function of that name.  Of libc's, that version: older dlsym() gives the oldest.  Others
 * who stand before libc (sanitizers) have no versions.
 */
static void bind(void *slot, const char *symbol, const char *version)
{
	void *found = dlsym(RTLD_NEXT, symbol);
	void *right = version ? dlvsym(RTLD_NEXT, symbol, version) : NULL;

	if (right && right != found && library_of(right) == library_of(found))
		found = right;
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
#define BIND(result, name, symbol, parameters) bind(&pth_real.name, symbol, NULL);
	PTH_ASKED(BIND)
	PTH_FUNCTIONS(BIND)
#undef BIND
#ifdef PTH_CONDITION_VERSION
#define BIND(result, name, symbol, parameters) bind(&pth_real.name, symbol, PTH_CONDITION_VERSION);
#else
#define BIND(result, name, symbol, parameters) bind(&pth_real.name, symbol, NULL);
#endif
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

enum { THE_PROGRAMS, RUNTIMES };

static struct callsites pth_callsites;
static struct instance instances[] = { [RUNTIMES] = { .foreign = true } };

/*
 * There is one pthread, and it becomes known when the first task waits.  A call that a task
 * runtime's own library makes counts as one of another instance: how the runtime waits for its
 * threads, and when it ends them at exit, is no activity of the program's tasks.
 */
static void *instance_of(uintptr_t return_address)
{
	static _Atomic uint32_t lock;
	static _Atomic bool known;

	if (record_runtime_calls(return_address))
		return &instances[RUNTIMES];
	libc_lock(&lock);
	if (!atomic_load(&known) && record_on())
		instances[THE_PROGRAMS].runtime = record_runtime("pthread", gnu_get_libc_version());
	atomic_store(&known, true);
	libc_unlock(&lock);
	return &instances[THE_PROGRAMS];
}

static const struct callsite_runtime pth_runtime = {
	.instances = instances,
	.instance_bytes = sizeof(instances[0]),
	.callsites = &pth_callsites,
	.instance_of = instance_of,
};

/* NULL for a runtime's. */
static const struct callsite *callsite_of(const void *from)
{
	const struct callsite *callsite =
		callsite_find(&pth_callsites, &pth_runtime, (void *)(uintptr_t)from, NULL, 0);

	return callsite->instance == &instances[RUNTIMES] ? NULL : callsite;
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
	const struct callsite *callsite = callsite_of(from);

	return callsite ? waiting_begin(worker, ticks, callsite->site, wait, object)
			: pass_on(worker);
}

struct waiting pth_wait_without(struct worker *worker, const void *from, const void *mutex,
				const void *cond)
{
	uint64_t ticks = record_ticks(worker);
	const struct callsite *callsite = callsite_of(from);

	if (!callsite)
		return pass_on(worker);
	if (waiting_for(mutex)) {
		record_event_at(worker, ticks, WIRE_SIGNAL, (uintptr_t)mutex);
		record_event_at(worker, ticks, WIRE_RESUME, worker->task);
	}
	return waiting_begin(worker, ticks, callsite->site, WIRE_WAIT_COND, cond);
}

struct waiting pth_release(struct worker *worker, const void *from, const void *object)
{
	return callsite_of(from) ? waiting_release(worker, object) : (struct waiting){ 0 };
}

void pth_joined(const void *from, uint64_t thread)
{
	if (!worker_self() && !record_runtime_calls((uintptr_t)from))
		record_joined(thread);
}
