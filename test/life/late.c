/* SPDX-License-Identifier: MIT */
/*
 * late.c - preloaded behind a shim: a machine with so much to do that $LATE_MS ms pass between the
 * end of the trace and that of the program, in exec or exit.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void be_late(void)
{
	const char *text = getenv("LATE_MS");

	usleep(text ? (useconds_t)atoi(text) * 1000 : 0);
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	be_late();
	return ((int (*)(const char *, char *const[], char *const[]))dlsym(RTLD_NEXT, "execve"))(
		path, argv, envp);
}

int execv(const char *path, char *const argv[])
{
	be_late();
	return ((int (*)(const char *, char *const[]))dlsym(RTLD_NEXT, "execv"))(path, argv);
}

__attribute__((destructor)) static void ends(void)
{
	be_late();
}
