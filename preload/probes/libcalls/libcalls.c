/* SPDX-License-Identifier: MIT */
/*
 * libcalls.c - the probe `libcalls`: how often each strand calls the allocator and random(), whose
 * locks a task may share with others.
 *
 * It takes the place of malloc(), free() and their like, which count and hand on.  A count is the
 * thread's own, so two loads and a store are all that a call costs besides.  A task that moves to
 * another thread does so between strands.  Until the functions are found behind this one, which
 * itself may allocate, memory comes from a small arena, and is never given back.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "preload/probe.h"
#include "collector/session/environment.h"
#include "preload/session.h"

#define CALLS_VARIABLE "TPTRACE_CALLS"
#define EXPORT __attribute__((visibility("default")))
#define ARENA_BYTES 65536u
#define ALIGNED 16u

enum calls_of { CALLS_ALLOCATE, CALLS_FREE, CALLS_RANDOM, CALLS_OF };
static const char *const calls_name[CALLS_OF] = { "allocations", "frees", "random" };

/* Of this thread, and of its worker at the begin of the strand that runs. */
static __thread uint64_t n_calls[CALLS_OF];
struct calls {
	uint64_t base[CALLS_OF];
	bool known, ends;
};

static uint32_t calls_number[CALLS_OF]; /* of WIRE_COUNTER */

/* ---- the functions behind these ---- */

#define RANDOM_FUNCTIONS(F)                                                                        \
	F(int, rand)                                                                               \
	F(long, random)                                                                            \
	F(double, drand48)                                                                         \
	F(long, lrand48)

static struct {
	void *(*malloc)(size_t bytes);
	void *(*calloc)(size_t n, size_t bytes);
	void *(*realloc)(void *at, size_t bytes);
	int (*posix_memalign)(void **at, size_t alignment, size_t bytes);
	void *(*aligned_alloc)(size_t alignment, size_t bytes);
	void (*free)(void *at);
#define MEMBER(result, name) result (*name)(void);
	RANDOM_FUNCTIONS(MEMBER)
#undef MEMBER
} real;

static __thread bool is_binding;
static _Alignas(ALIGNED) char arena[ARENA_BYTES];
static _Atomic size_t arena_used;

static bool is_arenas(const void *at)
{
	return (const char *)at >= arena && (const char *)at < arena + ARENA_BYTES;
}

/* Zeroed. */
static void *arena_take(size_t bytes)
{
	size_t room = (bytes + ALIGNED - 1) / ALIGNED * ALIGNED, at;

	if (bytes > ARENA_BYTES)
		return NULL;
	at = atomic_fetch_add(&arena_used, room);
	return at + room <= ARENA_BYTES ? arena + at : NULL;
}

/* Several threads may find the same at once. */
static void bind_all(void)
{
	is_binding = true;
	real.calloc = dlsym(RTLD_NEXT, "calloc");
	real.realloc = dlsym(RTLD_NEXT, "realloc");
	real.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
	real.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
	real.free = dlsym(RTLD_NEXT, "free");
#define BIND(result, name) real.name = dlsym(RTLD_NEXT, #name);
	RANDOM_FUNCTIONS(BIND)
#undef BIND
	__atomic_store_n(&real.malloc, dlsym(RTLD_NEXT, "malloc"), __ATOMIC_RELEASE);
	is_binding = false;
}

/* False: memory is to come from the arena. */
static inline bool is_bound(void)
{
	if (__atomic_load_n(&real.malloc, __ATOMIC_ACQUIRE))
		return true;
	if (is_binding)
		return false;
	bind_all();
	return true;
}

/* ---- their place ---- */

EXPORT void *malloc(size_t bytes)
{
	if (!is_bound())
		return arena_take(bytes);
	n_calls[CALLS_ALLOCATE]++;
	return real.malloc(bytes);
}

EXPORT void *calloc(size_t n, size_t bytes)
{
	if (!is_bound())
		return bytes && n > ARENA_BYTES / bytes ? NULL : arena_take(n * bytes);
	n_calls[CALLS_ALLOCATE]++;
	return real.calloc(n, bytes);
}

EXPORT void *realloc(void *at, size_t bytes)
{
	void *moved;

	if (!is_bound() || is_arenas(at)) {
		size_t most = at ? (size_t)(arena + ARENA_BYTES - (char *)at) : 0;

		moved = malloc(bytes);
		if (moved && at) /* what lies behind it is the arena's, too */
			memcpy(moved, at, bytes < most ? bytes : most);
		return moved;
	}
	n_calls[CALLS_ALLOCATE]++;
	return real.realloc(at, bytes);
}

EXPORT int posix_memalign(void **at, size_t alignment, size_t bytes)
{
	if (!is_bound())
		return ENOMEM;
	n_calls[CALLS_ALLOCATE]++;
	return real.posix_memalign(at, alignment, bytes);
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
	if (!is_bound())
		return NULL;
	n_calls[CALLS_ALLOCATE]++;
	return real.aligned_alloc(alignment, bytes);
}

EXPORT void free(void *at)
{
	if (!at || is_arenas(at) || !is_bound())
		return;
	n_calls[CALLS_FREE]++;
	real.free(at);
}

#define COUNTS_RANDOM(result, name)                                                                \
	EXPORT result name(void)                                                                   \
	{                                                                                          \
		is_bound();                                                                        \
		n_calls[CALLS_RANDOM]++;                                                           \
		return real.name();                                                                \
	}
RANDOM_FUNCTIONS(COUNTS_RANDOM)

/* ---- strands ---- */

static void calls_before(struct worker *worker, void *own, enum wire_kind kind, uint64_t b)
{
	struct calls *calls = own;

	(void)worker;
	(void)b;
	calls->ends = kind_ends(kind) && calls->known;
	if (kind_begins(kind) || kind_ends(kind))
		calls->known = false;
}

static void calls_after(struct worker *worker, void *own, enum wire_kind kind, const void *frame)
{
	struct calls *calls = own;

	(void)frame;
	for (int i = 0; i < CALLS_OF && calls->ends; i++)
		if (n_calls[i] != calls->base[i])
			probe_put(worker, WIRE_COUNTER,
				  field_make(calls_number[i], n_calls[i] - calls->base[i]));
	if (!kind_begins(kind))
		return;
	for (int i = 0; i < CALLS_OF; i++)
		calls->base[i] = n_calls[i];
	calls->known = true;
}

/* ---- the session ---- */

static bool calls_open(struct session *session)
{
	const char *value = options_variable(CALLS_VARIABLE);

	if (!value || strcmp(value, "on") != 0 || probe_rules_time())
		return false;
	for (int i = 0; i < CALLS_OF; i++) {
		int number = probe_counter(session, calls_name[i], "");

		if (number < 0) {
			options_say_bad(CALLS_VARIABLE, value, "too many counters beside it");
			return false;
		}
		calls_number[i] = (uint32_t)number;
	}
	session->options.collapse_ns = 0; /* an aggregate has no counts */
	return true;
}

__attribute__((constructor)) static void calls_add(void)
{
	static struct probe probe = { .name = "libcalls",
				      .order = PROBE_MEASURES,
				      .worker_bytes = sizeof(struct calls),
				      .open = calls_open,
				      .before = calls_before,
				      .after = calls_after };

	is_bound(); /* before threads come, as a rule */
	probe_add(&probe);
}
