/* SPDX-License-Identifier: MIT */
/* count.c - the smallest probe: counts the events of each worker, and prints them at the end. */
#include <stdio.h>

#include "collector/trace/wire.h"
#include "preload/probe.h"

static uint64_t n_events[WIRE_WORKERS]; /* by worker; its thread's alone */

static bool count_open(struct session *session)
{
	(void)session;
	return true;
}

static void count_after(struct worker *worker, void *own, enum wire_kind kind, const void *frame)
{
	(void)own;
	(void)kind;
	(void)frame;
	n_events[worker->index]++;
}

__attribute__((constructor)) static void count_add(void)
{
	static struct probe probe = {
		.name = "count", .order = PROBE_TELLS, .open = count_open, .after = count_after
	};

	probe_add(&probe);
}

__attribute__((destructor)) static void count_print(void)
{
	for (uint32_t i = 0; i < WIRE_WORKERS; i++)
		if (n_events[i])
			fprintf(stderr, "count: w%u %llu\n", i, (unsigned long long)n_events[i]);
}
