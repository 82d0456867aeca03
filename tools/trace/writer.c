/* SPDX-License-Identifier: MIT */
/* writer.c - looks through the descriptors of a process. */
#include "tools/trace/writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* `flags:` of /proc/PID/fdinfo/FD is in octal. */
static bool is_writable(int pid, const char *number)
{
	char path[64], line[64];
	unsigned flags = O_RDONLY;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.20s", pid, number);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "flags: %o", &flags) == 1)
			break;
	if (file)
		fclose(file);
	return (flags & O_ACCMODE) != O_RDONLY;
}

/* Whether process `pid` has the file of `fd` open for writing. */
static bool has_open(int fd, int pid)
{
	char path[32];
	struct stat own, st;
	struct dirent *entry;
	bool found = false;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	if (pid <= 0 || fstat(fd, &own) < 0 || !(folder = opendir(path)))
		return false;
	while (!found && (entry = readdir(folder)))
		found = fstatat(dirfd(folder), entry->d_name, &st, 0) == 0 && S_ISREG(st.st_mode) &&
			st.st_dev == own.st_dev && st.st_ino == own.st_ino &&
			is_writable(pid, entry->d_name);
	closedir(folder);
	return found;
}

int writer_of(const struct defs *defs, int fd)
{
	static const char *const key[] = { "collector", "pid" };

	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++) {
		const char *value = defs_meta(defs, key[i]);
		long pid = value ? strtol(value, NULL, 10) : 0;

		if (pid > 0 && pid <= INT_MAX && has_open(fd, (int)pid))
			return (int)pid;
	}
	return 0;
}
