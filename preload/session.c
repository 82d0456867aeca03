/* SPDX-License-Identifier: MIT */
/* session.c - starts and ends the recording, and keeps what is known of the program. */
#include "preload/session.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/control.h"
#include "preload/libc.h"
#include "preload/record.h"
#include "preload/room.h"
#include "preload/worker.h"

#define RING_SLOTS_DEFAULT 65536u /* 1 MiB a worker: with 256 KiB fib takes half as long again */
#define RING_SLOTS_FIRST 4096u	  /* of a ring that begins */
#define RING_SLOTS_MIN 1024u
#define RING_PARTS 64u	 /* where memory is limited, no ring begins with more of it */
#define WORKER_EXTRA 8192u /* the kernel's, for a worker's mapping */
#define RING_SLOTS_MAX (1u << 26)

/* Before the start, in a forked child, and where no shared memory is to be had. */
static struct session private_session = { .text_bytes = 1 };
static struct session *_Atomic current = &private_session;
static struct worker *_Atomic worker_of[WIRE_WORKERS];
static pthread_key_t exit_key;
static _Atomic uint32_t exit_key_made;

struct session *session_get(void)
{
	return atomic_load_explicit(&current, memory_order_acquire);
}

struct worker *session_worker(uint32_t index)
{
	return atomic_load_explicit(&worker_of[index], memory_order_acquire);
}

/* In a page that is zero in a forked child; NULL as long as there is no session. */
enum home_state { HOME_STRANGE, HOME_OURS, HOME_CHANGING };
static _Atomic uint32_t *_Atomic at_home;

static void home_open(void)
{
	if (!atomic_load(&at_home)) {
		void *page = mmap(NULL, shared_pages(1), PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED)
			return;
		madvise(page, shared_pages(1), MADV_WIPEONFORK);
		*(uint32_t *)page = HOME_OURS;
		atomic_store_explicit(&at_home, page, memory_order_release);
	}
	session_settle();
}

void session_settle(void)
{
	_Atomic uint32_t *home = atomic_load(&at_home);

	if (home)
		atomic_store_explicit(home, HOME_OURS, memory_order_release);
}

/* What the parent's other threads had locked is free, and no lock that is asked for here is its. */
void session_disown(void)
{
	static _Atomic uint32_t disowning;
	_Atomic uint32_t *home = atomic_load_explicit(&at_home, memory_order_acquire);
	uint32_t strange = HOME_STRANGE;

	if (!home || atomic_load_explicit(home, memory_order_acquire) == HOME_OURS)
		return;
	libc_lock(&disowning); /* a handler would find the session half gone */
	if (atomic_compare_exchange_strong(home, &strange, HOME_CHANGING)) {
		libc_left_behind();
		atomic_store(&session_forget(true)->state, SESSION_CLOSED);
		session_settle();
	}
	libc_unlock(&disowning);
}

/* While it is waited for, the session may have moved. */
struct session *session_lock(void)
{
	session_disown();
	for (;;) {
		struct session *session = session_get();

		libc_lock(&session->lock);
		if (session == session_get())
			return session;
		session_unlock(session);
	}
}

void session_unlock(struct session *session)
{
	libc_unlock(&session->lock);
}

session_text session_keep(struct session *session, const char *text)
{
	uint32_t at = atomic_load_explicit(&session->text_bytes, memory_order_relaxed);
	size_t bytes = strlen(text) + 1;

	if (bytes == 1 || bytes > SESSION_TEXT_BYTES - at ||
	    !shared_reserve(session->text + at, bytes))
		return 0;
	memcpy(session->text + at, text, bytes);
	atomic_store_explicit(&session->text_bytes, at + (uint32_t)bytes, memory_order_release);
	return at;
}

/* What of a session is in use; the rest of it is zero. */
static bool copy_session(struct session *to, const struct session *from)
{
	size_t head = offsetof(struct session, module);
	size_t modules = from->n_modules * sizeof(from->module[0]);
	size_t sites = (from->n_sites + 1) * sizeof(from->site[0]);

	if (!shared_reserve(to, head) || !shared_reserve(to->module, modules) ||
	    !shared_reserve(to->site, sites) || !shared_reserve(to->text, from->text_bytes))
		return false;
	memcpy((void *)to, from, head);
	memcpy(to->module, from->module, modules);
	memcpy(to->site, from->site, sites);
	memcpy(to->text, from->text, from->text_bytes);
	return true;
}

