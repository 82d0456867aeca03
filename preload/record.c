/* SPDX-License-Identifier: MIT */
/* record.c - what is recorded off the hot path: runtimes and sites. */
#include "preload/record.h"

#include <errno.h>
#include <string.h>

#include "preload/module.h"
#include "preload/probe.h"
#include "preload/session.h"

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

bool record_virtual(void)
{
	return record_on() && probe_rules_time();
}

void record_runtime_note(uint32_t runtime, const char *note)
{
	struct session *session = session_lock();

	atomic_store(&session->runtime[runtime].note, session_keep(session, note));
	session_unlock(session);
}

void record_runtime_unlinked(uint32_t runtime, const char *what)
{
	struct session *session = session_lock();

	atomic_store(&session->runtime[runtime].unlinked, session_keep(session, what));
	session_unlock(session);
}

void record_runtime_tokens(uint32_t runtime, uint32_t n)
{
	struct session *session = session_lock();
	uint32_t fewest = atomic_load(&session->runtime[runtime].tokens);

	if (!fewest || n < fewest)
		atomic_store(&session->runtime[runtime].tokens, n);
	session_unlock(session);
}

void record_lost_call(void)
{
	atomic_fetch_add(&session_get()->n_barred, 1);
}

void record_runtime_workers(uint32_t runtime, uint32_t n_workers)
{
	struct session *session = session_get();

	if (atomic_load(&session->runtime[runtime].n_workers) >= n_workers)
		return;
	session = session_lock();
	if (atomic_load(&session->runtime[runtime].n_workers) < n_workers)
		atomic_store(&session->runtime[runtime].n_workers, n_workers);
	session_unlock(session);
}

void record_final(void)
{
	struct session *session = session_get();

	if (atomic_load_explicit(&session->has_final, memory_order_relaxed))
		return;
	session = session_lock();
	atomic_store(&session->has_final, true);
	session_unlock(session);
}

uint32_t record_site(uint32_t runtime, uintptr_t return_address, uintptr_t function)
{
	return record_site_named(runtime, return_address, function, NULL);
}

uint32_t record_site_named(uint32_t runtime, uintptr_t return_address, uintptr_t function,
			   const char *name)
{
	return record_site_placed(runtime, return_address, function, name, NULL, 0);
}

uint32_t record_site_placed(uint32_t runtime, uintptr_t return_address, uintptr_t function,
			    const char *name, const char *file, uint32_t line)
{
	struct session *session = session_lock();
	struct session_site site = { .return_address = return_address,
				     .function = function,
				     .name = name ? session_keep(session, name) : 0,
				     .file = file ? session_keep(session, file) : 0,
				     .line = line,
				     .runtime = runtime };
	int saved = errno;
	uint32_t n = session_add_site(session, &site);

	if (!n) {
		n = SESSION_SITES - 1;
		atomic_fetch_add(&session->n_unnamed, 1);
	}
	session_unlock(session);
	errno = saved;
	return n;
}
