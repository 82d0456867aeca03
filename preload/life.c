/* SPDX-License-Identifier: MIT */
/* life.c - ends the recording with the process, and begins it anew in a forked child. */
#include "preload/life.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/programs.h"
#include "collector/session/environment.h"
#include "collector/session/gate.h"
#include "preload/libc.h"
#include "preload/session.h"
#include "preload/trial.h"
#include "preload/worker_life.h"

void life_pause(const char *how, enum leave leave)
{
	struct session *session = session_get();
	int saved = errno;

	if (atomic_load(&session->state) == SESSION_ON && session_is_ours(session))
		session_collector()->pause(session, how, leave);
	errno = saved;
}

void life_go_on(void)
{
	struct session *session = session_get();
	int saved = errno;

	if (atomic_load(&session->state) == SESSION_ON && session_is_ours(session)) {
		session_note_end(session, "");
		gate_wake(session); /* it takes the end back, and releases all */
	}
	errno = saved;
}

void life_finish(const char *how)
{
	int saved = errno;

	session_finish(how);
	errno = saved;
}

int life_lacks(int error)
{
	struct session *session = session_get();
	int saved = errno;

	if (error == EAGAIN && atomic_load(&session->state) == SESSION_ON &&
	    session_is_ours(session) && session_collector()->lacks)
		session_collector()->lacks(session);
	errno = saved;
	return error;
}

/* The process that has this memory: one that was loaded or forked, no child by vfork(). */
static pid_t home;

/* Whether a recording may begin later, as a runtime is in memory. */
static bool is_likely(void)
{
	char runtime[64] = "";

	if (atomic_load(&session_get()->state) == SESSION_OFF && session_may_open())
		programs_runtime(runtime, sizeof(runtime));
	return runtime[0];
}

void life_filters(bool on)
{
	const struct collector *collector = session_collector();
	int saved = errno;

	if (collector && collector->filters && home == (pid_t)syscall(SYS_getpid)) {
		if (on && is_likely())
			session_start();
		collector->filters(on);
	}
	errno = saved;
}

/*
 * In the destructor of a shim, and so before that of any runtime: whose threads may still run tasks
 * then, and would run in what is torn down for as long as the end is written.
 */
void life_pause_at_exit(void)
{
	struct session *session = session_get();
	int saved = errno;

	if (atomic_load(&session->state) == SESSION_ON && session_is_ours(session)) {
		trial_again();
		session_collector()->pause_at_exit(session);
	}
	errno = saved;
}

/* Whether the thread is where a new session's root may begin: in none of the parent's tasks. */
static bool starts_afresh(const struct worker *worker)
{
	if (!worker || !worker->task)
		return true;
	return worker->task == worker->root && worker_runs(worker);
}

/* Found out before the fork: the rings are shared, and the parent goes on in them. */
static __thread bool forks_afresh __attribute__((tls_model("initial-exec")));

void life_forks(void)
{
	forks_afresh = starts_afresh(worker_self());
}

static bool follows(void)
{
	const char *text = options_variable("TPTRACE_FORK");

	return !text || strcmp(text, "ignore") != 0;
}

/*
 * The child has one thread, no collector, and rings that hold the parent's events.  Where it goes
 * on in a task of the parent's, it would record ends of what never began: then it records nothing.
 */
void life_forked(void)
{
	struct session *session = session_get();
	uint32_t state = atomic_load(&session->state);
	bool afresh = forks_afresh;

	home = (pid_t)syscall(SYS_getpid);
	libc_forked();
	if (state != SESSION_OFF) {
		session_collector()->abandon(session);
		session = session_forget(!afresh);
	}
	if (state == SESSION_CLOSED || !afresh || !follows())
		atomic_store(&session->state, SESSION_CLOSED);
	else
		atomic_store(&session->state, SESSION_OFF);
	session_own();
}

/* Nobody else is inside the loader for us while the process doubles: its locks are not for us to
 * make free. */
static void before_fork(void)
{
	life_forks();
	session_lock();
}

static void after_fork(void)
{
	session_unlock(session_get());
}

static void quick_exits(void)
{
	life_finish("by quick_exit");
}

/* First of all: handlers of the program's that fork or end find everything in place. */
__attribute__((constructor)) static void life_begins(void)
{
	home = (pid_t)syscall(SYS_getpid);
	pthread_atfork(before_fork, after_fork, life_forked);
	at_quick_exit(quick_exits);
}

/* Whether anything was ever recorded: a runtime may begin the session and then make no task. */
static bool has_events(const struct session *session)
{
	for (uint32_t i = 0; i < atomic_load(&session->n_workers); i++)
		if (atomic_load(&session_worker(i)->head))
			return true;
	return false;
}

__attribute__((destructor)) static void life_exits(void)
{
	struct session *session = session_get();

	if (!has_events(session) && session_may_open())
		programs_note_end();
	if (atomic_load(&session->state) < SESSION_ON) /* maybe another thread starts it */
		session_collector()->absent(false);
	else if (atomic_load(&session->state) != SESSION_ON || !session_is_ours(session) ||
		 !session_collector()->close_at_exit(session))
		life_finish("cleanly");
}
