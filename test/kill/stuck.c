/* SPDX-License-Identifier: MIT */
/*
 * stuck.c - preloaded: whoever would go on with a trace inside the program finds its file system
 * gone, and stays in open(2) for good.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* `tptrace` itself has it, too: there the name of the first thread is that of the program. */
static int is_successor(void)
{
	char name[16] = "";

	prctl(PR_GET_NAME, name);
	return strcmp(name, "tptrace") == 0 && syscall(SYS_gettid) != getpid() &&
	       strncmp(program_invocation_short_name, "tptrace", 7) != 0;
}

int open(const char *path, int flags, ...)
{
	size_t bytes = strlen(path);
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	while (bytes > 4 && strcmp(path + bytes - 4, ".tpt") == 0 && is_successor())
		pause();
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
