/* SPDX-License-Identifier: MIT */
/* watch.c - looks whether the collector's beat goes on. */
#include "preload/watch.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ASK_NS 1000000000u /* it has stalled for so long: its process is asked for */

/* The beat as the last thread saw it.  A torn read costs one more look. */
static struct {
	_Atomic uint32_t beat;
	_Atomic uint32_t stalled;
	_Atomic uint64_t since_ns;  /* it has not moved since, but for what nobody saw */
	_Atomic uint64_t looked_ns; /* when a thread looked last */
} seen;

static void see_it_move(uint32_t beat, uint64_t now_ns)
{
	atomic_store(&seen.beat, beat);
	atomic_store(&seen.since_ns, now_ns);
	atomic_store(&seen.stalled, 0);
}

/*
 * Both may have been stopped for as long as nobody looked.  Some of it counts, or a worker that
 * gets the CPU so seldom would wait for ever.
 */
static void see_no_more_than(uint64_t most_ns, uint64_t unseen_ns)
{
	atomic_fetch_add(&seen.since_ns, unseen_ns - most_ns);
}

static bool process_is_gone(int pid)
{
	int saved = errno;
	bool gone = pid > 0 && syscall(SYS_kill, pid, 0) < 0 && errno == ESRCH;

	errno = saved;
	return gone;
}

bool watch_gone(const struct session *session)
{
	return watch_died(session) || process_is_gone(session->collector_pid);
}

enum watch watch_collector(struct session *session)
{
	uint32_t beat = atomic_load(&session->beat);
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t looked_ns = atomic_exchange(&seen.looked_ns, now_ns);

	if (session->outside && watch_died(session))
		return WATCH_DEAD;
	/* below 0: another thread read the clock later, and was here before */
	int64_t unseen_ns = (int64_t)(now_ns - looked_ns);

	if (beat != atomic_load(&seen.beat) || !atomic_load(&seen.since_ns))
		see_it_move(beat, now_ns);
	else if (unseen_ns > (int64_t)ASK_NS && !atomic_load(&seen.stalled))
		see_no_more_than(ASK_NS, (uint64_t)unseen_ns);
	uint64_t since_ns = atomic_load(&seen.since_ns);

	if (now_ns <= since_ns + ASK_NS)
		return WATCH_WELL;
	if (session->outside && process_is_gone(session->collector_pid))
		return WATCH_DEAD;
	if (now_ns - since_ns > WATCH_PATIENCE_NS)
		atomic_store(&seen.stalled, 1);
	return atomic_load(&seen.stalled) ? WATCH_STALLED : WATCH_WELL;
}
