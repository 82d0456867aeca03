/* SPDX-License-Identifier: MIT */
/*
 * timer.c - the probe `timer`: each worker's thread takes samples of its own stack, at a signal of
 * a timer that runs on the thread's CPU time, where the kernel's perf events are not permitted.
 *
 * TPTRACE_TIMER, which `tptrace record --sample=timer` writes, is the ns from one to the next.  The
 * handler puts registers and a piece of the stack into the session's memory (sample_place.h); the
 * collector outside follows them.  All signals are blocked in it.  It has a stack of its own, as a
 * task's may have 16 KiB: so does each handler of the program with SA_ONSTACK, where the program
 * has said no stack for these.
 *
 * The signal is the highest of the real-time ones that the program has left alone.  A thread that
 * blocks it has no samples.  The program sees it as it would be without us: sigaction() and its
 * like come by here, and a program that takes the signal gets it; then sampling is over.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "collector/session/asked.h"
#include "collector/session/environment.h"
#include "collector/session/processor.h"
#include "collector/session/sample_place.h"
#include "preload/libc.h"
#include "preload/probe.h"
#include "preload/session.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define EXPORT __attribute__((visibility("default")))
#define OWN_STACK 65536u /* a frame of the kernel's with all registers takes up to 12 KiB */
#define PERIOD_MOST_NS UINT64_C(10000000000)

/* Of one worker's thread; the page of `unused` before the handler's stack may not be touched. */
struct timing {
	char unused[2 * WORKER_PAGE];
	char stack[OWN_STACK];
	struct sample_place *place;
	bool has_stack; /* the thread had none */
};

/* Of this session; written before it is on. */
static struct {
	uint64_t period_ns;
	int number; /* of the signal; 0: none yet */
	int pid;    /* whose timers these are: a forked child has none */
	_Atomic bool is_over;
} timer;

/* By the worker's number: 1 + the kernel's number of its timer; 0: none. */
static _Atomic uint32_t timer_of[WIRE_WORKERS];
/* .. and where its samples go. */
static struct sample_place *_Atomic place_of[WIRE_WORKERS];

static __thread struct timing *timing_tls __attribute__((tls_model("initial-exec")));

/* As in control.c. */
extern int __sigaction(int number, const struct sigaction *action, struct sigaction *before);

/* ---- a sample, in the handler ---- */

static void take_registers(struct placed_sample *to, const ucontext_t *context, uint64_t *sp)
{
#ifdef PROCESSOR_REGS
	static const uint8_t number[SAMPLE_REGS] = { PROCESSOR_REGS };

	for (size_t i = 0; i < SAMPLE_REGS; i++)
		to->reg[i] = (uint64_t)context->uc_mcontext.gregs[number[i]];
#endif
	to->ip = PROCESSOR_IP(context);
	*sp = PROCESSOR_SP(context);
}

/*
 * The kernel copies, and stops where there is no memory, or none to be read: behind a stack's end
 * may be another one's guard.  Where a filter forbids that, the page in which the thread is must
 * do.
 */
static uint64_t take_stack(char *to, uint64_t sp)
{
	uint64_t page = shared_pages(1), near = page - sp % page;
	struct iovec into = { to, SAMPLE_STACK }, from[2];
	long got;

	if (near > SAMPLE_STACK)
		near = SAMPLE_STACK;
	from[0] = (struct iovec){ (void *)(uintptr_t)sp, near };
	from[1] = (struct iovec){ (void *)(uintptr_t)(sp + near), SAMPLE_STACK - near };
	got = syscall(SYS_process_vm_readv, timer.pid, &into, 1, from, 2, 0);
	if (got >= 0)
		return (uint64_t)got;
	if (errno == EFAULT || !libc_can_read((const void *)(uintptr_t)(sp & ~UINT64_C(7))))
		return 0;
	/* one by one: a sanitizer's memcpy() takes what it sees there for an error */
	for (uint64_t i = 0; i < near; i++)
		to[i] = ((const volatile char *)(uintptr_t)sp)[i];
	return near;
}

