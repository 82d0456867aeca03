/* SPDX-License-Identifier: MIT */
/* spawns.c - spawns a script without an interpreter. */
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *,
		     const posix_spawnattr_t *, char *const[], char *const[]);

static void run(spawn_fn *spawn)
{
	char *argv[] = { "./script", NULL };
	pid_t pid;
	int status = 0, error = spawn(&pid, argv[0], NULL, NULL, argv, environ);

	if (!error)
		waitpid(pid, &status, 0);
	printf("%s, status %d\n", strerror(error), status);
	fflush(stdout);
}

int main(void)
{
	FILE *out = fopen("script", "w");

	if (!out || fputs("echo by sh\n", out) < 0 || fclose(out) || chmod("script", 0755))
		return 1;
	run(posix_spawn);
	run(posix_spawnp);
	return 0;
}
