/* SPDX-License-Identifier: MIT */
/* session.c - starts and ends the recording, and keeps what is known of the program. */
#include "preload/session.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/control.h"
#include "preload/libc.h"
#include "preload/record.h"
#include "preload/worker.h"

#define RING_SLOTS_DEFAULT 65536u /* 1 MiB a worker: with 256 KiB fib takes half as long again */
#define RING_SLOTS_MIN 1024u
#define RING_SLOTS_MAX (1u << 26)
#define TEXT_CHUNK_BYTES (64u << 10)

static struct session the_session;
static pthread_key_t exit_key;
static _Atomic uint32_t exit_key_made;

struct session *session_get(void)
{
	return &the_session;
}

void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	struct timespec timeout = { .tv_sec = (time_t)(timeout_ns / 1000000000u),
				    .tv_nsec = (long)(timeout_ns % 1000000000u) };
	int saved = errno;

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &timeout, NULL, 0);
	errno = saved;
}

void futex_wake(_Atomic uint32_t *word)
{
	int saved = errno;

	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	errno = saved;
}

void session_lock(struct session *session)
{
	while (atomic_exchange_explicit(&session->lock, 1, memory_order_acquire))
		libc_yield();
}

void session_unlock(struct session *session)
{
	atomic_store_explicit(&session->lock, 0, memory_order_release);
}

const char *session_keep(const char *text)
{
	static char *chunk;
	static size_t left;
	size_t bytes = strlen(text) + 1;

	if (bytes > TEXT_CHUNK_BYTES)
		return NULL;
	if (bytes > left) {
		chunk = mmap(NULL, TEXT_CHUNK_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (chunk == MAP_FAILED) {
			left = 0;
			return NULL;
		}
		left = TEXT_CHUNK_BYTES;
	}
	char *kept = memcpy(chunk, text, bytes);

	chunk += bytes;
	left -= bytes;
	return kept;
}

void session_wake_collector(struct session *session)
{
	atomic_fetch_add_explicit(&session->wake, 1, memory_order_release);
	futex_wake(&session->wake);
}

/* What still runs on the thread, its root mostly, ends with it. */
static void thread_exits(void *arg)
{
	struct worker *worker = arg;

	if (worker->task)
		record_end(worker, 0);
	worker_tls = NULL;
	worker_detach(worker);
}

/*
 * What one event costs: clock, ring and all, on a ring of its own.  The least of a few rounds,
 * as an interrupt only ever adds.
 */
static uint32_t measure_event_ps(struct session *session)
{
	enum { EVENTS = 512, ROUNDS = 4 };
	uint64_t best_ns = UINT64_MAX;
	struct worker *worker =
		worker_map(0, EVENTS * ROUNDS, session->clock == CLOCK_SOURCE_MONOTONIC);

	if (!worker)
		return 0;
	worker->limit = UINT64_MAX;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin_ns = clock_monotonic_ns();

		for (int i = 0; i < EVENTS; i++)
			record_event(worker, WIRE_END, 0);
		uint64_t ns = clock_monotonic_ns() - begin_ns;

		if (ns < best_ns)
			best_ns = ns;
	}
	worker_unmap(worker);
	return (uint32_t)(best_ns * 1000 / EVENTS);
}

/* The child has one thread, no collector, and rings that hold the parent's events. */
static void forked_child(void)
{
	struct session *session = &the_session;
	uint32_t n_workers = atomic_load(&session->n_workers);

	if (atomic_load(&session->state) != SESSION_ON)
		return;
	collector_abandon(session);
	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = atomic_exchange(&session->worker[i], NULL);

		if (worker)
			worker_unmap(worker);
	}
	worker_tls = NULL;
	libc.setspecific(exit_key, NULL);
	atomic_store(&session->lock, 0);
	atomic_store(&session->n_workers, 0);
	atomic_store(&session->n_refused, 0);
	atomic_store(&session->marks_taken, atomic_load(&session->n_marks));
	atomic_store(&session->asked, 0);
	atomic_store(&session->state, SESSION_OFF);
}

static uint64_t ring_slots_for(uint64_t bytes)
{
	uint64_t slots = RING_SLOTS_MIN;

	if (bytes == 0)
		return RING_SLOTS_DEFAULT;
	while (slots < RING_SLOTS_MAX && slots * sizeof(struct wire_event) < bytes)
		slots *= 2;
	return slots;
}

static bool env_is(const char *name, const char *value)
{
	const char *text = getenv(name);

	return text && strcmp(text, value) == 0;
}

static void session_begin(struct session *session)
{
	libc_find();
	session->pid = (int)getpid();
	options_read(&session->options, environ, true);
	session->drop = session->options.drop;
	session->ring_slots = ring_slots_for(session->options.ring_bytes);
	session->clock = clock_probe();
	session->begin = clock_pair(session->clock);
	session->event_ps = measure_event_ps(session);
	control_open(session);
	session_lock(session);
	module_scan(session);
	session_unlock(session);
	if (!atomic_exchange(&exit_key_made, 1)) {
		libc.key_create(&exit_key, thread_exits);
		pthread_atfork(NULL, NULL, forked_child);
	}
}