static void take_sample(struct sample_place *place, const ucontext_t *context)
{
	uint64_t head = atomic_load_explicit(&place->head, memory_order_relaxed), sp;
	struct placed_sample *to = &place->sample[head % SAMPLE_PLACES];
	struct timespec now = { 0 };

	if (head - atomic_load_explicit(&place->tail, memory_order_acquire) >= SAMPLE_PLACES) {
		atomic_fetch_add(&place->lost, 1);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	to->ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	take_registers(to, context, &sp);
	to->bytes = sp ? take_stack(to->stack, sp) : 0;
	atomic_store_explicit(&place->head, head + 1, memory_order_release);
}

/* Somebody sent it: the program has no handler for it, and ends. */
static void act_as_none(int number)
{
	const struct sigaction none = { .sa_handler = SIG_DFL };

	__sigaction(number, &none, NULL);
	syscall(SYS_tgkill, (long)getpid(), syscall(SYS_gettid), (long)number); /* once this ends */
}

static void on_tick(int number, siginfo_t *info, void *context)
{
	struct timing *timing = timing_tls;
	int saved = errno;

	if (info->si_code != SI_TIMER) {
		act_as_none(number);
	} else if (timing) { /* else it was under way when the thread left */
		if (info->si_overrun > 0)
			atomic_fetch_add(&timing->place->lost, (uint64_t)info->si_overrun);
		take_sample(timing->place, context);
	}
	errno = saved;
}

/* ---- timers ---- */

/* 0 or errno. */
static int make_timer(uint32_t index)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = timer.number };
	struct itimerspec period = { .it_interval = {
					     .tv_sec = (time_t)(timer.period_ns / 1000000000u),
					     .tv_nsec = (long)(timer.period_ns % 1000000000u) } };
	int made;

	event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
	period.it_value = period.it_interval;
	if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &made) != 0)
		return errno;
	atomic_store(&timer_of[index], (uint32_t)made + 1);
	return syscall(SYS_timer_settime, made, 0, &period, NULL) == 0 ? 0 : errno;
}

static void delete_timer(uint32_t index)
{
	uint32_t made = atomic_exchange(&timer_of[index], 0);

	if (made)
		syscall(SYS_timer_delete, (int)(made - 1));
}

/* The handler's stack, unless the thread has one. */
static void give_stack(struct timing *timing)
{
	stack_t stack = { .ss_sp = timing->stack, .ss_size = OWN_STACK }, before;
	char *guard = (char *)(((uintptr_t)timing->unused + WORKER_PAGE - 1) & ~(WORKER_PAGE - 1u));

	if (sigaltstack(NULL, &before) < 0 || !(before.ss_flags & SS_DISABLE))
		return;
	mprotect(guard, WORKER_PAGE, PROT_NONE);
	timing->has_stack = sigaltstack(&stack, NULL) == 0;
}

static void take_stack_back(const struct timing *timing)
{
	const stack_t none = { .ss_flags = SS_DISABLE };
	stack_t now;

	if (timing->has_stack && sigaltstack(NULL, &now) == 0 && now.ss_sp == timing->stack)
		sigaltstack(&none, NULL);
}

static bool timer_come(struct worker *worker, void *own)
{
	struct timing *timing = own;
	struct sample_place *place = sample_place_of(worker, &worker->sizes);
	enum sample_place_state state = SAMPLE_PLACE_ON;
	int error;

	if (!session_get()->outside) /* nobody would take them */
		return true;
	timing->place = place;
	give_stack(timing);
	timing_tls = timing;
	atomic_store(&place_of[worker->index], place);
	error = atomic_load(&timer.is_over) ? 0 : make_timer(worker->index);
	if (atomic_load(&timer.is_over) || error)
		delete_timer(worker->index);
	atomic_store(&place->error, (uint32_t)error);
	if (error)
		state = SAMPLE_PLACE_REFUSED;
	else if (atomic_load(&timer.is_over))
		state = SAMPLE_PLACE_ENDED;
	atomic_store(&place->state, (uint32_t)state);
	return true;
}

static void timer_leave(struct worker *worker, void *own)
{
	struct timing *timing = own;

	if (!timing->place)
		return;
	if (getpid() == timer.pid)
		delete_timer(worker->index);
	timing_tls = NULL;
	atomic_store(&place_of[worker->index], NULL);
	take_stack_back(timing);
}

