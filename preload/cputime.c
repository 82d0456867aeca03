/* SPDX-License-Identifier: MIT */
/* cputime.c - reads threads' CPU clocks, and notes them in the workers' shared memory. */
#include "preload/cputime.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "preload/session.h"
#include "preload/worker.h"

static void cpu_turns(struct worker_cpu *cpu)
{
	atomic_fetch_add(&cpu->turns, 1);
}

static void cpu_note(struct worker *worker, uint64_t sum_ns)
{
	atomic_store(&worker->cpu.noted_ns, sum_ns);
	atomic_store(&worker->cpu.noted_ticks, worker_ticks(worker));
}

void cputime_come(struct worker *worker)
{
	struct worker_cpu *cpu = &worker->cpu;
	uint64_t sum_ns = atomic_load(&cpu->noted_ns), ns;
	uint32_t thread = (uint32_t)syscall(SYS_gettid);

	if (!clock_cpu_ns(thread, &ns))
		return;
	cpu_turns(cpu);
	atomic_store(&cpu->base_ns, sum_ns - ns);
	atomic_store(&cpu->thread, thread);
	cpu_note(worker, sum_ns);
	cpu_turns(cpu);
}

void cputime_leave(struct worker *worker)
{
	struct worker_cpu *cpu = &worker->cpu;
	uint64_t ns;

	if (!atomic_load(&cpu->thread) || !clock_cpu_ns(atomic_load(&cpu->thread), &ns))
		return;
	cpu_turns(cpu);
	atomic_store(&cpu->thread, 0);
	cpu_note(worker, atomic_load(&cpu->base_ns) + ns);
	cpu_turns(cpu);
}

void cputime_note_all(const struct session *session, uint64_t (*wait_ns)(uint32_t thread))
{
	uint32_t n = atomic_load(&session->n_workers);

	for (uint32_t i = 0; i < n; i++) {
		struct worker *worker = session_worker(i);
		uint32_t turns = worker ? atomic_load(&worker->cpu.turns) : 1, thread;
		uint64_t ns, base_ns;

		if (turns & 1)
			continue;
		thread = atomic_load(&worker->cpu.thread);
		base_ns = atomic_load(&worker->cpu.base_ns);
		if (!thread || !clock_cpu_ns(thread, &ns) ||
		    atomic_load(&worker->cpu.turns) != turns)
			continue;
		/* last_ticks comes last: it says that the others are there */
		atomic_store(&worker->cpu.last_wait_ns, wait_ns(thread));
		atomic_store(&worker->cpu.last_ns, base_ns + ns);
		atomic_store(&worker->cpu.last_ticks, worker_ticks(worker));
	}
}
