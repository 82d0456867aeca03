/* SPDX-License-Identifier: MIT */
/* offspring.c - finds a program's loader, and takes our names out of LD_PRELOAD. */
#include "preload/offspring.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/session/asked.h"
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

bool offspring_fails(const char *path)
{
	struct stat st;
	int saved = errno, error;

	if (!session_collector() || !session_may_open())
		return false;
	error = fstatat(AT_FDCWD, path, &st, 0) < 0 ? errno : 0;
	errno = saved;
	if (error) /* others may be a filter's of system calls */
		return error == ENOENT || error == ENOTDIR;
	return !S_ISREG(st.st_mode) || !(st.st_mode & 0111);
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

/*
 * A child by vfork() that becomes another program leaves its room to the thread that made it, whose
 * memory it has.  The next call there takes that back.
 */
enum use { USE_INHERITED, USE_BARE, USES };

static __thread struct room {
	char **at;
	size_t n_words;
	long pid; /* of who took it: as long as that is the caller, a handler interrupts its call */
} rooms[USES] __attribute__((tls_model("initial-exec")));

static char **room_take(enum use use, size_t n_words)
{
	struct room *room = &rooms[use];
	long pid = syscall(SYS_getpid);
	char **at = map_zeroed(n_words * sizeof(char *));

	if (room->at && room->pid == pid)
		return at;
	if (room->at)
		offspring_leave(room->at, room->n_words);
	*room = (struct room){ at, n_words, pid };
	return at;
}

char **offspring_room(size_t n_words)
{
	return room_take(USE_INHERITED, n_words);
}

void offspring_leave(char **room, size_t n_words)
{
	int saved = errno;

	for (int i = 0; i < USES; i++)
		if (rooms[i].at == room)
			rooms[i].at = NULL;
	munmap(room, n_words * sizeof(char *));
	errno = saved;
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

/* ---- what record puts there (tools/launch/shims.c) ---- */

static char directory[PATH_BYTES]; /* of our libraries; "": too long */

__attribute__((constructor)) static void note_directory(void)
{
	Dl_info own;
	const char *slash = dladdr(directory, &own) ? strrchr(own.dli_fname, '/') : NULL;

	if (slash && (size_t)(slash - own.dli_fname) < sizeof(directory))
		memcpy(directory, own.dli_fname, (size_t)(slash - own.dli_fname));
}

static bool is_records(const char *entry)
{
	const char *value = strchr(entry, '=');

	return strncmp(entry, "TPTRACE_", strlen("TPTRACE_")) == 0 ||
	       ((strncmp(entry, "INTEL_LIBITTNOTIFY64=", 21) == 0 ||
		 strncmp(entry, "NVTX_INJECTION64_PATH=", 22) == 0) &&
		preloads_has(value + 1, PROBE_FILE("itt")));
}

/* Where the program's own value begins, behind what record put in front of it; NULL: it did not. */
static const char *own_value(const char *entry)
{
	static const struct {
		const char *name, *value;
	} front[] = { { "ASAN_OPTIONS=", "verify_asan_link_order=0" },
		      { "LD_LIBRARY_PATH=", directory } };

	for (size_t i = 0; i < sizeof(front) / sizeof(front[0]); i++) {
		size_t name = strlen(front[i].name), value = strlen(front[i].value);
		const char *end = entry + name + value;

		if (value && strncmp(entry, front[i].name, name) == 0 &&
		    strncmp(entry + name, front[i].value, value) == 0 && (!*end || *end == ':'))
			return *end ? end + 1 : end;
	}
	return NULL;
}

/* Of such a value the program's own, with the name, at *text; NULL: it had none. */
static char *own_entry(const char *entry, const char *value, char **text)
{
	size_t name = (size_t)(strchr(entry, '=') + 1 - entry), bytes = strlen(value) + 1;
	char *own = *text;

	if (bytes == 1)
		return NULL;
	memcpy(own, entry, name);
	memcpy(own + name, value, bytes);
	*text += name + bytes;
	return own;
}

char **offspring_bare(char *const environment[], size_t *n_words)
{
	size_t n = words_of(environment, preloads_has_ours), bytes = 0;
	char **room, **to, *text;

	for (size_t i = 0; n && environment[i]; i++)
		bytes += own_value(environment[i]) ? strlen(environment[i]) + 1 : 0;
	*n_words = n + (bytes + sizeof(char *) - 1) / sizeof(char *);
	room = to = n ? room_take(USE_BARE, *n_words) : NULL;
	errno = E2BIG;
	if (!room)
		return NULL;
	programs_note_unrecorded(LAUNCHED_NO_ROOM, 1);
	offspring_environment(environment, room, PRELOADS_OTHERS);
	text = (char *)(room + n);
	for (char **from = room; *from; from++) {
		const char *value = own_value(*from);
		char *own = value ? own_entry(*from, value, &text) : *from;

		if (own && !is_records(own))
			*to++ = own;
	}
	*to = NULL;
	return room;
}

void offspring_end_bare(char **room, size_t n_words, int status)
{
	if (status) /* or it is not run at all */
		programs_note_unrecorded(LAUNCHED_NO_ROOM, -1);
	offspring_leave(room, n_words);
}
