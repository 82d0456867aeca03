/* SPDX-License-Identifier: MIT */
/* progress.c - a thread that wakes up five times a second. */
#include "tools/base/progress.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WAKES_NS 200000000L
#define WIPE "\r\033[K"
#define QUIET 5u /* wakes before the first line */

struct progress {
	pthread_t thread;
	pid_t pid;	       /* its process: a child has none of this */
	pthread_mutex_t mutex; /* of all but `done` */
	pthread_cond_t over;
	bool stop, shown;
	char what[120];
	uint64_t total;
	_Atomic uint64_t done;
};

static struct progress *_Atomic running;

static void say(struct progress *progress)
{
	uint64_t done = atomic_load_explicit(&progress->done, memory_order_relaxed);

	fprintf(stderr, WIPE "tptrace: %s", progress->what);
	if (progress->total)
		fprintf(stderr, " %3u %%",
			(unsigned)(100.0 * (double)done / (double)progress->total));
	fflush(stderr);
	progress->shown = true;
}

static void *run(void *argument)
{
	struct progress *progress = argument;
	struct timespec until;

	pthread_mutex_lock(&progress->mutex);
	for (unsigned wakes = 0; !progress->stop; wakes++) {
		if (wakes >= QUIET)
			say(progress);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += WAKES_NS;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		pthread_cond_timedwait(&progress->over, &progress->mutex, &until);
	}
	pthread_mutex_unlock(&progress->mutex);
	return NULL;
}

struct progress *progress_open(void)
{
	struct progress *progress = isatty(STDERR_FILENO) ? calloc(1, sizeof(*progress)) : NULL;

	if (!progress)
		return NULL;
	pthread_mutex_init(&progress->mutex, NULL);
	pthread_cond_init(&progress->over, NULL);
	if (pthread_create(&progress->thread, NULL, run, progress) == 0) {
		progress->pid = getpid();
		running = progress;
		return progress;
	}
	free(progress);
	return NULL;
}

void progress_close(struct progress *progress)
{
	if (!progress)
		return;
	running = NULL;
	pthread_mutex_lock(&progress->mutex);
	progress->stop = true;
	pthread_cond_signal(&progress->over);
	pthread_mutex_unlock(&progress->mutex);
	pthread_join(progress->thread, NULL);
	if (progress->shown)
		fputs(WIPE, stderr);
	pthread_cond_destroy(&progress->over);
	pthread_mutex_destroy(&progress->mutex);
	free(progress);
}

void progress_wipe(void)
{
	struct progress *progress = running;

	if (!progress || progress->pid != getpid())
		return;
	pthread_mutex_lock(&progress->mutex); /* and nothing is written from now on */
	if (progress->shown)
		fputs(WIPE, stderr);
}

void progress_stage(struct progress *progress, const char *what, uint64_t total)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->mutex);
	snprintf(progress->what, sizeof(progress->what), "%s", what);
	progress->total = total;
	atomic_store_explicit(&progress->done, 0, memory_order_relaxed);
	pthread_mutex_unlock(&progress->mutex);
}

void progress_add(struct progress *progress, uint64_t n)
{
	if (progress)
		atomic_fetch_add_explicit(&progress->done, n, memory_order_relaxed);
}
