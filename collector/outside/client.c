/* SPDX-License-Identifier: MIT */
/* client.c - maps a session, drains it, and ends its trace. */
#include "collector/outside/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/talk/burden.h"
#include "collector/drain/successor.h"
#include "collector/session/clock.h"
#include "collector/session/futex.h"
#include "collector/session/proc.h"
#include "collector/session/shared.h"

#define STACK_BYTES (512u << 10)

/* Mapped at the first question: a process has few of the workers that there is room for. */
static struct worker *worker_at(void *arg, uint32_t index)
{
	struct client *client = arg;
	uint64_t offset = client->head_bytes + (uint64_t)index * client->stride;
	void *memory;

	if (client->worker[index] || offset + client->stride > client->memory_bytes)
		return client->worker[index];
	memory = mmap(NULL, client->stride, PROT_READ | PROT_WRITE, MAP_SHARED, client->memory,
		      (off_t)offset);
	if (memory != MAP_FAILED)
		client->worker[index] = memory;
	return client->worker[index];
}

/*
 * The words of the trace's `meta ended` line.  What the program said of its end counts if it came
 * to that end; *said: whether it did.
 */
static void how_ended(const struct client *client, char *out, size_t room, bool *said)
{
	char leaving[sizeof(client->session->leaving)];
	int status = client->status;

	memcpy(leaving, client->session->leaving, sizeof(leaving)); /* it may be anything */
	leaving[sizeof(leaving) - 1] = 0;
	*said = client->execed || (leaving[0] && (status < 0 || WIFEXITED(status)));
	if (*said)
		snprintf(out, room, "%s", client->execed ? "by exec" : leaving);
	else if (status < 0)
		snprintf(out, room, "unseen");
	else if (WIFSIGNALED(status))
		snprintf(out, room, "killed by signal %d", WTERMSIG(status));
	else
		snprintf(out, room, "by _exit with status %d", WEXITSTATUS(status));
}

static void end_trace(struct client *client)
{
	struct clock_pair end = client->session->end;
	char how[64] = "cleanly";
	bool said = true;

	if (atomic_load(&client->session->state) != SESSION_CLOSED) {
		end = clock_pair(&client->session->clock);
		how_ended(client, how, sizeof(how), &said);
	}
	drain_end(&client->drain, end, how);
	message_failure(&client->drain, client->calls->say);
	message_end(&client->drain, said ? NULL : how, client->calls->say);
	if (!client->session->process.quiet)
		burden_say(&client->drain, client->calls->say);
}

/* Takes the rings until the process has ended or says so. */
static void client_collect(struct client *client)
{
	struct session *session = client->session;
	struct drain *drain = &client->drain;

	while (death_notice_is_ours(&client->notice)) {
		/* before the round: what comes during it wakes this thread up */
		uint32_t wake = atomic_load_explicit(&session->wake, memory_order_acquire);
		bool over = atomic_load(&client->dead) ||
			    atomic_load(&session->state) == SESSION_CLOSED;
		bool took = drain_round(drain, over ? DRAIN_LAST : DRAIN_RUNNING);

		atomic_fetch_add(&session->beat, 1);
		message_failure(drain, client->calls->say);
		if (!over && client->ask.fd < 0) /* the process was another program's before */
			ask_open(&client->ask, session, client->pid);
		if (!over)
			ask_round(&client->ask, drain);
		if (took)
			continue;
		if (over)
			return;
		futex_wait(&session->wake, wake, drain_rest_ns(drain));
	}
}

/* Collects to the end; the path of the trace that has its end is the caller's to free(), or NULL.
 */
static char *collect_all(struct client *client)
{
	struct drain *drain = &client->drain;

	client->is_covered = true;
	if (client->inherited && successor_is_complete(drain, client->log))
		return strdup(client->session->trace);
	client->ask.fd = -1;
	if (client->inherited) {
		death_notice_make(&client->notice, &client->session->life);
		successor_open(drain, client->log, client->log_bytes);
	} else {
		ask_open(&client->ask, client->session, client->pid);
	}
	client_collect(client);
	ask_close(&client->ask);
	if (!death_notice_is_ours(&client->notice))
		return NULL;
	end_trace(client);
	client->is_covered = message_covers(drain);
	return drain->file.fd >= 0 && !drain->file.error ? strdup(drain->file.path) : NULL;
}

static void close_stacks(struct client *client)
{
	const char *what = client->stacks.close ? client->stacks.close(client->stacks.arg) : NULL;

	if (what && !client->session->process.quiet)
		client->calls->say("tptrace: %s", what);
	client->stacks = (struct definitions_stacks){ 0 };
}

static void *client_run(void *arg)
{
	struct client *client = arg;
	char *trace;

	if (!client->inherited)
		death_notice_make(&client->notice, &client->session->life);
	atomic_store(&client->begun, 1);
	futex_wake(&client->begun);
	trace = collect_all(client);
	drain_close(&client->drain);
	close_stacks(client);
	death_notice_end(&client->notice, SESSION_LIFE_DONE);
	if (trace && client->calls->helpers.written)
		client->calls->helpers.written(trace);
	free(trace);
	atomic_store(&client->finished, true);
	client->calls->finished();
	return NULL;
}

