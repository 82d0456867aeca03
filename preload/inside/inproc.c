/* SPDX-License-Identifier: MIT */
/*
 * inproc.c - who collects: a process outside, if there is one, or else a thread of this one.  If
 * the process outside dies, a thread takes its place.
 *
 * The thread sleeps until a ring is half full or a while has passed, takes what is there, and
 * appends it to the trace file.  All compression and all writing happen on it, the file's end, too:
 * a thread of the program that waits for that needs no more than a futex.  The rings are then in a
 * ring file, if there is room for one, so that what a killed process leaves there can be had
 * (`tptrace recover`).
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/inside/allowance.h"
#include "preload/inside/alone.h"
#include "collector/talk/ask.h"
#include "collector/drain/successor.h"
#include "collector/drain/thinner.h"
#include "collector/talk/messages.h"
#include "preload/inside/process_info.h"
#include "preload/inside/handover.h"
#include "preload/inside/heap.h"
#include "preload/inside/notice.h"
#include "preload/inside/inside_state.h"
#include "preload/inside/log.h"
#include "preload/inside/cpu_waits.h"
#include "collector/session/gate.h"
#include "preload/cputime.h"
#include "preload/libc.h"
#include "preload/budget.h"
#include "preload/session.h"
#include "preload/stack.h"
#include "preload/watch.h"
#include "preload/worker.h"
#include "collector/session/futex.h"

#define STACK_BYTES (512u << 10)
#define COLLECTOR_BYTES (8u << 20) /* about what one takes that is inside the process */
#define END_ROUNDS 16u		   /* what is recorded meanwhile does not put off an end for ever */
#define END_AGAIN 3u		   /* nor does a thread that is late to hear of it */
#define SHORT_NS 300000u	   /* a round that takes no longer left little behind */
#define AWAIT_NS 100000000u	   /* check whether the collector makes progress */
#define PATIENCE_NS 10000000000u   /* a successor does not: it took a lock of the program's */
#define SUCCESSOR_STACK_BYTES (128u << 10) /* to start one, whatever malloc() takes */
#define RETRY_NS 1000000000u		   /* threads, or memory, may be there again */
#define FREEZE_NS 1000000000u	   /* other threads wait so long for the end of a process, .. */
#define FREEZE_SHORT_NS 100000000u /* .. or, where it may go on; .. */
#define FREEZE_CALL_NS PATIENCE_NS /* .. or, where only a system call is left */
#define LEAVE_NS 500000000u	   /* who leaves by exit() or abort() is gone by then or stays */

/* Who asked for the last end.  `at_exit`: a thread in exit(), which had recorded so much then. */
struct asker {
	const char *_Atomic how;
	const struct worker *_Atomic worker; /* NULL: it is none */
	bool at_exit;
	enum leave leave;
	uint64_t head;
};

struct inproc {
	_Atomic uint32_t state;	   /* enum state; futex */
	_Atomic uint64_t tried_ns; /* when a successor was to be started last */
	bool successor_is_missed;  /* the user knows that none can be started */
	bool ring_is_named;	   /* .. and that what was kept is in the ring file */
	bool has_trace;		   /* .. or where the trace is: message_covers(), at the last end */
	_Atomic bool finishes;	   /* the next end is for good */
	_Atomic uint32_t asked;	   /* for an end so often */
	_Atomic uint32_t ended;	   /* that one was written; futex */
	struct asker asker;
	struct drain drain;
	struct ask ask;
};

static struct inproc the_collector = { .drain.file.fd = -1, .ask.fd = -1 };

static bool threads_forbidden;

/*
 * Removes it once all that was in it is in the trace.  Where no trace could be made nothing is
 * recorded, and it would only take memory; but the flight recorder's has all that was kept.
 */
static void leave_ring_file(struct inproc *c)
{
	const struct trace_file *file = &c->drain.file;

	if (!file->error || (file->fd < 0 && !c->drain.flight.max_bytes)) {
		shared_remove();
	} else if ((file->fd < 0 || c->drain.flight.max_bytes) && shared_path()[0] &&
		   !c->ring_is_named) {
		log_say("tptrace: what was kept is still in memory: `tptrace recover %s` writes "
			"it into the working directory",
			shared_path());
		c->ring_is_named = true;
	}
}

