/* SPDX-License-Identifier: MIT */
/* cputime.c - reads threads' CPU clocks, and notes them in the workers' shared memory. */
#include "preload/cputime.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "preload/collector.h"
#include "preload/session.h"
#include "preload/worker.h"

/* What reading waits costs a thread, when it comes and when it leaves (getrusage() of 3,000 threads
 * with and without); that part of the time so far may be spent so, as the collector's samples may.
 */
#define WAITS_NS 50000u
#define WAITS_PART 64u
#define WAITS_AT_ONCE 64u /* threads that read in any case: a team begins */

static void cpu_turns(struct worker_cpu *cpu)
{
	atomic_fetch_add(&cpu->turns, 1);
}

/* What the thread had since it began. */
struct reading {
	uint64_t run_ns, wait_ns; /* 0 without has_wait */
	bool has_wait;
};

static bool read_thread(uint32_t thread, bool wants_wait, struct reading *out)
{
	const struct collector *collector = wants_wait ? session_collector() : NULL;

	*out = (struct reading){ 0 };
	if (!clock_cpu_ns(thread, &out->run_ns))
		return false;
	out->has_wait = collector && collector->waits && collector->waits(thread, &out->wait_ns);
	return true;
}

/* Whether the time so far allows a further thread to read its waits.  For those that must do
 * without, the collector's samples say what they wait from the first one on. */
static bool may_read_waits(struct session *session)
{
	uint64_t now_ns = clock_monotonic_ns(), begin_ns = session->begin.ns;
	uint64_t passed_ns = now_ns > begin_ns ? now_ns - begin_ns : 0;
	uint64_t n = atomic_load(&session->n_waits_read);

	if (n >= WAITS_AT_ONCE + passed_ns / (WAITS_PART * WAITS_NS))
		return false;
	atomic_fetch_add(&session->n_waits_read, 1);
	return true;
}

static void sums_set(struct cpu_sums *sums, uint64_t run_ns, uint64_t wait_ns)
{
	atomic_store(&sums->run_ns, run_ns);
	atomic_store(&sums->wait_ns, wait_ns);
}

/* What the worker's threads have had. */
static void sums_of(struct cpu_sums *sums, const struct worker_cpu *cpu, const struct reading *now)
{
	sums_set(sums, atomic_load(&cpu->base.run_ns) + now->run_ns,
		 atomic_load(&cpu->base.wait_ns) + now->wait_ns);
}

/* Whole numbers: the flags of floating point are the program's. */
static uint64_t share(uint64_t all, uint64_t part, uint64_t of)
{
	return of ? (uint64_t)((unsigned __int128)all * part / of) : 0;
}

/*
 * What the thread had while the worker had none since the session began, *brought; and when that
 * began, at the latest; or 0, and it brings nothing.  A thread that is older than the session had
 * it evenly; one that is older than the worker's last thread may have slept since.
 */
static uint64_t born_ticks(const struct worker *worker, const struct reading *now,
			   struct reading *brought)
{
	const struct session *session = session_get();
	struct clock_pair at = clock_pair(&session->clock), begin = session->begin;
	uint64_t left_ns = worker->cpu.left_ns, lived_ns = now->run_ns + now->wait_ns;
	uint64_t free_ns = at.ns - (left_ns ? left_ns : begin.ns);
	uint64_t kept_ns = lived_ns < free_ns ? lived_ns : free_ns;

	*brought = (struct reading){ 0 };
	if (at.ns <= begin.ns || at.ns <= left_ns || (left_ns && kept_ns < lived_ns))
		return 0;
	brought->run_ns = share(now->run_ns, kept_ns, lived_ns);
	brought->wait_ns = share(now->wait_ns, kept_ns, lived_ns);
	return at.ticks - share(at.ticks - begin.ticks, kept_ns, at.ns - begin.ns);
}

bool cputime_come(struct worker *worker)
{
	struct worker_cpu *cpu = &worker->cpu;
	uint64_t run_ns = atomic_load(&cpu->noted.run_ns),
		 wait_ns = atomic_load(&cpu->noted.wait_ns), born;
	uint32_t thread = (uint32_t)syscall(SYS_gettid);
	bool few = may_read_waits(session_get());
	struct reading now, brought;

	if (!read_thread(thread, few, &now))
		return few;
	born = born_ticks(worker, &now, &brought);
	cpu_turns(cpu);
	atomic_store(&cpu->born_ticks, born);
	sums_set(&cpu->born, run_ns, wait_ns);
	sums_set(&cpu->base, run_ns + brought.run_ns - now.run_ns,
		 wait_ns + brought.wait_ns - now.wait_ns);
	atomic_store(&cpu->has_wait, now.has_wait);
	atomic_store(&cpu->thread, thread);
	sums_of(&cpu->noted, cpu, &now);
	atomic_store(&cpu->noted_ticks, worker_ticks(worker));
	cpu_turns(cpu);
	return few;
}

void cputime_leave(struct worker *worker)
{
	struct worker_cpu *cpu = &worker->cpu;
	uint32_t thread = atomic_load(&cpu->thread);
	struct reading now;

	if (!thread || !read_thread(thread, atomic_load(&cpu->has_wait), &now))
		return;
	cpu_turns(cpu);
	atomic_store(&cpu->thread, 0);
	if (!now.has_wait) { /* since it came: the sum stays */
		atomic_store(&cpu->has_wait, 0);
		now.wait_ns = atomic_load(&cpu->noted.wait_ns) - atomic_load(&cpu->base.wait_ns);
	}
	sums_of(&cpu->noted, cpu, &now);
	atomic_store(&cpu->noted_ticks, worker_ticks(worker));
	cpu->left_ns = clock_monotonic_ns();
	cpu_turns(cpu);
}

void cputime_note_all(const struct session *session)
{
	uint32_t n = atomic_load(&session->n_workers);

	for (uint32_t i = 0; i < n; i++) {
		struct worker *worker = session_worker(i);
		uint32_t turns = worker ? atomic_load(&worker->cpu.turns) : 1, thread;
		struct worker_cpu *cpu;
		struct reading now;
		struct cpu_sums sums;
		bool has_wait;

		if (turns & 1)
			continue;
		cpu = &worker->cpu;
		thread = atomic_load(&cpu->thread);
		has_wait = atomic_load(&cpu->has_wait);
		if (!thread || !read_thread(thread, has_wait, &now))
			continue;
		sums_of(&sums, cpu, &now);
		if (atomic_load(&cpu->turns) != turns)
			continue;
		/* last_ticks comes last: it says that the others are there */
		sums_set(&cpu->last, sums.run_ns, now.has_wait ? sums.wait_ns : 0);
		atomic_store(&cpu->last_ticks, worker_ticks(worker));
	}
}
