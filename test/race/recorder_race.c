/* SPDX-License-Identifier: MIT */
/*
 * recorder_race.c - the whole recorder, with the collector that is really used, under
 * -fsanitize=thread: threads come and go, make runtimes and sites known, record, and stop and start
 * the recording of all.
 */
#include "preload/control.h"
#include "preload/record.h"
#include "preload/tptrace.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define ROUNDS 8
#define TASKS 1500

static void run_task(uint32_t site)
{
	struct worker *worker = record_worker();
	record_id self, child;

	if (!worker)
		return;
	child = record_create(worker, site, 0);
	self = worker->task;
	record_detail(worker, WIRE_DEPEND, site | UINT64_C(1) << WIRE_DEPEND_SHIFT);
	record_resume(worker, self);
	record_wait(worker, site, WIRE_WAIT_CHILDREN);
	record_begin(worker, child);
	record_end(worker, self);
	record_resume(worker, self);
}

static void *program(void *arg)
{
	uint32_t runtime = *(uint32_t *)arg;

	for (int i = 0; i < TASKS; i++) {
		uint32_t site = 1;

		if (i % 100 == 0)
			site = record_site(runtime, (uintptr_t)program + (unsigned)i, 0);
		record_runtime_workers(runtime, 1 + (unsigned)i);
		if (i % 50 == 0)
			control_call(i % 100 ? TPTRACE_STOP : TPTRACE_START, NULL);
		if (i % 70 == 0)
			control_call(TPTRACE_PHASE, "a phase");
		run_task(site);
	}
	return NULL;
}

int main(void)
{
	uint32_t runtime = record_runtime("race", "1");
	pthread_t thread[THREADS];

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < THREADS; i++)
			if (pthread_create(&thread[i], NULL, program, &runtime))
				abort();
		for (int i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
	}
	control_call(TPTRACE_START, NULL);
	return 0;
}
