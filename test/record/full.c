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
	       strcmp(entry, "ASAN_OPTIONS=verify_asan_link_order=0") == 0 ||
	       strncmp(entry, "LD_LIBRARY_PATH=", 16) == 0 ||
	       strncmp(entry, "INTEL_LIBITTNOTIFY64=", 21) == 0 ||
	       strncmp(entry, "NVTX_INJECTION64_PATH=", 22) == 0;
}

/* As it is alone: record puts something in front of the program's own. */
static char *own(char *entry)
{
	static const char front[] = "ASAN_OPTIONS=verify_asan_link_order=0:";
	static char text[256] = "ASAN_OPTIONS=";

	if (strncmp(entry, front, sizeof(front) - 1) != 0)
		return entry;
	return strncpy(text + 13, entry + sizeof(front) - 1, sizeof(text) - 14) - 13;
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
		if (!is_records(own(*entry)))
			bare[n_bare++] = own(*entry);
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

/* Pages of address space. */
static long pages(void)
{
	FILE *in = fopen("/proc/self/statm", "r");
	long n = -1;

	if (!in || fscanf(in, "%ld", &n) != 1)
		n = -1;
	fclose(in);
	return n;
}

/* What children by vfork() leave behind is not more with each. */
static void by_vfork(void)
{
	long before = 0;

	for (int i = 0; i < 40; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			execve("/usr/bin/true", loud, all);
			_exit(1);
		}
		if (ended(pid))
			puts("it failed");
		if (i == 3)
			before = pages();
	}
	printf("%ld pages more\n", pages() - before);
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
	by_vfork();
	return 0;
}