/* ---- the signal, as the program sees it ---- */

static struct {
	int (*sigaction)(int number, const struct sigaction *action, struct sigaction *before);
	__sighandler_t (*signal)(int number, __sighandler_t handler);
	__sighandler_t (*sysv_signal)(int number, __sighandler_t handler);
	__sighandler_t (*sigset)(int number, __sighandler_t handler);
} real;

static bool is_ours(int number)
{
	return number && number == timer.number && !atomic_load(&timer.is_over);
}

/* The program's from now on.  To be ignored discards what is under way to any thread. */
static void yield_signal(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN }, none = { .sa_handler = SIG_DFL };

	/* a child has no timers, and its memory may be the parent's till it executes a program */
	if ((int)getpid() != timer.pid || atomic_exchange(&timer.is_over, true))
		return;
	for (uint32_t i = 0; i < WIRE_WORKERS; i++) {
		struct sample_place *place = atomic_load(&place_of[i]);

		if (place && atomic_load(&timer_of[i]))
			atomic_store(&place->state, (uint32_t)SAMPLE_PLACE_ENDED);
		delete_timer(i);
	}
	__sigaction(timer.number, &ignore, NULL);
	__sigaction(timer.number, &none, NULL);
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
	if (!real.sigaction)
		real.sigaction = dlsym(RTLD_NEXT, "sigaction");
	if (is_ours(number) && (!action || action->sa_handler == SIG_DFL)) {
		if (before)
			*before = (struct sigaction){ .sa_handler = SIG_DFL };
		return 0;
	}
	if (is_ours(number))
		yield_signal();
	return real.sigaction(number, action, before);
}

#define SETS_HANDLER(name)                                                                         \
	EXPORT __sighandler_t name(int number, __sighandler_t handler);                            \
	EXPORT __sighandler_t name(int number, __sighandler_t handler)                             \
	{                                                                                          \
		if (!real.name)                                                                    \
			real.name = dlsym(RTLD_NEXT, #name);                                       \
		if (is_ours(number) && handler == SIG_DFL)                                         \
			return SIG_DFL;                                                            \
		if (is_ours(number))                                                               \
			yield_signal();                                                            \
		return real.name(number, handler);                                                 \
	}
SETS_HANDLER(signal)
SETS_HANDLER(sysv_signal)
SETS_HANDLER(sigset)

/* A forked child has the parent's handler. */
static bool take_signal(int number)
{
	struct sigaction before, action = { .sa_sigaction = on_tick,
					    .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	bool has_handler = __sigaction(number, NULL, &before) < 0 ||
			   (before.sa_handler != SIG_DFL && before.sa_sigaction != on_tick);

	sigfillset(&action.sa_mask);
	return !has_handler && __sigaction(number, &action, NULL) == 0;
}

/* ---- the session ---- */

static bool timer_open(struct session *session)
{
	const char *value = options_variable(TIMER_VARIABLE);
	char *end;

	if (!value || probe_rules_time())
		return false;
	timer.period_ns = strtoull(value, &end, 10);
	if (*end || timer.period_ns == 0 || timer.period_ns > PERIOD_MOST_NS) {
		options_say_bad(TIMER_VARIABLE, value, "invalid; `tptrace record` writes it");
		return false;
	}
	for (uint32_t i = 0; i < WIRE_WORKERS; i++) /* a forked child has none */
		atomic_store(&timer_of[i], 0), atomic_store(&place_of[i], NULL);
	atomic_store(&timer.is_over, false);
	timer.pid = (int)getpid();
	timer.number = SIGRTMAX;
	while (timer.number >= SIGRTMIN && !take_signal(timer.number))
		timer.number--;
	if (timer.number < SIGRTMIN)
		atomic_store(&timer.is_over, true);
	session->chunks.sample_bytes = sizeof(struct sample_place);
	return true;
}

__attribute__((constructor)) static void timer_add(void)
{
	static struct probe probe = { .name = "timer",
				      .order = PROBE_TELLS,
				      .worker_bytes = sizeof(struct timing),
				      .open = timer_open,
				      .come = timer_come,
				      .leave = timer_leave };

	probe_add(&probe);
}
