/* SPDX-License-Identifier: MIT */
/* pager.c - holds standard output, and shows it. */
#include "tools/base/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_FOUND 127 /* of the shell */
#define COPY_BYTES 16384

static int terminal = -1; /* while output is held */
static pid_t holder;	   /* whose output it is: children have their own */

int pager_terminal(void)
{
	return terminal < 0 ? STDOUT_FILENO : terminal;
}

/* The user's choice; NULL: none. */
static const char *pager(void)
{
	const char *pager = getenv(PAGER_VARIABLE) ?: getenv("PAGER") ?: "less";

	return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
}

void pager_hold(void)
{
	const char *term = getenv("TERM");
	struct winsize size;
	int held;

	if (terminal >= 0 || !isatty(STDOUT_FILENO) || !term || strcmp(term, "dumb") == 0 ||
	    !pager() || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row)
		return;
	held = memfd_create("output", MFD_CLOEXEC);
	fflush(stdout);
	if (held < 0 || (terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) < 0 ||
	    dup2(held, STDOUT_FILENO) < 0 || atexit(pager_show) != 0) {
		if (terminal >= 0)
			dup2(terminal, STDOUT_FILENO);
		terminal = -1;
	}
	holder = getpid();
	close(held);
}

/* Whether the last of those lines would push the first off the screen. */
static bool is_taller(const char *text, size_t n)
{
	struct winsize size = { 0 };
	size_t lines = 1; /* the prompt's */

	ioctl(terminal, TIOCGWINSZ, &size);
	for (const char *end = text + n; (text = memchr(text, '\n', (size_t)(end - text))); text++)
		lines++;
	return lines > size.ws_row;
}

static void run_pager(const char *command)
{
	lseek(STDOUT_FILENO, 0, SEEK_SET);
	if (dup2(STDOUT_FILENO, STDIN_FILENO) < 0 || dup2(terminal, STDOUT_FILENO) < 0)
		_exit(NOT_FOUND);
	setenv("LESS", "FRX", 0); /* as git does: colours, and nothing is wiped off at the end */
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(NOT_FOUND);
}

/* Keys that would end us are the pager's while it is there.  Whether it ran. */
static bool page(const char *command)
{
	void (*quit)(int) = signal(SIGQUIT, SIG_IGN);
	void (*interrupt)(int) = signal(SIGINT, SIG_IGN);
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		signal(SIGINT, interrupt);
		signal(SIGQUIT, quit);
		run_pager(command);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		status = -1;
	signal(SIGINT, interrupt);
	signal(SIGQUIT, quit);
	return child > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND);
}

static void copy(const char *text, size_t n)
{
	while (n) {
		ssize_t done = write(terminal, text, n < COPY_BYTES ? n : COPY_BYTES);

		if (done <= 0)
			return; /* the terminal is gone: nobody is there to be told */
		text += done;
		n -= (size_t)done;
	}
}

void pager_show(void)
{
	off_t n;
	char *text;

	if (terminal < 0 || getpid() != holder || fflush(stdout) != 0)
		return;
	n = lseek(STDOUT_FILENO, 0, SEEK_END);
	if (n <= 0)
		return;
	text = mmap(NULL, (size_t)n, PROT_READ, MAP_SHARED, STDOUT_FILENO, 0);
	if (text != MAP_FAILED && !(is_taller(text, (size_t)n) && page(pager())))
		copy(text, (size_t)n);
	if (text != MAP_FAILED)
		munmap(text, (size_t)n);
	if (ftruncate(STDOUT_FILENO, 0) == 0)
		lseek(STDOUT_FILENO, 0, SEEK_SET);
}
