/* SPDX-License-Identifier: MIT */
/* control.c - starts and stops the recording for the program, or at a signal. */
#include "preload/control.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "preload/gate.h"
#include "preload/tptrace.h"
#include "preload/worker.h"

static struct worker *worker_at(void *arg, uint32_t index)
{
	(void)arg;
	return session_worker(index);
}

void control_open(struct session *session)
{
	bool room = shared_reserve(session->mark, sizeof(session->mark));

	atomic_store(&session->gate, 0);
	atomic_store(&session->mark_room, room ? SESSION_MARKS : 0);
	atomic_store(&session->shut, 0);
	if (!session->options.start_off)
		return;
	gate_mark(session, session->begin.ticks, MARK_STOP, NULL);
	atomic_store(&session->shut, (uint32_t)WIRE_LOSS_STOPPED);
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
		gate_start(session);
		return;
	case TPTRACE_STOP:
		gate_stop(session, worker_at, NULL);
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
	gate_mark(session, clock_ticks_by(session->clock),
		  MARK_PHASE + (enum session_mark_what)(what - TPTRACE_PHASE), name);
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
