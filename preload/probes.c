/* SPDX-License-Identifier: MIT */
/* probes.c - the list of probes, and what the recorder keeps of a worker that they watch. */
#include "preload/probes.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/session/asked.h"
#include "collector/session/environment.h"
#include "preload/budget.h"
#include "preload/session.h"
#include "preload/worker_life.h"

/* All that were added, the nearest first. */
static struct probe *added;

/* Those that are on in this session, likewise; written before it is on. */
static struct {
	uint32_t n;
	struct probe *probe[PROBES_MOST];
	uint32_t bytes; /* of a struct probed and all that is behind it */
	bool watches;	/* one of them wants each event */
} on;

/* In this process, not shared; of one thread. */
struct probed {
	uint64_t look_at; /* when head gets there, make_room() of worker.c has to look */
	uint32_t n_notes; /* put before the event at hand */
	uint32_t bytes;
	void *own[PROBES_MOST]; /* of those that are on; NULL: it does not watch this worker */
};

static uint64_t (*_Atomic ruled_now)(void);

#define ALIGNED(bytes) (((bytes) + 63u) & ~63u)

void probe_add(struct probe *probe)
{
	struct probe **at = &added;

	while (*at && (*at)->order <= probe->order)
		at = &(*at)->next;
	probe->next = *at;
	*at = probe;
}

bool probe_put(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	if (worker->probed->n_notes++ >= PROBE_NOTES)
		return false;
	worker_put(worker, kind, b);
	return true;
}

void probe_touch(struct worker *worker)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);

	*(volatile uint64_t *)&worker->slot[head].a = 0;
}

/* ---- time ---- */

void probe_rule_time(uint64_t (*now)(void))
{
	atomic_store(&ruled_now, now);
}

bool probe_rules_time(void)
{
	return atomic_load_explicit(&ruled_now, memory_order_relaxed) != NULL;
}

uint64_t worker_ticks_by(const struct clock *clock)
{
	uint64_t (*now)(void) = atomic_load_explicit(&ruled_now, memory_order_relaxed);

	return now ? now() : clock_ticks_by(clock);
}

/* ---- the session ---- */

static bool is_added(const char *name)
{
	const struct probe *probe = added;

	while (probe && strcmp(probe->name, name) != 0)
		probe = probe->next;
	return probe != NULL;
}

/* Beside this library, whoever calls dlopen() by another name.  What is preloaded is only begun: a
 * library's constructor may have been faster with a task. */
static bool load_probe(const char *name, int flags)
{
	static char path[PATH_MAX + 64]; /* the one thread that starts the session */
	Dl_info own;
	const char *slash;
	size_t folder;

	if (!dladdr((void *)(uintptr_t)load_probe, &own) || !own.dli_fname)
		return false;
	slash = strrchr(own.dli_fname, '/');
	folder = slash ? (size_t)(slash + 1 - own.dli_fname) : 0;
	if (folder > PATH_MAX)
		return false;
	memcpy(path, own.dli_fname, folder);
	path[folder] = 0;
	strcat(strcat(strcat(path, "libtpprobe_"), name), ".so");
	return dlopen(path, RTLD_NOW | RTLD_LOCAL | flags) && is_added(name);
}

static void load_asked(const char *variable, const char *name, int flags, const char *why_not)
{
	const char *value = options_variable(variable);

	if (value && *value && !is_added(name) && !load_probe(name, flags))
		options_say_bad(variable, value, why_not);
}

static void open_probe(struct probe *probe, struct session *session)
{
	if (on.n == PROBES_MOST || !probe->open(session))
		return;
	on.probe[on.n++] = probe;
	on.bytes += ALIGNED(probe->worker_bytes);
	on.watches |= probe->before || probe->after;
}

