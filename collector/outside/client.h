/* SPDX-License-Identifier: MIT */
/*
 * client.h - one traced process: its memory, and the thread that takes its events to its trace.
 *
 * The thread begins when the process says hello.  If another collector had the
 * process and died, the thread begins when the process has ended: until then a thread inside is the
 * successor (preload/inside/inproc.c).  The events that are then in the memory go to the same trace
 * (drain/successor.h), unless that has all of them.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/talk/ask.h"
#include "collector/drain/drain.h"
#include "collector/talk/messages.h"
#include "collector/outside/death_notice.h"

/* What others do for the collector; a member that is NULL is not done. */
struct client_helpers {
	/* a trace has its end, and nobody waits for this thread but the parent */
	void (*written)(const char *path);
	/* samples stacks of process `pid`, 0 if it is not known; false: it does not.  sizes:
	 * checked, of what worker_at() maps */
	bool (*sample)(struct definitions_stacks *stacks, struct session *session,
		       const struct chunk_sizes *sizes, gate_worker *worker_at, void *arg, int pid);
};

/* Callbacks of the clients' threads. */
struct client_calls {
	message_say *say;
	struct client_helpers helpers;
	void (*finished)(void);
};

/* One traced process. */
struct client {
	struct client *next;
	const struct client_calls *calls;
	pthread_t thread;
	int pid, pidfd; /* -1: the kernel has none */
	int task_pid;	/* whose threads are known by the numbers that they know; 0: they are not */
	int memory;
	uint64_t inode; /* of it; the parent knows it by that */
	struct session *session;
	struct worker **worker; /* mapped so far; WIRE_WORKERS of them */
	uint64_t memory_bytes;
	size_t head_bytes, stride;
	void *log; /* the flight recorder's, of so many bytes; NULL: it has none */
	uint64_t log_bytes;
	struct drain drain;
	struct definitions_stacks stacks; /* the drain may end it earlier; zero: none */
	struct ask ask;
	struct death_notice notice;
	int status;		/* as wait() has it; -1 if not known.  Set before `dead` */
	bool execed;		/* it lives on as another program; likewise */
	uint64_t left_ns;	/* when its memory was found to be gone; 0: it was not */
	bool is_covered;	/* it has a trace, or a line says why not.  Set before `finished` */
	_Atomic uint32_t begun; /* futex: its thread has left its death notice */
	bool inherited;		/* from a collector that died */
	bool started;		/* it has a thread */
	_Atomic bool dead;	/* its process is, or is another program */
	_Atomic bool finished;	/* its thread is done */
};

/* A client without anything; NULL without memory. */
struct client *client_new(const struct client_calls *calls);

/* Maps the memory and checks what all else relies on.  0 or -errno. */
int client_map(struct client *client);

/* Starts its thread, and waits until the kernel would say that it died.  0 or -errno. */
int client_start(struct client *client);

/* Its process has ended, or is another program: `status` and `execed` are set. */
void client_ended(struct client *client);

/* Its thread has been joined, or never was started. */
void client_free(struct client *client);