void client_free(struct client *client)
{
	if (client->session)
		close_stacks(client);
	drain_close(&client->drain); /* its thread has, if it had one */
	for (uint32_t i = 0; client->worker && i < WIRE_WORKERS; i++)
		if (client->worker[i])
			munmap(client->worker[i], client->stride);
	if (client->log)
		munmap(client->log, client->log_bytes);
	if (client->session)
		munmap(client->session, client->head_bytes);
	if (client->pidfd >= 0)
		close(client->pidfd);
	if (client->memory >= 0)
		close(client->memory);
	free(client->worker);
	free(client);
}

static bool read_stat(int pid, uint32_t thread, struct cputimes_reading *out)
{
	unsigned long long user, system;
	long a_second = sysconf(_SC_CLK_TCK);
	struct procstat stat;
	const char *times = a_second > 0 && procstat_read(&stat, pid, (pid_t)thread)
				    ? procstat_field(&stat, PROCSTAT_UTIME)
				    : NULL;

	if (!times || sscanf(times, "%llu %llu", &user, &system) != 2) /* and STIME behind it */
		return false;
	/* in ticks of mostly 10 ms: coarse, but sums of a long run are no worse for it */
	*out = (struct cputimes_reading){ .run_ns = (user + system) *
						    (1000000000u / (unsigned long long)a_second) };
	return true;
}

/* A cputimes_reader, by /proc/PID/task/TID/schedstat, or stat where the kernel has no such file.
 * `pid` is an int, of a process of this PID namespace; 0: of none. */
static enum cputimes_source read_cputimes(void *pid, uint32_t thread, struct cputimes_reading *out)
{
	int process = *(const int *)pid;
	enum cputimes_source source = CPUTIMES_UNKNOWN;

	/* all threads in one reading, with those that have ended, which /proc no longer lists */
	if (!thread)
		return process > 0 && clock_process_ns((uint32_t)process, &out->run_ns)
			       ? CPUTIMES_CLOCK
			       : CPUTIMES_UNKNOWN;
	if (process > 0 && cputimes_read_schedstat(process, thread, out))
		source = CPUTIMES_SCHEDSTAT;
	else if (process > 0 && read_stat(process, thread, out))
		source = CPUTIMES_STAT;
	if (source != CPUTIMES_UNKNOWN) /* else the number may be of another PID namespace */
		cputimes_read_mask(thread, &out->mask);
	return source;
}

/* What the flight recorder keeps lies in the process's memory, so that it outlives us. */
static void map_log(struct client *client)
{
	uint64_t at = client->session->flight_at, bytes = client->session->flight_bytes;
	void *log;

	if (!at || !client->drain.flight.max_bytes || at > client->memory_bytes ||
	    bytes > client->memory_bytes - at)
		return;
	log = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, client->memory, (off_t)at);
	if (log == MAP_FAILED)
		return;
	client->log = log;
	client->log_bytes = bytes;
	if (!client->inherited)
		flight_use_log(&client->drain.flight, log, bytes, NULL);
}

int client_map(struct client *client)
{
	size_t head_bytes = shared_pages(sizeof(struct session));
	int seals = fcntl(client->memory, F_GET_SEALS);
	struct stat st;
	void *head;

	/* unsealed, the process could cut it while we read, which is SIGBUS for all clients */
	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(client->memory, &st) < 0 ||
	    (uint64_t)st.st_size < head_bytes)
		return -EPROTO;
	head = mmap(NULL, head_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, client->memory, 0);
	if (head == MAP_FAILED)
		return -errno;
	client->session = head;
	client->inode = st.st_ino;
	client->head_bytes = head_bytes;
	client->memory_bytes = (uint64_t)st.st_size;
	client->worker = calloc(WIRE_WORKERS, sizeof(struct worker *));
	if (!client->worker)
		return -ENOMEM;
	int error = drain_open(&client->drain, client->session, worker_at, client);

	if (!error && !client->inherited) /* else its trace is there, or a try is worth it */
		error = drain_reserve(&client->drain, client->memory);
	if (error)
		return error;
	client->task_pid = client->session->pid == client->pid ? client->pid : 0;
	drain_sample(&client->drain, read_cputimes, &client->task_pid);
	if (!client->inherited && client->calls->helpers.sample &&
	    client->calls->helpers.sample(&client->stacks, client->session, &client->drain.chunks,
					  worker_at, client, client->task_pid))
		client->drain.definitions.stacks = client->stacks;
	map_log(client);
	client->stride = shared_pages(worker_place(&client->drain.chunks));
	return client->session->stride == client->stride ? 0 : -EPROTO;
}

static int start_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	error = -pthread_create(thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return error;
}

int client_start(struct client *client)
{
	static const struct thread_calls calls = { start_thread, pthread_join };
	int error;

	drain_use_threads(&client->drain, &calls);
	error = start_thread(&client->thread, client_run, client);
	client->started = !error;
	/* the process hears that it is served only once our death would be noticed */
	while (!error && !atomic_load(&client->begun))
		futex_wait(&client->begun, 0, UINT32_MAX);
	return error;
}

void client_ended(struct client *client)
{
	atomic_store(&client->dead, true);
	atomic_fetch_add(&client->session->wake, 1);
	futex_wake(&client->session->wake);
	if (!client->started && client_start(client) < 0) {
		client->calls->say("tptrace: process %d: cannot start a thread; its trace has no "
				   "end",
				   client->pid);
		atomic_store(&client->finished, true);
	}
}

struct client *client_new(const struct client_calls *calls)
{
	struct client *client = calloc(1, sizeof(*client));

	if (client)
		*client = (struct client){
			.calls = calls, .memory = -1, .pidfd = -1, .status = -1, .drain.file.fd = -1
		};
	return client;
}