void probes_open(struct session *session)
{
	on.n = 0;
	on.bytes = ALIGNED(sizeof(struct probed));
	on.watches = false;
	session->n_counters = 0;
	session->counters_missing = 0;
	session->process.slow = session->process.virtual = 0;
	atomic_store(&session->n_uncounted, 0);
	atomic_store(&session->n_paths, 0);
#define LOAD(variable, name, preloaded)                                                            \
	load_asked(variable, name, (preloaded) ? RTLD_NOLOAD : 0,                                  \
		   (preloaded) ? PROBE_FILE(name) " is not in LD_PRELOAD; recording without"       \
			       : PROBE_FILE(name) " is not beside libtptrace.so; recording "       \
						  "without");
	PROBES_ASKED(LOAD)
#undef LOAD
	for (struct probe *probe = added; probe; probe = probe->next)
		open_probe(probe, session);
}

int probe_counter(struct session *session, const char *name, const char *unit)
{
	uint32_t n = session->n_counters;

	if (n == SESSION_COUNTERS)
		return -1;
	session->counter[n].name = session_keep(session, name);
	session->counter[n].unit = session_keep(session, unit);
	session->n_counters = n + 1;
	return (int)n;
}

/* ---- threads ---- */

/* Whether any probe watches the worker. */
static bool all_come(struct session *session, struct worker *worker, struct probed *probed)
{
	char *own = (char *)probed + ALIGNED(sizeof(*probed));
	bool any = false;

	for (uint32_t i = 0; i < on.n; i++) {
		const struct probe *probe = on.probe[i];

		if (!probe->come || probe->come(worker, own))
			probed->own[i] = own;
		else
			atomic_fetch_add(&session->n_uncounted, 1);
		any |= probed->own[i] != NULL;
		own += ALIGNED(probe->worker_bytes);
	}
	return any;
}

void probes_come(struct worker *worker)
{
	struct session *session;
	struct probed *probed;

	if (!on.n)
		return;
	session = session_lock();
	probed = map_zeroed(on.bytes);
	if (!probed) {
		atomic_fetch_add(&session->n_uncounted, 1);
	} else if (!all_come(session, worker, probed)) {
		munmap(probed, on.bytes);
	} else {
		probed->bytes = on.bytes;
		worker->probed = probed;
		atomic_store(&worker->limit, 0);
	}
	session_unlock(session);
}

void probes_leave(struct worker *worker)
{
	struct probed *probed = worker->probed;
	struct session *session;

	if (!probed)
		return;
	session = session_lock();
	worker->probed = NULL;
	atomic_store(&worker->limit, 0); /* the next thread's first event sets it */
	for (uint32_t i = 0; i < on.n; i++)
		if (probed->own[i] && on.probe[i]->leave)
			on.probe[i]->leave(worker, probed->own[i]);
	munmap(probed, probed->bytes);
	session_unlock(session);
}

/* ---- events ---- */

void probes_before(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	struct probed *probed = worker->probed;

	probed->n_notes = 0;
	for (uint32_t i = 0; i < on.n; i++)
		if (probed->own[i] && on.probe[i]->before)
			on.probe[i]->before(worker, probed->own[i], kind, b);
}

bool probes_have_room(const struct worker *worker)
{
	struct session *session = session_get();
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);

	return head < worker->probed->look_at && !worker->has_gap &&
	       atomic_load_explicit(&session->state, memory_order_relaxed) == SESSION_ON &&
	       !atomic_load(&session->shut) && !atomic_load(&session->frozen);
}

bool probes_made_room(struct worker *worker, bool room)
{
	uint64_t limit = worker_limit(worker);

	if (room)
		worker->probed->look_at = limit > PROBE_NOTES ? limit - PROBE_NOTES : 0;
	return room;
}

/* A limit that changes tells record_strand_at() to read the clock again. */
void probes_after(struct worker *worker, enum wire_kind kind, const void *frame)
{
	struct probed *probed = worker->probed;

	for (uint32_t i = on.n; i-- > 0;)
		if (probed->own[i] && on.probe[i]->after)
			on.probe[i]->after(worker, probed->own[i], kind, frame);
	if (on.watches)
		atomic_store_explicit(&worker->limit, atomic_load(&worker->head),
				      memory_order_relaxed);
}
