/* SPDX-License-Identifier: MIT */
/*
 * peak.c - runs a program and then prints "peak_kib N", the most memory that it had at a time.
 *
 * The peak is wait4's ru_maxrss, which includes the process before it became the program:
 * so it has to be started by something as small as this.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 2)
		return 2;
	pid = fork();
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return 1;
	printf("peak_kib %ld\n", usage.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