/*
 * All that was recorded up to now is taken but for a little, so that the trace can end now.  Other
 * threads of the program go on until their next event: what they record later is not in it.
 */
static void inproc_put_end(struct inproc *c, uint32_t asked, bool for_good)
{
	struct session *session = c->drain.session;
	const enum leave leave = for_good ? LEAVE_SEEN : c->asker.leave;
	struct clock_pair end;

	state_move(&c->state, STATE_RUNNING, STATE_ENDING);
	atomic_store(&session->ended, !for_good);
	gate_freeze(session, atomic_load(&c->asker.worker),
		    for_good		     ? FREEZE_NS
		    : leave == LEAVE_AT_ONCE ? FREEZE_CALL_NS
					     : FREEZE_SHORT_NS,
		    session_worker_at, NULL);
	end = clock_pair(&session->clock);
	if (for_good)
		session_shut_down(session, end);
	drain_settle(&c->drain, end, for_good ? DRAIN_LAST : DRAIN_ALL);
	drain_end(&c->drain, end, atomic_load(&c->asker.how));
	message_failure(&c->drain, log_say);
	if (for_good || leave != LEAVE_SEEN)
		leave_ring_file(c);
	if (for_good)
		message_end(&c->drain, NULL, log_say);
	c->has_trace = message_covers(&c->drain);
	state_move(&c->state, STATE_ENDING, STATE_ENDED);
	/* for good: who asks later need not wait, either */
	atomic_store(&c->ended, for_good ? asked + INT32_MAX / 2 : asked);
	futex_wake(&c->ended);
	if (for_good) {
		ask_close(&c->ask);
		drain_close(&c->drain);
	}
}

/*
 * The program is about to die, most likely.  Events that its other threads still record would take
 * the end back, and be torn when it dies: so nothing is taken for a while, unless another end is
 * asked for, or the program says that it goes on.  If the trace is closed meanwhile, nothing ever
 * is.
 */
static void stay_ended(struct inproc *c)
{
	struct session *session = c->drain.session;
	uint64_t until_ns = clock_monotonic_ns() +
			    (c->asker.leave == LEAVE_AT_ONCE ? FREEZE_CALL_NS : LEAVE_NS);

	for (;;) {
		uint32_t wake = atomic_load(&session->wake);
		uint64_t now_ns = clock_monotonic_ns();

		if (atomic_load(&c->asked) != atomic_load(&c->ended) || now_ns >= until_ns ||
		    !session->leaving[0])
			break;
		futex_wait(&session->wake, wake, until_ns - now_ns);
	}
	if (state_move(&c->state, STATE_ENDED, STATE_RUNNING)) {
		trace_file_go_on(&c->drain.file);
		atomic_store(&session->ended, 0);
		gate_release(session);
		return;
	}
	for (;;) /* closed */
		futex_wait(&c->state, STATE_CLOSED, UINT32_MAX);
}

/* Until the end of the session. */
static void inproc_collect(struct inproc *c)
{
	struct session *session = c->drain.session;
	uint64_t check_ns = 0;
	uint32_t n_rounds = 0;

	for (;;) {
		uint32_t wake = atomic_load_explicit(&session->wake, memory_order_acquire);
		uint32_t asked = atomic_load(&c->asked); /* before `finishes`: see ask_for_end() */
		bool finishes = atomic_load(&c->finishes);
		bool ending = asked != atomic_load(&c->ended);
		uint64_t began_ns = clock_monotonic_ns();
		bool took = drain_round(&c->drain, ending ? DRAIN_ALL : DRAIN_RUNNING);

		atomic_fetch_add(&session->beat, 1);
		message_failure(&c->drain, log_say);
		if (message_covers(&c->drain))
			notice_given();
		if (!finishes)
			ask_round(&c->ask, &c->drain);
		if (took && (!ending || (++n_rounds < END_ROUNDS &&
					 clock_monotonic_ns() - began_ns > SHORT_NS)))
			continue;
		n_rounds = 0;
		if (ending)
			inproc_put_end(c, asked, finishes);
		if (ending && finishes)
			return;
		if (ending)
			stay_ended(c);
		if (!took && !ending)
			alone_check(c->drain.threads.n, &check_ns);
		if (!took)
			futex_wait(&session->wake, wake, drain_rest_ns(&c->drain));
	}
}