bool session_start(void)
{
	struct session *session = &the_session;
	uint32_t off = SESSION_OFF;
	int saved = errno;

	if (atomic_compare_exchange_strong(&session->state, &off, SESSION_STARTING)) {
		bool on = !env_is("TPTRACE_DISABLE", "1");

		if (on) {
			session_begin(session);
			on = collector_start(session) == 0;
		}
		atomic_store(&session->state, on ? SESSION_ON : SESSION_CLOSED);
	}
	while (atomic_load(&session->state) == SESSION_STARTING)
		libc_yield();
	errno = saved;
	return atomic_load(&session->state) == SESSION_ON;
}

__attribute__((destructor)) static void session_end(void)
{
	struct session *session = &the_session;
	uint32_t on = SESSION_ON;

	session->end = clock_pair(session->clock);
	if (atomic_load(&session->state) == SESSION_OFF)
		collector_absent();
	else if (atomic_compare_exchange_strong(&session->state, &on, SESSION_CLOSED))
		collector_stop(session);
}

struct worker *worker_attach(void)
{
	struct session *session = &the_session;
	int saved = errno;
	struct worker *worker = NULL;

	if (atomic_load_explicit(&session->state, memory_order_relaxed) == SESSION_CLOSED)
		return NULL;
	if (atomic_load_explicit(&session->state, memory_order_acquire) != SESSION_ON &&
	    !session_start())
		return NULL;
	session_lock(session);
	uint32_t n = atomic_load(&session->n_workers);

	for (uint32_t i = 0; i < n && !worker; i++) {
		struct worker *other = atomic_load(&session->worker[i]);

		if (!atomic_exchange(&other->in_use, 1))
			worker = other;
	}
	if (!worker && n < WIRE_WORKERS) {
		worker = worker_map(n, session->ring_slots,
				    session->clock == CLOCK_SOURCE_MONOTONIC);
		if (worker) {
			atomic_store(&worker->in_use, 1);
			atomic_store(&session->worker[n], worker);
			atomic_store(&session->n_workers, n + 1);
			if (atomic_load(&session->shut)) /* control_shut() may have missed it */
				atomic_store(&worker->limit, 0);
		}
	}
	session_unlock(session);
	if (worker) {
		worker_tls = worker;
		libc.setspecific(exit_key, worker);
	} else {
		atomic_fetch_add(&session->n_refused, 1);
	}
	errno = saved;
	return worker;
}

bool record_on(void)
{
	return atomic_load(&the_session.state) == SESSION_ON || session_start();
}

uint32_t record_runtime(const char *name, const char *version)
{
	struct session *session = &the_session;
	uint32_t n;

	session_lock(session);
	n = atomic_load(&session->n_runtimes);
	if (n < SESSION_RUNTIMES) {
		strncpy(session->runtime[n].name, name, sizeof(session->runtime[n].name) - 1);
		strncpy(session->runtime[n].version, version,
			sizeof(session->runtime[n].version) - 1);
		atomic_store_explicit(&session->n_runtimes, n + 1, memory_order_release);
	} else {
		n = SESSION_RUNTIMES - 1;
	}
	session_unlock(session);
	return n;
}

void record_runtime_note(uint32_t runtime, const char *note)
{
	atomic_store(&the_session.runtime[runtime].note, note);
}

void record_runtime_workers(uint32_t runtime, uint32_t n_workers)
{
	_Atomic uint32_t *largest = &the_session.runtime[runtime].n_workers;
	uint32_t seen = atomic_load_explicit(largest, memory_order_relaxed);

	while (seen < n_workers && !atomic_compare_exchange_weak(largest, &seen, n_workers))
		;
}

uint32_t record_site(uint32_t runtime, uintptr_t return_address, uintptr_t function)
{
	return record_site_named(runtime, return_address, function, NULL);
}

uint32_t record_site_named(uint32_t runtime, uintptr_t return_address, uintptr_t function,
			   const char *name)
{
	struct session *session = &the_session;
	int saved = errno;
	uint32_t n;

	session_lock(session);
	if (!module_of(session, return_address) || (function && !module_of(session, function)))
		module_scan(session);
	n = atomic_load(&session->n_sites) + 1; /* 0 is kept free */
	if (n < SESSION_SITES) {
		session->site[n] = (struct session_site){
			.return_address = return_address,
			.function = function,
			.name = name ? session_keep(name) : NULL,
			.runtime = runtime,
		};
		atomic_store_explicit(&session->n_sites, n, memory_order_release);
	} else {
		n = SESSION_SITES - 1;
	}
	session_unlock(session);
	errno = saved;
	return n;
}

void record_root(struct worker *worker)
{
	worker->task = record_next_id(worker);
	record_strand(worker, WIRE_ROOT, 0);
}
