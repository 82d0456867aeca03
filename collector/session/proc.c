/* SPDX-License-Identifier: MIT */
/* proc.c - reads files piece by piece, and folders. */
#include "collector/session/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRIES_BYTES 2048u

static int file_open(const char *path, int how)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, how | O_RDONLY | O_CLOEXEC);
}

static size_t file_read(int fd, char *out, size_t room)
{
	ssize_t n;

	do
		n = syscall(SYS_read, fd, out, room);
	while (n < 0 && errno == EINTR);
	return n > 0 ? (size_t)n : 0;
}

bool proc_text(const char *path, char *out, size_t room)
{
	int saved = errno, fd = file_open(path, 0);
	size_t n = fd < 0 ? 0 : file_read(fd, out, room - 1);

	if (fd >= 0)
		syscall(SYS_close, fd);
	out[n] = 0;
	errno = saved;
	return n > 0;
}

static char *put_number(char *to, pid_t number)
{
	pid_t unit = 1;

	while (number / unit >= 10)
		unit *= 10;
	for (; unit; unit /= 10)
		*to++ = (char)('0' + number / unit % 10);
	return to;
}

bool proc_text_of(pid_t pid, pid_t thread, const char *file, char *out, size_t room)
{
	char path[64], *at = stpcpy(path, "/proc/");

	at = pid ? put_number(at, pid) : stpcpy(at, "self");
	if (thread)
		at = put_number(stpcpy(at, "/task/"), thread);
	*at++ = '/';
	strcpy(at, file);
	return proc_text(path, out, room);
}

/* ---- lines ---- */

bool proc_lines_open(struct proc_lines *lines, const char *path)
{
	lines->fd = file_open(path, 0);
	lines->at = lines->n = 0;
	return lines->fd >= 0;
}

bool proc_lines_next(struct proc_lines *lines)
{
	size_t bytes = 0;
	bool any = false;

	for (;; lines->at++) {
		if (lines->at == lines->n) {
			lines->n = file_read(lines->fd, lines->piece, sizeof(lines->piece));
			lines->at = 0;
			if (!lines->n)
				break;
		}
		any = true;
		if (lines->piece[lines->at] == '\n') {
			lines->at++;
			break;
		}
		if (bytes + 1 < sizeof(lines->line))
			lines->line[bytes++] = lines->piece[lines->at];
	}
	lines->line[bytes] = 0;
	return any;
}

void proc_lines_close(struct proc_lines *lines)
{
	syscall(SYS_close, lines->fd);
}

/* ---- folders ---- */

struct entry { /* the kernel's struct linux_dirent64 */
	uint64_t inode, offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

bool proc_numbers(const char *folder, bool (*each)(void *arg, uint32_t number), void *arg)
{
	_Alignas(struct entry) char entries[ENTRIES_BYTES];
	int fd = file_open(folder, O_DIRECTORY);
	long bytes = fd < 0 ? -1 : 1;

	while (bytes > 0 && (bytes = syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
		for (long at = 0; at < bytes;) {
			const struct entry *entry = (const void *)(entries + at);
			uint32_t number = (uint32_t)strtoul(entry->name, NULL, 10);

			at += entry->bytes;
			if (number && !each(arg, number))
				bytes = -1;
		}
	if (fd >= 0)
		syscall(SYS_close, fd);
	return bytes == 0;
}

/* ---- /proc/PID/stat ---- */

bool procstat_read(struct procstat *stat, pid_t pid, pid_t thread)
{
	return proc_text_of(pid, thread, "stat", stat->text, sizeof(stat->text));
}

const char *procstat_field(const struct procstat *stat, enum procstat_field field)
{
	/* the second field is the name, which may have blanks and brackets */
	const char *at = strrchr(stat->text, ')');

	for (int number = 2; at && number < (int)field; number++)
		at = strchr(at + 1, ' ');
	return at ? at + 1 : NULL;
}
