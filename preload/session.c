/* SPDX-License-Identifier: MIT */
/* session.c - which session there is, in this process and in a forked child. */
#include "preload/session.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/libc.h"
#include "preload/budget.h"
#include "preload/worker.h"
#include "collector/session/futex.h"

/* Before the start, in a forked child, and where no shared memory is to be had. */
static struct session private_session; /* all zero: its 6 MB are not in the library's file */
static const struct collector *the_collector;
static struct session *_Atomic current = &private_session;
__thread struct worker *worker_tls;
static struct worker *_Atomic worker_of[WIRE_WORKERS];
static pthread_key_t exit_key;
static _Atomic uint32_t exit_key_made;

struct session *session_get(void)
{
	return atomic_load(&current);
}

void session_give(const struct collector *collector)
{
	the_collector = collector;
	budget_give(collector->may_open);
}

const struct collector *session_collector(void)
{
	return the_collector;
}

bool session_may_open(void)
{
	return !the_collector->may_open || the_collector->may_open();
}

void session_put_worker(uint32_t index, struct worker *worker)
{
	atomic_store_explicit(&worker_of[index], worker, memory_order_release);
}

void session_watch_exits(void (*exits)(void *worker))
{
	if (!atomic_exchange(&exit_key_made, 1))
		libc.key_create(&exit_key, exits);
}

void session_watch_thread(struct worker *worker)
{
	libc.setspecific(exit_key, worker);
}

struct worker *session_worker(uint32_t index)
{
	return atomic_load_explicit(&worker_of[index], memory_order_acquire);
}

struct worker *session_worker_at(void *arg, uint32_t index)
{
	(void)arg;
	return session_worker(index);
}

/* In a page that is zero in a forked child; NULL as long as there is no session. */
enum home_state { HOME_STRANGE, HOME_OURS, HOME_CHANGING };
static _Atomic uint32_t *_Atomic at_home;

void session_make_home(void)
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
	session_own();
}

void session_own(void)
{
	_Atomic uint32_t *home = atomic_load(&at_home);

	if (home)
		atomic_store_explicit(home, HOME_OURS, memory_order_release);
}

/* The parent's other threads are gone in the child, and their locks are free; takes no lock of
 * theirs. */
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
		session_own();
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

	at += at == 0;
	if (bytes == 1 || bytes > SESSION_TEXT_BYTES - at ||
	    !shared_reserve(session->text + at, bytes))
		return 0;
	memcpy(session->text + at, text, bytes);
	atomic_store_explicit(&session->text_bytes, at + (uint32_t)bytes, memory_order_release);
	return at;
}

/* ---- where the session is ---- */

/* Copies the used parts of a session, but for the lock, which others wait for; the rest is zero. */
static bool copy_session(struct session *to, const struct session *from)
{
	size_t head = offsetof(struct session, module), lock = offsetof(struct session, lock);
	size_t behind = lock + sizeof(from->lock);
	size_t modules = from->n_modules * sizeof(from->module[0]);
	size_t sites = (from->n_sites + 1) * sizeof(from->site[0]);

	if (!shared_reserve(to, head) || !shared_reserve(to->module, modules) ||
	    !shared_reserve(to->site, sites) || !shared_reserve(to->text, from->text_bytes))
		return false;
	memcpy((void *)to, from, lock);
	memcpy((char *)to + behind, (const char *)from + behind, head - behind);
	memcpy(to->module, from->module, modules);
	memcpy(to->site, from->site, sites);
	memcpy(to->text, from->text, from->text_bytes);
	return true;
}

int session_share(enum shared_home home)
{
	struct session *old = session_lock(), *moved;
	const struct shared_sizes sizes = { .head = shared_pages(sizeof(struct session)),
					    .stride = shared_pages(worker_place(&old->chunks)),
					    .last = shared_pages(old->flight_bytes) };
	uint64_t flight_at;
	int fd;

	moved = shared_make(home, &sizes, &fd);
	if (moved && copy_session(moved, old)) {
		moved->head_bytes = sizes.head;
		moved->stride = sizes.stride;
		moved->flight_at = shared_last(&flight_at) ? flight_at : 0;
		atomic_store(&current, moved);
	} else if (moved) {
		shared_remove();
		shared_forget();
		munmap(moved, sizes.head);
		close(fd);
		fd = -ENOSPC;
	}
	session_unlock(old);
	return fd;
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

/* Unmaps the parent's memory in the child: while it is mapped, the parent seems alive. */
struct session *session_forget(bool inside)
{
	struct session *session = session_get();
	size_t bytes = worker_place(&session->chunks), own = offsetof(struct session, n_workers);
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
	budget_forget();
	if (session != &private_session) {
		copy_session(&private_session, session);
		atomic_store(&current, &private_session);
		munmap(session, session->head_bytes);
		session = &private_session;
	} else if (atomic_load(&session->n_marks)) { /* the child's begin with number 0, too */
		memset(session->mark, 0, sizeof(session->mark));
	}
	memset(session->magic, 0, sizeof(session->magic));
	memset((char *)session + own, 0, offsetof(struct session, module) - own);
	atomic_store(&session->lock, 0);
	return session;
}

void session_note_end(struct session *session, const char *how)
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