int session_share(enum shared_home home)
{
	struct session *old = session_lock(), *moved;
	const struct shared_sizes sizes = { .head = shared_pages(sizeof(struct session)),
					    .stride = shared_pages(worker_bytes(old->ring_slots)),
					    .last = shared_pages(old->flight_bytes) };
	uint64_t flight_at;
	int fd;

	moved = shared_make(home, &sizes, &fd);
	if (moved && copy_session(moved, old)) {
		moved->head_bytes = sizes.head;
		moved->stride = sizes.stride;
		moved->flight_at = shared_last(&flight_at) ? flight_at : 0;
		atomic_store(&moved->lock, 0);
		atomic_store(&current, moved);
	} else if (moved) {
		shared_remove();
		shared_forget();
		munmap(moved, sizes.head);
		close(fd);
		fd = -1;
	}
	session_unlock(old);
	return fd;
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

	if (worker_state(worker) == WORKER_STRANGE)
		return;				 /* the parent's thread may go on */
	if (worker->task && worker_runs(worker)) /* else it was cancelled at a wait */
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

bool session_is_ours(const struct session *session)
{
	long pid = syscall(SYS_getpid);

	return pid < 0 || session->pid == (int)pid; /* it may be forbidden to ask */
}

/* Memory of this process alone in the worker's place, which takes no event. */
static void worker_own(struct worker *worker, size_t bytes)
{
	if (mmap(worker, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		worker_turn(worker, WORKER_STRANGE); /* as the kernel did, but an old one */
}

/* What the child maps of the parent's memory goes, or the parent would seem to live as long. */
struct session *session_forget(bool inside)
{
	struct session *session = session_get();
	size_t bytes = worker_bytes(session->ring_slots);
	uint32_t n_workers = atomic_load(&session->n_workers);

	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = atomic_exchange(&worker_of[i], NULL);

		if (worker && inside)
			worker_own(worker, bytes);
		else if (worker)
			munmap(worker, bytes);
	}
	if (!inside)
		worker_tls = NULL;
	if (atomic_load(&exit_key_made))
		libc.setspecific(exit_key, NULL);
	shared_forget();
	room_forget();
	if (session != &private_session) {
		copy_session(&private_session, session);
		atomic_store(&current, &private_session);
		munmap(session, session->head_bytes);
		session = &private_session;
	}
	memset(session->magic, 0, sizeof(session->magic));
	session->outside = 0;
	session->held = 0;
	atomic_store(&session->hold, 0);
	session->leaving[0] = 0;
	atomic_store(&session->life, 0);
	session->trace[0] = 0;
	session->flight_bytes = session->flight_at = 0;
	atomic_store(&session->lock, 0);
	atomic_store(&session->n_workers, 0);
	atomic_store(&session->n_refused, 0);
	atomic_store(&session->n_barred, 0);
	atomic_store(&session->n_foreign, 0);
	atomic_store(&session->marks_taken, atomic_load(&session->n_marks));
	atomic_store(&session->marks_lost, 0);
	atomic_store(&session->marks_stuck, 0);
	atomic_store(&session->turns_refused, 0);
	atomic_store(&session->lost_mark_first, 0);
	atomic_store(&session->lost_mark_last, 0);
	atomic_store(&session->asked, 0);
	atomic_store(&session->n_unnamed, 0);
	return session;
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

static enum clock_source choose_clock(enum clock_wish wish)
{
	enum clock_source source = clock_probe(wish);

	if (wish == CLOCK_WISH_TSC && source == CLOCK_SOURCE_MONOTONIC)
		options_say_bad("TPTRACE_CLOCK", "tsc",
				"the processor does not promise that its time stamp counter keeps "
				"its rate; using monotonic");
	return source;
}

static void session_begin(struct session *session)
{
	libc_find();
	home_open();
	session->pid = (int)getpid();
	options_read(&session->options, environ, true);
	session->drop = session->options.drop;
	session->ring_slots = ring_slots_for(session->options.ring_bytes);
	session->clock = choose_clock(session->options.clock);
	session->begin = clock_pair(session->clock);
	session->event_ps = measure_event_ps(session);
	session = session_lock();
	module_scan(session);
	session_unlock(session);
	if (!atomic_exchange(&exit_key_made, 1))
		libc.key_create(&exit_key, thread_exits);
}

bool session_start(void)
{
	static _Atomic uint32_t starting;
	struct session *session = session_get();
	uint32_t off = SESSION_OFF;
	int saved = errno;

	session_disown();
	libc_lock(&starting); /* without signals: a handler that records would wait for itself */
	if (atomic_compare_exchange_strong(&session->state, &off, SESSION_STARTING)) {
		bool on = !env_is("TPTRACE_DISABLE", "1");

		if (on) {
			session_begin(session);
			on = collector_start(session) == 0;
		}
		session = session_get();
		if (on)
			control_open(session);
		session->layout = SESSION_LAYOUT;
		memcpy(session->magic, SESSION_MAGIC, sizeof(session->magic));
		atomic_store(&session->state, on ? SESSION_ON : SESSION_CLOSED);
	}
	libc_unlock(&starting);
	errno = saved;
	return atomic_load(&session_get()->state) == SESSION_ON;
}

void session_leave(struct session *session, const char *how)
{
	strncpy(session->leaving, how, sizeof(session->leaving) - 1);
}

void session_shut_down(struct session *session, struct clock_pair end)
{
	static _Atomic uint32_t closing;
	uint32_t on = SESSION_ON;

	libc_lock(&closing); /* a handler that ends the process, too, finds `end` there */
	if (atomic_load(&session->state) == SESSION_ON)
		session->end = end;
	atomic_compare_exchange_strong(&session->state, &on, SESSION_CLOSED);
	libc_unlock(&closing);
}

/*
 * It is over when the collector has come so far, or here.  A collector outside sees when the process
 * is, and takes all until then.
 */
void session_close(const char *how)
{
	struct session *session = session_get();

	if (atomic_load(&session->state) < SESSION_ON || !session_is_ours(session))
		return;
	collector_end(session, how, true);
	if (!session->outside)
		session_shut_down(session, clock_pair(session->clock));
}

/* The slots that a new ring has, and takes memory for; 0 if there is none. */
static uint64_t first_slots(const struct session *session)
{
	uint64_t n = session->ring_slots, left = room_left();
	size_t held_bytes = session->hold_slots * sizeof(struct wire_event);

	if (n > RING_SLOTS_FIRST)
		n = RING_SLOTS_FIRST;
	while (n > RING_SLOTS_MIN && worker_bytes(n) + held_bytes > left / RING_PARTS)
		n /= 2;
	return room_take(worker_bytes(n) + held_bytes + WORKER_EXTRA, ROOM_NEEDED) ? n : 0;
}

/*
 * A further worker, in shared memory if the session is there.  A ring that only this process has
 * will do for a collector inside it.
 */
static struct worker *add_worker(struct session *session)
{
	uint32_t n = atomic_load(&session->n_workers);
	bool slow_clock = session->clock == CLOCK_SOURCE_MONOTONIC;
	struct worker *worker = NULL;
	uint64_t n_slots;
	void *memory;

	if (n == WIRE_WORKERS || !room_for(worker_bytes(session->ring_slots)) ||
	    !shared_reserve(session, offsetof(struct session, module)))
		return NULL;
	n_slots = first_slots(session);
	if (!n_slots)
		return NULL;
	memory = shared_more(WORKER_PAGE, shared_pages(worker_bytes(n_slots)));
	if (memory)
		worker = worker_make(memory, n, session->ring_slots, slow_clock);
	else if (!session->outside)
		worker = worker_map(n, session->ring_slots, slow_clock);
	if (worker) {
		worker_begin_small(worker, n_slots);
		atomic_store(&worker->in_use, 1);
		atomic_store_explicit(&worker_of[n], worker, memory_order_release);
		atomic_store(&session->n_workers, n + 1);
		if (atomic_load(&session->shut)) /* gate_shut() may have missed it */
			atomic_store(&worker->limit, 0);
	}
	return worker;
}

/*
 * The worker for a call that its state forbids, or NULL: the thread may be in the recorder; or in
 * the runtime for a task, and the call is not the program's, which a task would have made.  Then a
 * handler makes it; or, where a thread was refused, a task that it made may run there unseen.
 */
static struct worker *worker_barred(struct worker *worker)
{
	struct session *session = session_get();

	if (worker_state(worker) == WORKER_OUTSIDE && !worker->task)
		return worker;
	if (worker_state(worker) == WORKER_STRANGE)
		session_disown();
	else if (atomic_load(&session->state) == SESSION_ON)
		atomic_fetch_add(worker_state(worker) == WORKER_OUTSIDE &&
						 atomic_load(&session->n_refused)
					 ? &session->n_foreign
					 : &session->n_barred,
				 1);
	return NULL;
}

struct worker *worker_attach(void)
{
	struct session *session = session_get();
	static __thread int refused_by __attribute__((tls_model("initial-exec"))); /* its pid */
	int saved = errno;
	struct worker *worker = NULL;

	if (worker_self())
		return worker_barred(worker_self());
	if (atomic_load_explicit(&session->state, memory_order_relaxed) == SESSION_CLOSED)
		return NULL;
	session_disown();
	session = session_get();
	if (atomic_load_explicit(&session->state, memory_order_acquire) != SESSION_ON &&
	    !session_start())
		return NULL;
	session = session_get();
	if (refused_by == session->pid) /* for good: half a thread's events make no sense */
		return NULL;
	session = session_lock();
	uint32_t n = atomic_load(&session->n_workers);

	for (uint32_t i = 0; i < n && !worker; i++) {
		struct worker *other = session_worker(i);

		if (!atomic_exchange(&other->in_use, 1))
			worker = other;
	}
	if (!worker)
		worker = add_worker(session);
	session_unlock(session);
	if (worker) {
		worker_tls = worker;
		libc.setspecific(exit_key, worker);
	} else {
		refused_by = session->pid;
		atomic_fetch_add(&session->n_refused, 1);
	}
	errno = saved;
	return worker;
}

bool record_on(void)
{
	session_disown();
	return atomic_load(&session_get()->state) == SESSION_ON || session_start();
}

uint32_t record_runtime(const char *name, const char *version)
{
	struct session *session = session_lock();
	uint32_t n = atomic_load(&session->n_runtimes);

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
	struct session *session = session_lock();

	atomic_store(&session->runtime[runtime].note, session_keep(session, note));
	session_unlock(session);
}

void record_runtime_workers(uint32_t runtime, uint32_t n_workers)
{
	struct session *session;

	do { /* once more if the session moved meanwhile */
		session = session_get();
		_Atomic uint32_t *largest = &session->runtime[runtime].n_workers;
		uint32_t seen = atomic_load_explicit(largest, memory_order_relaxed);

		while (seen < n_workers && !atomic_compare_exchange_weak(largest, &seen, n_workers))
			;
	} while (session != session_get());
}

void record_final(void)
{
	struct session *session;

	do { /* likewise */
		session = session_get();
		atomic_store_explicit(&session->has_final, true, memory_order_relaxed);
	} while (session != session_get());
}

uint32_t record_site(uint32_t runtime, uintptr_t return_address, uintptr_t function)
{
	return record_site_named(runtime, return_address, function, NULL);
}

uint32_t record_site_named(uint32_t runtime, uintptr_t return_address, uintptr_t function,
			   const char *name)
{
	struct session *session = session_lock();
	int saved = errno;
	uint32_t n;

	if (!module_of(session, return_address) || (function && !module_of(session, function)))
		module_scan(session);
	n = atomic_load(&session->n_sites) + 1; /* 0 is kept free */
	if (n < SESSION_SITES && shared_reserve(&session->site[n], sizeof(session->site[n]))) {
		session->site[n] = (struct session_site){
			.return_address = return_address,
			.function = function,
			.name = name ? session_keep(session, name) : 0,
			.runtime = runtime,
			.return_module = module_of(session, return_address),
			.function_module = module_of(session, function),
		};
		atomic_store_explicit(&session->n_sites, n, memory_order_release);
	} else {
		n = SESSION_SITES - 1;
		atomic_fetch_add(&session->n_unnamed, 1);
	}
	session_unlock(session);
	errno = saved;
	return n;
}

void record_root(struct worker *worker)
{
	enum worker_state was = worker_enter(worker);

	if (was < WORKER_OUTSIDE)
		return;
	if (worker->task) { /* a signal handler was faster */
		worker_turn(worker, was);
		return;
	}
	worker->task = worker->root = record_next_id(worker);
	record_put_strand(worker, WIRE_ROOT, 0);
}
