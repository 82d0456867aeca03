/* SPDX-License-Identifier: MIT */
/* control.c - starts and stops the recording for the program, or at a signal. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "collector/session/gate.h"
#include "preload/libc.h"
#include "preload/record.h"
#include "preload/session.h"
#include "preload/tptrace.h"
#include "preload/worker.h"

#define TURN_PATIENCE_NS 2000000000u /* a start or stop waits so long for a full ring of marks */
#define MARK_PATIENCE_NS 100000000u  /* another mark does; a handler may be what holds it up */

/* Also from a signal handler. */
static void ask(uint32_t what)
{
	struct session *session = session_get();

	atomic_fetch_or(&session->asked, what);
	gate_wake(session);
}

/* Without signals, so that a handler that turns it, too, finds the gate unlocked. */
static enum gate_turn turn_once(struct session *session, int what)
{
	static _Atomic uint32_t turning;
	enum gate_turn turn;

	libc_lock(&turning);
	turn = what == TPTRACE_START ? gate_start(session)
				     : gate_stop(session, session_worker_at, NULL);
	libc_unlock(&turning);
	return turn;
}

static void turn(struct session *session, int what)
{
	enum gate_turn turn = turn_once(session, what);

	while (turn == GATE_FULL && gate_await(session, TURN_PATIENCE_NS))
		turn = turn_once(session, what);
	if (turn == GATE_FULL)
		atomic_fetch_add(&session->turns_refused, 1);
}

/* As an event in a full ring, it waits (for a handler's sake not for long) or is lost. */
static void mark(struct session *session, enum wire_mark what, const char *name)
{
	uint64_t ticks = worker_ticks_by(&session->clock);

	while (!gate_mark(session, ticks, what, name))
		if (session->drop || !gate_await(session, MARK_PATIENCE_NS)) {
			gate_lose(session, ticks);
			return;
		}
}

/* The function that the address is in runs tasks of that name: a site that makes none. */
static void name_code(const void *at, const char *name)
{
	record_site_named(0, (uintptr_t)at, WIRE_NAMES_CODE, name);
}

static void do_call(struct session *session, int what, const char *name, const void *from)
{
	if (!name || !*name)
		name = "?";
	switch (what) {
	case TPTRACE_START:
	case TPTRACE_STOP:
		turn(session, what);
		return;
	case TPTRACE_SNAPSHOT:
		ask(SESSION_ASK_SNAPSHOT);
		return;
	case TPTRACE_PHASE:
	case TPTRACE_REGION_BEGIN:
	case TPTRACE_REGION_END:
		mark(session, WIRE_MARK_PHASE + (enum wire_mark)(what - TPTRACE_PHASE), name);
		return;
	case TPTRACE_NAME:
		name_code(from, name);
		return;
	default:
		return; /* of a later header */
	}
}

void control_call(int what, const char *name)
{
	int saved = errno;

	if (record_on())
		do_call(session_get(), what, name, __builtin_return_address(0));
	errno = saved;
}

/* ---- signals ---- */

static int toggle_signal, snapshot_signal;

static void on_signal(int number)
{
	ask(number == toggle_signal ? SESSION_ASK_TOGGLE : SESSION_ASK_SNAPSHOT);
}

/* The other name of glibc's sigaction(): a program's own, as ThreadSanitizer has one, is not to be
 * called before the program has begun. */
extern int __sigaction(int number, const struct sigaction *action, struct sigaction *before);

/* Takes a signal that the program has no handler for; false if it has one. */
static bool take_signal(int number)
{
	struct sigaction before, action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (__sigaction(number, NULL, &before) < 0 || before.sa_flags & SA_SIGINFO ||
	    (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN))
		return false;
	return __sigaction(number, &action, NULL) == 0;
}

/*
 * Before the program, so that a signal that comes before its first task does not end it; and before
 * libc, which does not know the environment yet.
 */
__attribute__((constructor)) static void take_signals(int argc, char **argv, char **env)
{
	static const char taken[] = "tptrace: the program has a handler for the signal that "
				    "tptrace was to use; tptrace ignores the signal\n";
	struct options options;
	int saved = errno;

	(void)argc;
	(void)argv;
	options_note(env);
	options_read(&options, false); /* the session says what is wrong */
	toggle_signal = options.toggle_signal;
	snapshot_signal = options.snapshot_signal;
	if (((toggle_signal && !take_signal(toggle_signal)) ||
	     (snapshot_signal && snapshot_signal != toggle_signal &&
	      !take_signal(snapshot_signal))) &&
	    write(STDERR_FILENO, taken, sizeof(taken) - 1) < 0)
		errno = saved;
	errno = saved;
}
