/* SPDX-License-Identifier: MIT */
/* burden.c - reckons what the events took from what workers count in shared memory. */
#include "collector/talk/burden.h"

#include <string.h>

#include "collector/drain/stream.h"

#define READINGS 4u /* of a task */

uint64_t burden_readings(uint64_t n_events, uint64_t n_tasks, bool shared)
{
	uint64_t n = n_tasks > n_events / READINGS ? n_events : READINGS * n_tasks;

	return shared ? n / 2 : n;
}

unsigned burden_percent(uint64_t n_events, uint32_t event_ps, uint64_t ran_ns)
{
	/* by parts: their product may not fit */
	uint64_t took_ns = n_events / 1000 * event_ps + n_events % 1000 * event_ps / 1000;
	uint64_t percent;

	if (took_ns >= ran_ns) /* measured costs and CPU time contradict: say nothing */
		return 0;
	percent = took_ns / ((ran_ns - took_ns) / 100 + 1);
	return percent > BURDEN_LEAST ? (unsigned)percent : 0;
}

/* Only the shim for Cilk has events that share a reading. */
static bool shares(const struct session *session)
{
	uint32_t n = atomic_load(&session->n_runtimes);
	bool found = false;

	for (uint32_t i = 0; i < n && i < SESSION_RUNTIMES; i++)
		found |= strstr(session->runtime[i].name, "ilk") != NULL;
	return found;
}

/* The least that any shim takes for a strand, besides its two events; 0: not all are known. */
static uint32_t calls_ps(const struct session *session)
{
	uint32_t n = atomic_load(&session->n_runtimes), least = UINT32_MAX;

	for (uint32_t i = 0; i < n && i < SESSION_RUNTIMES; i++) {
		uint32_t ps = atomic_load(&session->runtime[i].calls_ps);

		if (ps < least && strcmp(session->runtime[i].name, "pthread") != 0)
			least = ps;
	}
	return least == UINT32_MAX ? 0 : least;
}

/* CPU time of a worker's threads, as they noted it or as it was noted at the end of the process. */
static uint64_t ran_ns(struct worker *worker)
{
	uint64_t noted_ns = atomic_load(&worker->cpu.noted.run_ns);
	uint64_t last_ns = atomic_load(&worker->cpu.last.run_ns);

	return noted_ns > last_ns ? noted_ns : last_ns;
}

void burden_say(struct drain *drain, message_say *say)
{
	const struct session *session = drain->session;
	uint64_t n_events = 0, n_tasks = 0, all_ns = 0;
	uint32_t n_workers = stream_workers(drain);
	bool is_slow = session->clock.source == CLOCK_SOURCE_MONOTONIC;
	unsigned percent;

	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);
		uint64_t worker_ns = worker ? ran_ns(worker) : 0;

		if (!worker_ns) /* no CPU time to compare its tasks with */
			continue;
		n_events += stream_reached(drain, worker, i)->number;
		n_tasks += stream_reached(drain, worker, i)->n_tasks;
		all_ns += worker_ns;
	}
	percent = burden_percent(burden_readings(n_events, n_tasks, shares(session)),
				 session->event_ps + calls_ps(session) / 2, all_ns);
	if (percent)
		say("tptrace: recording took at least %u %% of the program's own CPU time: its "
		    "tasks are short; coarser ones (a cut-off) cost less%s%s",
		    percent, session->options.collapse_ns ? "" : ", so does --collapse",
		    is_slow ? ", so does a clock without system calls (TPTRACE_CLOCK=tsc)" : "");
}
