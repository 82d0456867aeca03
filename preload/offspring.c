/* SPDX-License-Identifier: MIT */
/* offspring.c - finds a program's loader, and takes our names out of LD_PRELOAD. */
#include "preload/offspring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/session/launched.h"
#include "preload/programs.h"
#include "preload/session.h"
#include "preload/budget.h"
#include "collector/session/loader.h"

#define VARIABLE "LD_PRELOAD="
#define VARIABLE_BYTES (sizeof(VARIABLE) - 1)
#define PATH_BYTES 1024u  /* a longer one is left as it is: tasks may have little stack */
#define SCRIPT_BYTES 256u /* the kernel reads so much of a script's first line */
#define SCRIPTS 5u	  /* .. and follows so many, one the interpreter of the other */

static bool is_preload(const char *entry)
{
	return strncmp(entry, VARIABLE, VARIABLE_BYTES) == 0;
}

/* Words for all entries, the NULL, and the text of a shorter LD_PRELOAD; 0 if none `has`. */
static size_t words_of(char *const environment[], bool (*has)(const char *list))
{
	size_t n = 0, bytes = 0;
	bool any = false;

	for (; environment && environment[n]; n++) {
		if (!is_preload(environment[n]))
			continue;
		any |= has(environment[n] + VARIABLE_BYTES);
		bytes += strlen(environment[n]) + 1;
	}
	return any ? n + 1 + (bytes + sizeof(char *) - 1) / sizeof(char *) : 0;
}

/*
 * The file to read from, or -1.  A FIFO would wait for its writer, and a device may do anything.
 * Bare calls: open(), pread() and close() are points where a thread may be cancelled, starting a
 * program is not.
 */
static int open_file(int directory, const char *path)
{
	struct stat st;

	if (fstatat(directory, path, &st, *path ? 0 : AT_EMPTY_PATH) < 0 || !S_ISREG(st.st_mode))
		return -1;
	if (!*path)
		return fcntl(directory, F_DUPFD_CLOEXEC, 0);
	return (int)syscall(SYS_openat, directory, path, O_RDONLY | O_CLOEXEC);
}

/* The path in a script's first line; false if there is none. */
static bool read_script(int fd, char *line, size_t room)
{
	ssize_t n = syscall(SYS_pread64, fd, line, room - 1, 0);
	size_t begin = 2, bytes;

	line[n > 0 ? n : 0] = 0;
	if (line[0] != '#' || line[1] != '!')
		return false;
	begin += strspn(line + begin, " \t");
	bytes = strcspn(line + begin, " \t\n");
	memmove(line, line + begin, bytes);
	line[bytes] = 0;
	return bytes != 0;
}

/* Whether that program's loader has no use for our libraries. */
static bool is_spoilt(int directory, const char *path)
{
	char line[SCRIPT_BYTES + 1];
	enum loader loader = LOADER_FITS;

	for (unsigned i = 0; i <= SCRIPTS; i++) {
		int fd = open_file(directory, path);
		bool script;

		if (fd < 0)
			return false;
		script = read_script(fd, line, sizeof(line));
		loader = script ? LOADER_FITS : loader_of(fd);
		syscall(SYS_close, fd);
		if (!script)
			break;
		directory = AT_FDCWD;
		path = line;
	}
	return loader == LOADER_MUSL || loader == LOADER_FOREIGN;
}

size_t offspring_words(int directory, const char *path, char *const environment[],
		       enum preloads_kept *kept)
{
	int saved = errno;
	size_t n = path ? words_of(environment, preloads_has_ours) : 0;

	*kept = PRELOADS_OTHERS;
	programs_note(directory, path, n != 0);
	if (n && !(session_may_open() && is_spoilt(directory, path))) {
		*kept = PRELOADS_ONCE;
		n = words_of(environment, preloads_has_twice);
	}
	errno = saved;
	return n;
}

/* The first file of that name in PATH which can be run. */
static bool find_program(const char *name, char *out, size_t room)
{
	const char *path = getenv("PATH");
	struct stat st;

	for (path = path ? path : "/bin:/usr/bin";; path++) {
		size_t n = strcspn(path, ":"), bytes = strlen(name);

		if (n + bytes + 2 > room)
			return false;
		memcpy(out, path, n);
		out[n] = '/';
		memcpy(out + n + (n != 0), name, bytes + 1); /* nothing is the working directory */
		if (access(out, X_OK) == 0 && stat(out, &st) == 0 && S_ISREG(st.st_mode))
			return true;
		path += n;
		if (!*path)
			return false;
	}
}

size_t offspring_words_by_name(const char *name, char *const environment[],
			       enum preloads_kept *kept)
{
	int saved = errno;
	char path[PATH_BYTES];
	size_t n = 0;

	if (name && strchr(name, '/'))
		return offspring_words(AT_FDCWD, name, environment, kept);
	if (name && (programs_board() || words_of(environment, preloads_has_ours)) &&
	    find_program(name, path, sizeof(path)))
		n = offspring_words(AT_FDCWD, path, environment, kept);
	errno = saved;
	return n;
}

char **offspring_room(size_t n_words)
{
	return map_zeroed(n_words * sizeof(char *));
}

void offspring_leave(char **room, size_t n_words)
{
	int saved = errno;

	munmap(room, n_words * sizeof(char *));
	errno = saved;
}

/* What record puts there beside LD_PRELOAD (tools/launch/shims.c). */
static bool is_records(const char *entry)
{
	return strncmp(entry, "TPTRACE_", strlen("TPTRACE_")) == 0 ||
	       strcmp(entry, "ASAN_OPTIONS=verify_asan_link_order=0") == 0;
}

char *const *offspring_environment(char *const environment[], char **room, enum preloads_kept kept)
{
	char **entry = room, *text;
	size_t n = 0;

	while (environment[n])
		n++;
	text = (char *)(room + n + 1);
	for (size_t i = 0; i < n; i++) {
		char *own = text;

		if (!is_preload(environment[i])) {
			*entry++ = environment[i];
			continue;
		}
		memcpy(own, VARIABLE, VARIABLE_BYTES);
		text = preloads_copy(own + VARIABLE_BYTES, environment[i] + VARIABLE_BYTES, kept);
		if (text == own + VARIABLE_BYTES) {
			text = own; /* nobody else's: no such variable */
			continue;
		}
		*text++ = 0;
		*entry++ = own;
	}
	*entry = NULL;
	return room;
}

char **offspring_bare(char *const environment[], size_t *n_words)
{
	char **room, **to;

	*n_words = words_of(environment, preloads_has_ours);
	room = to = *n_words ? offspring_room(*n_words) : NULL;
	errno = E2BIG;
	if (!room)
		return NULL;
	programs_note_unrecorded(LAUNCHED_NO_ROOM, 1);
	offspring_environment(environment, room, PRELOADS_OTHERS);
	for (char **from = room; *from; from++)
		if (!is_records(*from))
			*to++ = *from;
	*to = NULL;
	return room;
}

void offspring_end_bare(char **room, size_t n_words, int status)
{
	if (status) /* or it is not run at all */
		programs_note_unrecorded(LAUNCHED_NO_ROOM, -1);
	offspring_leave(room, n_words);
}
