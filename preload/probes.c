/* SPDX-License-Identifier: MIT */
/* probes.c - the list of probes, and what the recorder keeps of a worker that they watch. */
#include "preload/probes.h"

#include <sys/mman.h>

#include "preload/session.h"

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
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);

	if (worker->probed->n_notes++ >= PROBE_NOTES)
		return false;
	worker_fill(worker, head, kind, b);
	worker_commit(worker);
	return true;
}

/* ---- the session ---- */

/* Opens those behind it first. */
static void open_after(struct probe *probe, struct session *session)
{
	if (!probe)
		return;
	open_after(probe->next, session);
	if (!probe->open(session) || on.n == PROBES_MOST)
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
	atomic_store(&session->n_uncounted, 0);
	atomic_store(&session->n_paths, 0);
	open_after(added, session);
	for (uint32_t i = 0; i < on.n / 2; i++) { /* the nearest first, again */
		struct probe *far = on.probe[i];

		on.probe[i] = on.probe[on.n - 1 - i];
		on.probe[on.n - 1 - i] = far;
	}
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
	probed = mmap(NULL, on.bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (probed == MAP_FAILED) {
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
	       !atomic_load(&session->shut) && !atomic_load(&session->hold);
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
