/* SPDX-License-Identifier: MIT */
/*
 * full.c - starts echo in each way, with an environment that just fits without what record
 * puts there.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENTRIES 512
#define LONG_BYTES 65536u /* of an entry */
#define STEP 16u

static char *all[ENTRIES], *bare[ENTRIES];
static char padding[3][LONG_BYTES];
static char *const loud[] = { "echo", "ran", NULL };

static bool is_records(const char *entry)
{
	return strncmp(entry, "TPTRACE_", 8) == 0 || strncmp(entry, "LD_PRELOAD=", 11) == 0 ||
	       strncmp(entry, "ASAN_OPTIONS=", 13) == 0;
}

/* The environment, and what of it there is alone, each with that much in front. */
static void pad(size_t bytes)
{
	size_t n_all = 0, n_bare = 0;

	for (int i = 0; i < 3; i++) {
		size_t part = bytes < LONG_BYTES ? bytes : LONG_BYTES;

		memset(padding[i], 'x', LONG_BYTES);
		memcpy(padding[i], "A=", 2);
		padding[i][part > 4 ? part - 1 : 3] = 0;
		all[n_all++] = bare[n_bare++] = padding[i];
		bytes -= part;
	}
	for (char **entry = environ; *entry && n_all < ENTRIES - 1; entry++) {
		all[n_all++] = *entry;
		if (!is_records(*entry))
			bare[n_bare++] = *entry;
	}
	all[n_all] = bare[n_bare] = NULL;
}

static int ended(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

/* Whether the kernel takes the bare one. */
static bool fits(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		syscall(SYS_execve, "/usr/bin/echo", loud, bare);
		_exit(errno == E2BIG ? 1 : 2);
	}
	return ended(pid) == 0;
}

static void by_exec(int way)
{
	int fd = open("/usr/bin/echo", O_RDONLY);

	if (way == 0)
		execve("/usr/bin/echo", loud, all);
	else if (way == 1)
		execvpe("echo", loud, all);
	else if (way == 2)
		fexecve(fd, loud, all);
	environ = all;
	if (way == 3)
		execv("/usr/bin/echo", loud);
	else if (way == 4)
		execvp("echo", loud);
	else if (way == 5)
		execl("/usr/bin/echo", "echo", "ran", NULL);
}

static void by_spawn(bool search)
{
	pid_t pid = -1;
	int error = (search ? posix_spawnp : posix_spawn)(
		&pid, search ? "echo" : "/usr/bin/echo", NULL, NULL, loud, all);

	if (error)
		printf("%s\n", strerror(error));
	else if (ended(pid))
		puts("it failed");
	fflush(stdout);
}

int main(void)
{
	const struct rlimit small = { 512 << 10, 512 << 10 };
	size_t bytes = 132u << 10; /* the least that the kernel allows of both is 128 KiB */

	setenv("PATH", "/usr/bin", 1);
	setrlimit(RLIMIT_STACK, &small);
	for (pad(bytes); !fits(); pad(bytes -= STEP))
		if (bytes <= STEP)
			return 77;
	for (int way = 0; way < 6; way++) {
		pid_t pid = fork();

		if (pid == 0) {
			by_exec(way);
			perror("exec");
			_exit(1);
		}
		printf("%d: %d\n", way, ended(pid));
		fflush(stdout);
	}
	by_spawn(false);
	by_spawn(true);
	return 0;
}
