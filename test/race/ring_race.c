/* SPDX-License-Identifier: MIT */
/*
 * ring_race.c - workers' chunks under -fsanitize=thread: threads record, come and go, while one
 * thread takes their events as the collector does.  Exit status 0, or 1 and what
 * came out wrong; the tool's own reports end it with 66.
 *
 * Built with -DBREAK_COMMIT or -DBREAK_TAKE it lacks one of the two release stores that make it
 * right, and the tool must say so.  x86 itself would not: there a plain store is one already.
 */
#include <stdatomic.h>

#ifdef BREAK_COMMIT /* worker_leave() is inline, so this reaches it */
#define memory_order_release memory_order_relaxed
#endif
#include "preload/record.h"
#undef memory_order_release

#ifdef BREAK_TAKE
#define TAKE_ORDER memory_order_relaxed
#else
#define TAKE_ORDER memory_order_release
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "preload/session.h"
#include "collector/session/gate.h"
#include "collector/session/futex.h"
#include "test/lib/collector.h"

#define PRODUCERS 3
#define ROUNDS 12 /* of threads */
#define EVENTS_EACH 15000u
#define WORKERS_MAX (PRODUCERS + 1)
#define FLUSH_NS 1000000u

static pthread_t taker;
static _Atomic bool stopping;

/* The events of one worker's ring: SIGNALs numbered from 0, and notes of losses. */
static struct account {
	uint64_t next, lost;
	const char *wrong;
} account_of[WORKERS_MAX];

static void take_event(struct account *account, const struct wire_event *event)
{
	switch (event_kind(event)) {
	case WIRE_SIGNAL:
		if (event->b != account->next++)
			account->wrong = "an event is out of order";
		break;
	case WIRE_LOST:
		account->lost += event->b;
		account->next += event->b;
		break;
	case WIRE_NEXT_ID:
		if (event->b != account->next)
			account->wrong = "the ids given so far are other ones";
		break;
	case WIRE_TRACER:
	case WIRE_SINCE:
	case WIRE_UNTIL:
	case WIRE_RESUME:
		break;
	default:
		account->wrong = "an event that nobody put";
	}
}

/* As chunk_release() does, by this order. */
static void release(struct worker *worker, uint64_t tail)
{
	atomic_store_explicit(&worker->tail, tail, memory_order_relaxed);
	for (uint32_t i = 0; i < atomic_load(&worker->n_chunks); i++) {
		struct chunk *chunk = chunk_at(worker, i);

		if (chunk_state_of(chunk_word(chunk)) == CHUNK_FULL && chunk_end(chunk) <= tail)
			atomic_fetch_and_explicit(
				&chunk->word, ~(uint64_t)(CHUNK_STATE | CHUNK_PINNED), TAKE_ORDER);
	}
	atomic_fetch_add_explicit(&worker->releases, 1, memory_order_relaxed);
	if (atomic_load_explicit(&worker->waiting, memory_order_relaxed))
		futex_wake(&worker->releases);
}

/* Takes what is there, piece by piece, and releases the chunks. */
static bool drain(struct worker *worker, bool all)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	struct chunk_events events;
	bool took = false;

	while (chunk_find(worker, &worker->sizes, tail, &events) && (all || events.full)) {
		for (uint32_t i = 0; i < events.n; i++)
			take_event(&account_of[worker->index], &events.slot[i]);
		tail += events.n;
		took = true;
		release(worker, tail);
	}
	if (all)
		release(worker, tail);
	return took;
}

static bool round_of(struct session *session, bool all)
{
	uint32_t n_workers = atomic_load_explicit(&session->n_workers, memory_order_acquire);
	bool took = false;

	for (uint32_t i = 0; i < n_workers; i++)
		took |= drain(session_worker(i), all);
	return took;
}

static void *take_all(void *arg)
{
	struct session *session = arg;
	bool all = false;

	for (;;) {
		uint32_t wake = atomic_load_explicit(&session->wake, memory_order_acquire);
		bool stop = atomic_load(&stopping);

		all = !all || stop;
		if (round_of(session, all))
			continue;
		if (stop)
			return NULL;
		futex_wait(&session->wake, wake, FLUSH_NS);
	}
}

/* ---- what session.c wants of a collector (collector.h) ---- */

static struct collector collector; /* it outlives main() */

static int collector_start(struct session *session)
{
	return -pthread_create(&taker, NULL, take_all, session);
}


/* ---- the traced program ---- */

static void *produce(void *arg)
{
	struct worker *worker = record_worker();

	(void)arg;
	for (uint32_t i = 0; worker && i < EVENTS_EACH; i++) {
		worker->task = 1;				  /* runs, whatever is lost */
		record_event(worker, WIRE_SIGNAL, worker->n_ids); /* its number in this worker */
		record_next_id(worker);
	}
	if (worker)
		worker->task = 0; /* or its end would be recorded, too */
	return NULL;
}

static uint64_t produce_all(void)
{
	pthread_t thread[PRODUCERS];
	uint64_t n = 0;

	for (int round = 0; round < ROUNDS; round++) {
		session_get()->drop = round % 2; /* nobody looks at it now */
		for (int i = 0; i < PRODUCERS; i++)
			if (pthread_create(&thread[i], NULL, produce, NULL))
				abort();
		for (int i = 0; i < PRODUCERS; i++)
			pthread_join(thread[i], NULL);
		n += (uint64_t)PRODUCERS * EVENTS_EACH;
	}
	return n;
}

int main(void)
{
	struct session *session = session_get();
	uint64_t n, got = 0, lost = 0;

	setenv("TPTRACE_BUFFER", "16K", 1);
	collector = idle_collector;
	collector.start = collector_start;
	session_give(&collector);
	if (!session_start()) {
		fprintf(stderr, "ring_race: nothing is recorded\n");
		return 1;
	}
	n = produce_all();
	atomic_store(&stopping, true);
	gate_wake(session);
	pthread_join(taker, NULL);
	for (uint32_t i = 0; i < session->n_workers && i < WORKERS_MAX; i++) {
		struct worker *worker = session_worker(i);
		struct account *account = &account_of[i];

		if (account->wrong) {
			fprintf(stderr, "ring_race: worker %u: %s\n", i, account->wrong);
			return 1;
		}
		lost += worker->lost;
		got += account->next - account->lost;
		if (account->lost + worker->gap[WIRE_LOSS_RING].n != worker->lost) {
			fprintf(stderr, "ring_race: worker %u: not all losses are told\n", i);
			return 1;
		}
	}
	printf("ring_race: %llu events, %llu dropped\n", (unsigned long long)got,
	       (unsigned long long)lost);
	return got + lost == n ? 0 : 1;
}
