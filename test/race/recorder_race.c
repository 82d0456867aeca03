/* SPDX-License-Identifier: MIT */
/*
 * recorder_race.c - the whole recorder, with the collector that is really used, under
 * -fsanitize=thread: threads come and go, make runtimes and sites known, record, and stop and start
 * the recording of all.  With an argument the collector is another process, which serves two such
 * programs at once.
 */
#include "preload/record.h"
#include "preload/tptrace.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/session/hello.h"
#include "collector/outside/serve.h"

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
		/* in all fewer than SESSION_MARKS: on a loaded machine more may be lost */
		if (i % 100 == 0)
			control_call(i % 200 ? TPTRACE_STOP : TPTRACE_START, NULL);
		if (i % 140 == 0)
			control_call(TPTRACE_PHASE, "a phase");
		run_task(site);
	}
	return NULL;
}

static void run_program(void)
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
}

/* A child that collects; it ends when `control` is closed and all is written. */
static pid_t fork_collector(int listener, int control[2])
{
	pid_t pid = fork();

	if (pid)
		return pid;
	close(control[0]);
	exit(serve_run(listener, control[1], &(struct serve_left){ 0 },
		       &(struct client_helpers){ 0 }) < 0);
}

static int run_beside_collector(void)
{
	int control[2], listener, status[3];
	char name[64];
	pid_t pid[3];

	listener = serve_listen(name, sizeof(name));
	if (listener < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, control) < 0)
		return 1;
	pid[0] = fork_collector(listener, control);
	setenv(HELLO_VARIABLE, name, 1);
	for (int i = 1; i < 3; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			close(control[0]);
			run_program();
			exit(0);
		}
	}
	close(control[1]);
	for (int i = 2; i >= 0; i--) {
		if (i == 0)
			close(control[0]);
		waitpid(pid[i], &status[i], 0);
	}
	return status[0] || status[1] || status[2];
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return run_beside_collector();
	run_program();
	return 0;
}
