/* SPDX-License-Identifier: MIT */
/* settled.c - asks the kernel which threads of the process sleep. */
#include "preload/probes/virtual/settled.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/session/proc.h"
#include "preload/libc.h"
#include "preload/probes/virtual/looking.h"
#include "preload/session.h"
#include "preload/worker.h"

struct thread {
	uint32_t id;
	char state; /* as in /proc; 0: it is gone */
	uint64_t switches;
};

/* Two looks at all threads, and what is known of them from before. */
static struct look {
	struct thread thread[SETTLED_THREADS];
	uint32_t n;
} once, again;

static struct {
	struct thread odd[SETTLED_THREADS]; /* left out, until it has switched again */
	uint32_t n_odd;
} known;

void settled_forget(void)
{
	known.n_odd = 0;
}

/* ---- what the kernel says ---- */

/* The number behind that word; 0 if it is not there. */
static uint64_t number_after(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

/* Its state and its switches; a thread that is gone has neither. */
static void look_at(struct thread *thread)
{
	char text[3584];
	const char *state;

	proc_text_of(0, (pid_t)thread->id, "status", text, sizeof(text));
	state = strstr(text, "\nState:\t");
	thread->state = state ? state[8] : 0;
	thread->switches = number_after(text, "\nvoluntary_ctxt_switches:") +
			   number_after(text, "\nnonvoluntary_ctxt_switches:");
}

struct listing {
	struct look *look;
	bool (*waits)(uint32_t thread);
};

static bool list_one(void *arg, uint32_t id)
{
	const struct listing *listing = arg;
	struct look *look = listing->look;

	if (listing->waits(id))
		return true;
	if (look->n == SETTLED_THREADS)
		return false;
	look->thread[look->n++].id = id;
	return true;
}

/* All threads but those that wait in the queue, and the caller.  False if there are too many, or
 * nobody says which there are. */
static bool list_threads(struct look *look, bool (*waits)(uint32_t thread))
{
	look->n = 0;
	return proc_numbers("/proc/self/task", list_one, &(struct listing){ look, waits });
}

/* ---- what that means ---- */

/* Where it is, as far as its worker says; WORKER_STRANGE if it has none. */
static enum worker_state state_of(uint32_t thread)
{
	const struct session *session = session_get();
	uint32_t n = atomic_load(&session->n_workers);

	for (uint32_t i = 0; i < n; i++) {
		const struct worker *worker = session_worker(i);

		if (worker && atomic_load(&worker->cpu.thread) == thread &&
		    atomic_load(&worker->in_use))
			return worker_state(worker);
	}
	return WORKER_STRANGE;
}

/* A stopped thread, or one that waits for a disk or to store an event, goes on by itself. */
static bool is_still(const struct thread *thread)
{
	enum worker_state state;

	if (!thread->state || strchr("ZXx", thread->state))
		return true;
	if (thread->state != 'S')
		return false;
	state = state_of(thread->id);
	return state == WORKER_OUTSIDE || state == WORKER_STRANGE;
}

/* One that runs, and was left out as it ran, switches all the time. */
static struct thread *odd_of(const struct thread *thread)
{
	for (uint32_t i = 0; i < known.n_odd; i++) {
		struct thread *odd = &known.odd[i];

		if (odd->id == thread->id && odd->state == thread->state &&
		    (odd->state == 'R' || odd->switches == thread->switches))
			return odd;
	}
	return NULL;
}

static void leave_out(const struct thread *thread)
{
	uint32_t i = 0;

	while (i < known.n_odd && known.odd[i].id != thread->id)
		i++;
	if (i == SETTLED_THREADS)
		return;
	known.n_odd += i == known.n_odd;
	known.odd[i] = *thread;
}

/* Whether all that were listed stand still; `patient`: those that do not are to be waited for. */
static enum settled look_at_all(bool patient)
{
	enum settled all = SETTLED;

	for (uint32_t i = 0; i < once.n; i++) {
		struct thread *thread = &once.thread[i];

		look_at(thread);
		if (is_still(thread) ||
		    (thread->state == 'R' && state_of(thread->id) == WORKER_OUTSIDE &&
		     looking_spins(thread->id)))
			continue;
		if (!patient)
			leave_out(thread);
		if (!odd_of(thread))
			return SETTLED_NO;
		all = SETTLED_NOT_SURE;
	}
	return all;
}

/* Whether those that stood still did so all the time since the first look.  One that was woken and
 * has not slept again has switched as often as before. */
static bool stood_still(void)
{
	if (again.n != once.n)
		return false;
	for (uint32_t i = 0; i < once.n; i++) {
		struct thread *thread = &again.thread[i];

		if (thread->id != once.thread[i].id)
			return false;
		look_at(thread);
		if (is_still(&once.thread[i]) &&
		    (!is_still(thread) || thread->switches != once.thread[i].switches))
			return false;
	}
	return true;
}

enum settled settled(bool (*waits)(uint32_t thread), uint64_t since_ns)
{
	bool patient = clock_monotonic_ns() - since_ns < SETTLED_PATIENCE_NS;
	enum settled all = SETTLED_NO;
	int saved = errno;

	if (list_threads(&once, waits))
		all = look_at_all(patient);
	else if (!patient)
		all = SETTLED_NOT_SURE;
	if (all == SETTLED &&
	    (libc_lock_awaited() || !list_threads(&again, waits) || !stood_still()))
		all = SETTLED_NO;
	errno = saved;
	return all;
}
