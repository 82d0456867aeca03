/* SPDX-License-Identifier: MIT */
/* clock.c - chooses the clock and reads it where the hot path does not. */
#include "collector/session/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/session/proc.h"

#if defined(__x86_64__) && !defined(__get_cpuid) /* a test's own: gcc 10's header has no guard */
#include <cpuid.h>
#endif

#ifndef CLOCKSOURCES /* a test's own */
#define CLOCKSOURCES "/sys/devices/system/clocksource/clocksource0"
#endif

#define READINGS 16 /* most are not interrupted, and few take far less than the others */

/* The facts that decide the choice. */
struct machine {
	bool has_cntvct;
	bool tsc_is_invariant; /* the processor says so */
	bool kernel_has_tsc;   /* the kernel keeps time by the TSC, .. */
	bool kernel_knows_tsc; /* .. or would: it has compared all CPUs' and found no fault */
	bool is_vouched_for;   /* the host says that all CPUs' are in step: is_served() */
};

static int (*_Atomic read_clock)(clockid_t, struct timespec *) = clock_gettime;

#if defined(__x86_64__)
/* Whether "tsc" is one of the words of the file, which is short. */
static bool is_said_in(const char *folder, const char *name)
{
	char path[256], text[256] = " ", *word = text;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (!proc_text(path, text + 1, sizeof(text) - 2))
		return false;
	strcat(text, " ");
	while (*word && (word = strstr(word, " tsc"))) {
		word += 4;
		if (*word == ' ' || *word == '\n')
			return true;
	}
	return false;
}

static int ask_kernel(clockid_t clock, struct timespec *now)
{
	return (int)syscall(SYS_clock_gettime, clock, now);
}

static uint64_t ticks_taken(int (*read)(clockid_t, struct timespec *))
{
	struct timespec now;
	uint64_t before = clock_ticks();

	read(CLOCK_MONOTONIC, &now);
	return clock_ticks() - before;
}

/* A library that has to ask the kernel takes no less than the kernel alone, and else half as long,
 * or less. */
static bool is_cheap(uint64_t ticks, uint64_t kernel_ticks)
{
	return ticks < kernel_ticks / 4 * 3;
}

/*
 * Whether the kernel's clock is read without a system call.  By a clock of the host's (kvm-clock,
 * Hyper-V's page) that is so only while the host vouches that all CPUs' counters are in step, and
 * never by others.
 */
static bool is_served(void)
{
	int saved = errno, n_cheap = 0;

	for (int i = 0; i < READINGS; i++) {
		uint64_t ticks = ticks_taken(read_clock);

		n_cheap += is_cheap(ticks, ticks_taken(ask_kernel));
	}
	errno = saved;
	return n_cheap > READINGS / 2;
}

/* Processor manuals: leaf 0x80000007, EDX bit 8. */
static bool tsc_is_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}
#endif

static struct machine machine_here(void)
{
	struct machine machine = { 0 };

#if defined(__x86_64__)
	machine.tsc_is_invariant = tsc_is_invariant();
	machine.kernel_has_tsc = is_said_in(CLOCKSOURCES, "current_clocksource");
	machine.kernel_knows_tsc = machine.kernel_has_tsc ||
				   is_said_in(CLOCKSOURCES, "available_clocksource");
	machine.is_vouched_for = is_served();
#elif defined(__aarch64__)
	machine.has_cntvct = true;
#endif
	return machine;
}

/* Whether all CPUs' counters may be one. */
static bool may_agree(const struct machine *machine)
{
	return machine->tsc_is_invariant && (machine->kernel_knows_tsc || machine->is_vouched_for);
}

static enum clock_source clock_choose(const struct machine *machine, enum clock_wish wish,
				      clock_agree *agree)
{
	if (wish == CLOCK_WISH_MONOTONIC)
		return CLOCK_SOURCE_MONOTONIC;
	if (machine->has_cntvct)
		return CLOCK_SOURCE_CNTVCT;
	if (wish == CLOCK_WISH_TSC && machine->tsc_is_invariant)
		return CLOCK_SOURCE_TSC;
	if (machine->kernel_has_tsc)
		return CLOCK_SOURCE_TSC;
	if (may_agree(machine) && agree && agree())
		return CLOCK_SOURCE_TSC;
	return CLOCK_SOURCE_MONOTONIC;
}

enum clock_source clock_probe(enum clock_wish wish, clock_agree *agree)
{
	const struct machine machine = machine_here();

	return clock_choose(&machine, wish, agree);
}

void clock_find(void)
{
	void *handle = dlopen("libc.so.6", RTLD_NOLOAD | RTLD_LAZY), *found;

	if (!handle)
		return;
	found = dlsym(handle, "clock_gettime");
	if (found)
		atomic_store_explicit((void *_Atomic *)&read_clock, found, memory_order_relaxed);
	dlclose(handle);
}

const char *clock_source_name(enum clock_source source)
{
	static const char *const name[CLOCK_SOURCES] = { "tsc", "cntvct", "monotonic" };

	return source < CLOCK_SOURCES ? name[source] : "unknown";
}

uint64_t clock_monotonic_ns(void)
{
	struct timespec ts;

	read_clock(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The kernel's number of a thread's clock: clockid_t of pthread_getcpuclockid(), by thread id. */
static clockid_t thread_clock(uint32_t thread)
{
	return (clockid_t)(~thread << 3 | 6);
}

/* That of clock_getcpuclockid(), by process id: as the kernel adds up what the scheduler counted
 * for each thread, not in ticks. */
static clockid_t process_clock(uint32_t pid)
{
	return (clockid_t)(~pid << 3 | 2);
}

static bool cpu_clock_ns(clockid_t id, uint64_t *ns)
{
	struct timespec ts;
	int saved = errno;
	bool known = syscall(SYS_clock_gettime, id, &ts) == 0;

	errno = saved;
	if (known)
		*ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	return known;
}

bool clock_cpu_ns(uint32_t thread, uint64_t *ns)
{
	return cpu_clock_ns(thread_clock(thread), ns);
}

bool clock_process_ns(uint32_t pid, uint64_t *ns)
{
	return cpu_clock_ns(process_clock(pid), ns);
}

uint64_t clock_ticks_by(const struct clock *clock)
{
	return clock->source == CLOCK_SOURCE_MONOTONIC ? clock_monotonic_ns() : clock_ticks();
}

/* The tightest of a few tries: an interrupt between the two readings would skew the pair. */
struct clock_pair clock_pair(const struct clock *clock)
{
	struct clock_pair best = { 0 };
	uint64_t best_width = UINT64_MAX;

	if (clock->source == CLOCK_SOURCE_MONOTONIC) {
		best.ticks = best.ns = clock_monotonic_ns();
		return best;
	}
	for (int i = 0; i < 8; i++) {
		uint64_t before = clock_ticks_by(clock);
		uint64_t ns = clock_monotonic_ns();
		uint64_t after = clock_ticks_by(clock);

		if (after - before < best_width) {
			best_width = after - before;
			best.ticks = before + (after - before) / 2;
			best.ns = ns;
		}
	}
	return best;
}
