/* SPDX-License-Identifier: MIT */
/* programs.c - finds files' paths, and the libraries that are in memory, by /proc. */
#include "preload/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/session/environment.h"
#include "collector/session/launched.h"
#include "collector/session/proc.h"
#include "collector/session/runtime_libraries.h"

static struct {
	struct launched *board;
	char path[64]; /* of its memory */
	ino_t inode;
} here;

/* Before the program: it may close all descriptors, or go where that path leads nowhere. */
__attribute__((constructor)) static void programs_join(int argc, char **argv, char **env)
{
	const char *launched, *path;
	struct stat st;

	(void)argc;
	(void)argv;
	options_note(env);
	launched = options_variable(LAUNCHED_VARIABLE);
	path = launched ? strchr(launched, ' ') : NULL;
	if (!path)
		return;
	memccpy(here.path, path + 1, 0, sizeof(here.path) - 1);
	if (syscall(SYS_newfstatat, AT_FDCWD, here.path, &st, 0) == 0)
		here.inode = st.st_ino;
	here.board = launched_map_by(launched);
}

struct launched *programs_board(void)
{
	return here.board;
}

static struct launched_program *next_program(void)
{
	uint32_t i = atomic_fetch_add(&here.board->n_programs, 1) % LAUNCHED_PROGRAMS;
	struct launched_program *program = &here.board->program[i];

	atomic_store(&program->flags, 0);
	program->runtime[0] = 0;
	return program;
}

/* Where a link of /proc leads, into out[room]; how long that is. */
static size_t read_link(const char *link, char *out, size_t room)
{
	long n = syscall(SYS_readlinkat, AT_FDCWD, link, out, room - 1);

	out[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

/* Whether what record holds cannot be found from here: its process is none of ours.  That it may
 * not be looked at, as another user's, is another matter. */
static bool is_apart(void)
{
	struct stat st;

	if (fstatat(AT_FDCWD, here.path, &st, 0) < 0)
		return errno == ENOENT || errno == ESRCH;
	return st.st_ino != here.inode;
}

/* The path of a file, "" if it is too long. */
static void program_put_path(struct launched_program *program, int directory, const char *path)
{
	const size_t room = sizeof(program->path);
	char link[40];
	size_t n = 0;

	while (strncmp(path, "./", 2) == 0)
		path += 2;
	if (!*path || (*path != '/' && directory != AT_FDCWD)) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", directory);
		n = read_link(link, program->path, room);
	} else if (*path != '/') {
		n = read_link("/proc/self/cwd", program->path, room);
	}
	if (n + 1 + strlen(path) + 1 > room) {
		program->path[0] = 0;
		return;
	}
	if (n && *path)
		program->path[n++] = '/';
	strcpy(program->path + n, path);
}

void programs_note(int directory, const char *path, bool ours)
{
	struct launched_program *program;
	uint32_t flags = LAUNCHED_EXECUTED;
	int saved = errno;

	if (!here.board || !path)
		return;
	program = next_program();
	program_put_path(program, directory, path);
	if (!ours)
		flags |= LAUNCHED_BARE;
	else if (is_apart())
		flags |= LAUNCHED_APART;
	atomic_store(&program->flags, flags);
	errno = saved;
}

void programs_note_unrecorded(enum launched_why why, int more)
{
	if (here.board)
		atomic_fetch_add(&here.board->n_unrecorded[why], (uint32_t)more);
}

/* By what the kernel says: the loader's list has a lock, which a thread that loads a library may
 * have. */
void programs_runtime(char *out, size_t room)
{
	static struct proc_lines maps;

	out[0] = 0;
	if (!proc_lines_open(&maps, "/proc/self/maps"))
		return;
	while (!out[0] && proc_lines_next(&maps)) {
		const char *file = strrchr(maps.line, '/');

		if (file && runtime_library(file + 1))
			snprintf(out, room, "%s", file + 1);
	}
	proc_lines_close(&maps);
}

void programs_note_end(void)
{
	struct launched_program *program;
	const char *tool = getenv("OMP_TOOL");
	uint32_t flags = LAUNCHED_ENDED;
	int saved = errno;

	if (!here.board)
		return;
	program = next_program();
	read_link("/proc/self/exe", program->path, sizeof(program->path));
	programs_runtime(program->runtime, sizeof(program->runtime));
	if (tool && strcmp(tool, "disabled") == 0)
		flags |= LAUNCHED_NO_TOOL;
	atomic_store(&program->flags, flags);
	errno = saved;
}
