/* SPDX-License-Identifier: MIT */
/* control.c - starts and stops the recording, for the program, a signal or the collector. */
#include "preload/control.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "preload/tptrace.h"
#include "preload/worker.h"

/* Workers look up at their next event. */
static void look_up(struct session *session)
{
	uint32_t n = atomic_load_explicit(&session->n_workers, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++) {
		struct worker *worker = atomic_load(&session->worker[i]);

		if (worker)
			atomic_store(&worker->limit, 0);
	}
}

/* With the lock. */
static void put_mark(struct session *session, uint64_t ticks, enum session_mark_what what,
		     const char *name)
{
	uint32_t n = atomic_load_explicit(&session->n_marks, memory_order_relaxed);
	struct session_mark *mark = &session->mark[n % SESSION_MARKS];

	if (n - atomic_load_explicit(&session->marks_taken, memory_order_acquire) ==
	    SESSION_MARKS) {
		atomic_fetch_add(&session->marks_lost, 1);
		return;
	}
	mark->ticks = ticks;
	mark->what = what;
	memset(mark->name, 0, sizeof(mark->name));
	if (name)
		memcpy(mark->name, name, strnlen(name, sizeof(mark->name) - 1));
	atomic_store_explicit(&session->n_marks, n + 1, memory_order_release);
}

bool control_next_mark(struct session *session, struct session_mark *mark)
{
	uint32_t taken = atomic_load_explicit(&session->marks_taken, memory_order_relaxed);

	if (taken == atomic_load_explicit(&session->n_marks, memory_order_acquire))
		return false;
	*mark = session->mark[taken % SESSION_MARKS];
	mark->name[sizeof(mark->name) - 1] = 0;
	atomic_store_explicit(&session->marks_taken, taken + 1, memory_order_release);
	return true;
}

void control_shut(struct session *session, enum wire_loss why)
{
	atomic_store(&session->shut, (uint32_t)why);
	look_up(session);
}

bool control_stop(struct session *session)
{
	bool on;

	session_lock(session);
	on = atomic_load(&session->shut) == 0;
	if (on) {
		put_mark(session, clock_ticks_by(session->clock), MARK_STOP, NULL);
		control_shut(session, WIRE_LOSS_STOPPED);
	}
	session_unlock(session);
	return on;
}

bool control_start(struct session *session)
{
	uint64_t ticks = clock_ticks_by(session->clock);
	bool stopped;

	session_lock(session);
	stopped = atomic_load(&session->shut) == WIRE_LOSS_STOPPED;
	if (stopped) {
		put_mark(session, ticks, MARK_START, NULL);
		atomic_store(&session->started_ticks, ticks);
		atomic_store(&session->shut, 0);
	}
	session_unlock(session);
	return stopped;
}

void control_open(struct session *session)
{
	atomic_store(&session->shut, 0);
	if (!session->options.start_off)
		return;
	session_lock(session);
	put_mark(session, session->begin.ticks, MARK_STOP, NULL);
	atomic_store(&session->shut, (uint32_t)WIRE_LOSS_STOPPED);
	session_unlock(session);
}

uint32_t control_asked(struct session *session)
{
	return atomic_load_explicit(&session->asked, memory_order_relaxed)
		       ? atomic_exchange(&session->asked, 0)
		       : 0;
}

/* Also from a signal handler. */
static void ask(uint32_t what)
{
	struct session *session = session_get();

	atomic_fetch_or(&session->asked, what);
	session_wake_collector(session);
}

static void do_call(struct session *session, int what, const char *name)
{
	if (!name || !*name)
		name = "?";
	switch (what) {
	case TPTRACE_START:
		control_start(session);
		return;
	case TPTRACE_STOP:
		control_stop(session);
		return;
	case TPTRACE_SNAPSHOT:
		ask(SESSION_ASK_SNAPSHOT);
		return;
	case TPTRACE_PHASE:
	case TPTRACE_REGION_BEGIN:
	case TPTRACE_REGION_END:
		break;
	default:
		return; /* of a later header */
	}
	uint64_t ticks = clock_ticks_by(session->clock);

	session_lock(session);
	put_mark(session, ticks, MARK_PHASE + (enum session_mark_what)(what - TPTRACE_PHASE), name);
	session_unlock(session);
}

void control_call(int what, const char *name)
{
	int saved = errno;

	if (session_start())
		do_call(session_get(), what, name);
	errno = saved;
}

/* ---- signals ---- */

static int toggle_signal, snapshot_signal;

static void on_signal(int number)
{
	ask(number == toggle_signal ? SESSION_ASK_TOGGLE : SESSION_ASK_SNAPSHOT);
}

/* Takes a signal that the program has no handler for; false if it has one. */
static bool take_signal(int number)
{
	struct sigaction before, action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (sigaction(number, NULL, &before) < 0 || before.sa_flags & SA_SIGINFO ||
	    (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN))
		return false;
	sigemptyset(&action.sa_mask);
	return sigaction(number, &action, NULL) == 0;
}

/*
 * Before the program, so that a signal that comes before its first task does not end it; and before
 * libc, which does not know the environment yet.
 */
__attribute__((constructor)) static void take_signals(int argc, char **argv, char **env)
{
	static const char taken[] = "tptrace: the program has a handler for the signal that "
				    "tptrace was to use; it is not used\n";
	struct options options;
	int saved = errno;

	(void)argc;
	(void)argv;
	options_read(&options, env, false); /* the session says what is wrong */
	toggle_signal = options.toggle_signal;
	snapshot_signal = options.snapshot_signal;
	if (((toggle_signal && !take_signal(toggle_signal)) ||
	     (snapshot_signal && snapshot_signal != toggle_signal &&
	      !take_signal(snapshot_signal))) &&
	    write(STDERR_FILENO, taken, sizeof(taken) - 1) < 0)
		errno = saved;
	errno = saved;
}