/* The successor's start is over, in one of two states. */
static void end_start(struct inproc *c, enum state state)
{
	state_move(&c->state, STATE_STARTING, state);
	futex_wake(&c->state);
}

/* Puts itself in the dead collector's place.  False if there is no memory to do so. */
static bool take_place(struct inproc *c)
{
	struct session *session = session_get();
	uint64_t offset;

	if (drain_open(&c->drain, session, session_worker_at, NULL) < 0) {
		drain_close(&c->drain);
		return false;
	}
	successor_open(&c->drain, session->flight_at ? shared_last(&offset) : NULL,
		       session->flight_bytes);
	drain_sample(&c->drain, waits_read, NULL);
	ask_open(&c->ask, session, session->pid);
	session->outside = 0;
	atomic_store(&session->life, 0);
	if (!session->process.quiet)
		log_say("tptrace: the collector died; collecting inside the process from now on");
	return true;
}

/* 0 or -errno. */
static int create_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
	return threads_forbidden ? -ENOTSUP : -libc_start_thread(thread, STACK_BYTES, run, arg);
}

/* Once the collector is there, on its thread. */
static void use_threads(struct inproc *c)
{
	const struct thread_calls calls = { create_thread, libc_join_thread };

	drain_use_threads(&c->drain, &calls);
}

static void *inproc_run(void *arg)
{
	struct inproc *c = arg;
	bool succeeds = atomic_load(&c->state) == STATE_STARTING;

	prctl(PR_SET_NAME, "tptrace");
	if (succeeds && !take_place(c)) {
		end_start(c, STATE_FAILED);
		return NULL;
	}
	if (succeeds)
		end_start(c, STATE_RUNNING);
	use_threads(c);
	inproc_collect(c);
	return NULL;
}

/* The flight recorder keeps its events in the ring file, so that they survive a kill. */
static void keep_in_file(struct inproc *c)
{
	uint64_t offset, bytes = c->drain.session->flight_bytes;
	void *log = shared_last(&offset);

	if (log && c->drain.session->flight_at)
		flight_use_log(&c->drain.flight, log, bytes, shared_grow);
}

/* The trace names its path for `tptrace recover`. */
static void make_ring_file(void)
{
	int fd = session_share(SHARED_RING_FILE);
	struct session *session = session_get();

	if (fd < 0)
		return;
	close(fd);
	session->process.ring = session_keep(session, shared_path());
}

/* Nobody joins it: it has little to do after an end for good, when the process ends. */
static int start_thread(struct inproc *c)
{
	pthread_t thread;
	int error = create_thread(&thread, inproc_run, c);

	if (!error)
		libc.thread_detach(thread);
	return error;
}

static int start_collecting(struct session *session)
{
	struct inproc *c = &the_collector;
	int error;

	/* the thread sanitizer's runtime ends a forked child that starts a thread */
	threads_forbidden = process_is_forked() && dlsym(RTLD_DEFAULT, "__tsan_init");
	process_info_gather(session);
	if (!allowance_has(session, 0) || !allowance_take(session))
		return -ENOMEM;
	if (handover_join(session))
		return 0;
	if (!allowance_has(session, COLLECTOR_BYTES) || !allowance_has_threads(session))
		return -ENOMEM;
	make_ring_file();
	error = drain_open(&c->drain, session_get(), session_worker_at, NULL);
	if (!error) {
		keep_in_file(c);
		drain_sample(&c->drain, waits_read, NULL);
	}
	if (error) {
		log_say("tptrace: cannot start the collector: %s; nothing is recorded",
			strerror(-error));
	} else {
		ask_open(&c->ask, session_get(), session_get()->pid);
		state_move(&c->state, STATE_GONE, STATE_RUNNING);
		error = start_thread(c);
	}
	if (error && state_move(&c->state, STATE_RUNNING, STATE_GONE))
		log_say("tptrace: cannot start a thread: %s; nothing is recorded",
			strerror(-error));
	if (error)
		shared_remove();
	return error;
}

static int inproc_start(struct session *session)
{
	int error = start_collecting(session);

	if (error) /* and a line says why */
		notice_given();
	return error;
}

/* ---- after a collector outside has died ---- */

