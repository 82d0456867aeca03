/* SPDX-License-Identifier: MIT */
/* checked.c - the page, the program, and a look at the page every 20 ms. */
#include "tools/launch/checked.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/launch/shims.h"

#define LOOK_NS 20000000L

/* The file's descriptor stays open: the program opens it by its name in /proc. */
static struct marks_page *page_open(struct err *err)
{
	int fd = memfd_create("tptrace-marks", MFD_CLOEXEC);
	char path[64];
	void *at;

	if (fd < 0 || ftruncate(fd, sizeof(struct marks_page)) < 0) {
		err_set(err, errno, "check-marks: memfd_create: %s", strerror(errno));
		return NULL;
	}
	at = mmap(NULL, sizeof(struct marks_page), PROT_READ, MAP_SHARED, fd, 0);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
	if (at == MAP_FAILED || setenv(MARKS_VARIABLE, path, 1) < 0) {
		err_no_memory(err);
		return NULL;
	}
	return at;
}

/* The child; the pipe tells why it could not become the program. */
static pid_t program_start(char **command, const char *directory, int *why)
{
	int pipes[2];
	pid_t child;

	*why = errno;
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -1;
	child = fork();
	if (child == 0) {
		if (shims_put_in_front(directory, (const char *const[]){ CHECKED_LIBRARY }, 1))
			execvp(command[0], command);
		*why = errno;
		_exit(write(pipes[1], why, sizeof(*why)) > 0 ? 126 : 127);
	}
	*why = errno;
	close(pipes[1]);
	if (child > 0 && read(pipes[0], why, sizeof(*why)) == sizeof(*why)) {
		waitpid(child, NULL, 0);
		child = -1;
	}
	close(pipes[0]);
	return child;
}

int checked_run(char **command, const char *directory,
		void (*show)(void *context, const struct marks_found *found), void *context,
		struct checked *checked, struct err *err)
{
	struct marks_page *page = page_open(err);
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	uint32_t n_shown = 0;
	bool has_ended = false;
	int why;
	pid_t child;

	if (!page)
		return err->code;
	child = program_start(command, directory, &why);
	if (child < 0)
		return err_set(err, why, "%s: %s", command[0], strerror(why));
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	while (!has_ended) {
		has_ended = waitpid(child, &checked->status, WNOHANG) == child;
		while (n_shown < MARKS_WRONGS &&
		       atomic_load_explicit(&page->found[n_shown].is_set, memory_order_acquire))
			show(context, &page->found[n_shown++]);
		if (!has_ended)
			nanosleep(&pause, NULL);
	}
	checked->n_marks = atomic_load(&page->n_marks);
	checked->n_tasks = atomic_load(&page->n_tasks);
	checked->n_wrong = atomic_load(&page->n_wrong);
	checked->n_found = atomic_load(&page->n_found);
	munmap(page, sizeof(*page));
	return 0;
}