/* On a stack of its own. */
static void start_successor(void *arg)
{
	struct inproc *c = &the_collector;
	int *error = arg;

	*error = budget_allows_own(COLLECTOR_BYTES) ? start_thread(c) : -ENOMEM;
	if (!*error || c->successor_is_missed)
		return;
	log_say("tptrace: the collector died, and none can be started inside the process: %s; "
		"events are dropped",
		strerror(-*error));
	c->successor_is_missed = true;
}

/* Whether the successor that another thread started may still come: its file system may be gone. */
static bool successor_comes(const struct inproc *c, uint64_t now_ns)
{
	int64_t since_ns = (int64_t)(now_ns - atomic_load(&c->tried_ns));

	return atomic_load(&c->state) != STATE_STARTING || since_ns < (int64_t)PATIENCE_NS;
}

static bool inproc_succeed(struct session *session)
{
	struct inproc *c = &the_collector;
	uint64_t now_ns = clock_monotonic_ns();
	enum state state = atomic_load(&c->state);
	int error = -ENOMEM;

	(void)session;
	if (state == STATE_FAILED && now_ns - atomic_load(&c->tried_ns) < RETRY_NS)
		return false;
	if (state != STATE_GONE && state != STATE_FAILED)
		return successor_comes(c, now_ns);
	atomic_store(&c->tried_ns, now_ns); /* before, for successor_comes() */
	if (!state_move(&c->state, state, STATE_STARTING))
		return true; /* somebody else does it */
	if (stack_call(SUCCESSOR_STACK_BYTES, start_successor, &error) < 0 || error)
		end_start(c, STATE_FAILED);
	return error == 0;
}

/* At an end, where the collector outside is dead.  True if a thread inside goes on; else `record`
 * has the memory, and starts another one outside. */
static bool find_successor(struct inproc *c, struct session *session)
{
	inproc_succeed(session);
	while (atomic_load(&c->state) == STATE_STARTING && successor_comes(c, clock_monotonic_ns()))
		futex_wait(&c->state, STATE_STARTING, AWAIT_NS);
	return state_collects(&c->state) && atomic_load(&c->state) != STATE_STARTING;
}

/* ---- ends ---- */

/* Until that end is written.  False if the collector makes no progress. */
static bool await_end(struct inproc *c, struct session *session, uint32_t asked)
{
	for (;;) {
		uint32_t ended = atomic_load(&c->ended);

		if ((int32_t)(ended - asked) >= 0)
			return true;
		if (watch_collector(session) != WATCH_WELL)
			return false;
		futex_wait(&c->ended, ended, AWAIT_NS);
	}
}

static bool ask_for_end(struct inproc *c, struct session *session)
{
	uint32_t asked = atomic_fetch_add(&c->asked, 1) + 1;

	gate_wake(session);
	return await_end(c, session, asked);
}

/* A successor that comes meanwhile leaves the place outside first, and the notice of the death
 * then. */
static bool is_collected_outside(const struct session *session)
{
	return !watch_gone(session) && session->outside;
}

/* Whether a thread in here is to write the end.  A collector outside sees the process's by itself.
 */
static bool writes_end(struct inproc *c, struct session *session, const char *how, enum leave leave)
{
	session_note_end(session, how);
	if (session->outside)
		cputime_note_all(session);
	if (session->outside && (is_collected_outside(session) ||
				 (session->outside && !find_successor(c, session))))
		return false;
	if (!state_collects(&c->state))
		return false;
	if (!atomic_load(&c->finishes)) {
		atomic_store(&c->asker.how, how);
		c->asker.leave = leave;
		atomic_store(&c->asker.worker, worker_self());
	}
	return true;
}

static void inproc_pause(struct session *session, const char *how, enum leave leave)
{
	struct inproc *c = &the_collector;
	uint32_t n_more = END_AGAIN;
	bool is_there;

	if (!writes_end(c, session, how, leave))
		return;
	do /* again, where this thread heard of it so late that others went on */
		is_there = ask_for_end(c, session);
	while (is_there && atomic_load(&c->state) != STATE_ENDED && --n_more);
}

static void inproc_finish(struct session *session, const char *how)
{
	struct inproc *c = &the_collector;

	if (!writes_end(c, session, how, LEAVE_SEEN))
		return;
	atomic_store(&c->finishes, true);
	if (ask_for_end(c, session) && state_move(&c->state, STATE_ENDED, STATE_GONE) &&
	    !c->has_trace)
		notice_absent(false);
}

/* Whether a thread in exit() asked for an end, this one, which has recorded nothing since. */
static bool has_asked(const struct inproc *c)
{
	const struct worker *worker = worker_self();

	return c->asker.at_exit && atomic_load(&c->asker.worker) == worker &&
	       (!worker || c->asker.head == atomic_load(&worker->head));
}

static bool is_last_end(const struct inproc *c)
{
	return atomic_load(&c->state) == STATE_ENDED && has_asked(c);
}

static void inproc_pause_at_exit(struct session *session)
{
	struct inproc *c = &the_collector;
	const struct worker *worker = worker_self();

	if (is_last_end(c) || (is_collected_outside(session) && has_asked(c)))
		return; /* by the destructor of another shim */
	if (session->outside) /* who would run on in libomp, while it is torn down, crashes */
		gate_freeze(session, worker, LEAVE_NS, session_worker_at, NULL);
	c->asker.at_exit = true;
	atomic_store(&c->asker.worker, worker);
	c->asker.head = worker ? atomic_load(&worker->head) : 0;
	inproc_pause(session, "cleanly", LEAVE_SEEN);
}

static bool inproc_close_at_exit(struct session *session)
{
	struct inproc *c = &the_collector;

	if (session->outside)
		return is_collected_outside(session) && c->asker.at_exit;
	if (!is_last_end(c) || !state_move(&c->state, STATE_ENDED, STATE_CLOSED))
		return false;
	atomic_store(&session->state, SESSION_CLOSED);
	leave_ring_file(c);
	message_end(&c->drain, NULL, log_say);
	if (!c->has_trace)
		notice_absent(false);
	return true;
}

static void *nothing(void *arg)
{
	return arg;
}

/* Where a small thread can be started, it was memory for a stack that the program lacked. */
static void say_lacks(void *arg)
{
	static atomic_flag is_said = ATOMIC_FLAG_INIT;
	const struct inproc *c = &the_collector;
	const struct session *session = arg;
	uint32_t n = session->outside ? 1 + drain_most_threads(session) : c->drain.threads.n;
	pthread_t thread;

	if (create_thread(&thread, nothing, NULL) == 0)
		libc_join_thread(thread, NULL);
	else if (!atomic_flag_test_and_set(&is_said))
		log_say("tptrace: the program can start no more threads or processes; %s%u are "
			"tptrace's: raise the limit on processes (ulimit -u, pids.max), or set "
			"OMP_NUM_THREADS to the program's widest team, for which tptrace leaves "
			"room",
			session->outside ? "up to " : "", n);
}

/* On a stack of its own: that of a task may be small. */
static void inproc_lacks(struct session *session)
{
	stack_call(SUCCESSOR_STACK_BYTES, say_lacks, session);
}

/*
 * The parent's thread is not here, nor is its memory ours to free: malloc may be torn.  Here and in
 * what is called, bare calls close files: the close() of GCC 14's ThreadSanitizer crashes in a
 * child of fork() until the handlers have run.
 */
static void inproc_abandon(struct session *session)
{
	(void)session;
	if (the_collector.drain.file.fd >= 0)
		syscall(SYS_close, the_collector.drain.file.fd);
	ask_close(&the_collector.ask);
	heap_forget();
	memset(&the_collector, 0, sizeof(the_collector));
	the_collector.drain.file.fd = -1;
	the_collector.ask.fd = -1;
}

__attribute__((constructor)) static void inproc_give(void)
{
	static const struct collector collector = {
		.filters = process_filters,
		.may_open = process_may_open,
		.start = inproc_start,
		.succeed = inproc_succeed,
		.pause = inproc_pause,
		.finish = inproc_finish,
		.pause_at_exit = inproc_pause_at_exit,
		.close_at_exit = inproc_close_at_exit,
		.abandon = inproc_abandon,
		.absent = notice_absent,
		.lacks = inproc_lacks,
		.waits = waits_of,
		.thinner_bytes = thinner_bytes,
		.thin = thinner_run,
	};

	process_note();
	session_give(&collector);
}
