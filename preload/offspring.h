/* SPDX-License-Identifier: MIT */
/*
 * offspring.h - what a program that this one starts inherits of LD_PRELOAD.
 *
 * The loaders of musl and of other machines cannot load what is preloaded here: the first ends the
 * program, the others print a line for each library.  Such a program gets an environment without
 * ours.  What it starts then is not recorded, either.  Where the program has put libraries of ours
 * in front of those that record preloads, each wrapper would be there twice: then it gets the
 * first of them.
 *
 * Called by the wrappers of execve(), posix_spawn() and so on (shims/common/exits.c): by any
 * thread, signal handlers and children of vfork() too.  errno is kept.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "collector/session/exported.h"
#include "collector/session/preloads.h"

/* Whether execve() fails for sure: there is no such file, or nobody may run it. */
bool offspring_fails(const char *path) EXPORT_AS(offspring_fails);

/*
 * Words of room that offspring_environment() needs, and what it is to keep; 0 if the program, a
 * script's interpreter as well, may have the environment as it is.  `directory` and `path` as
 * openat() takes them; an empty path is the descriptor itself.
 */
size_t offspring_words(int directory, const char *path, char *const environment[],
		       enum preloads_kept *kept) EXPORT_AS(offspring_words);

/* Likewise of what execvp() finds by that name. */
size_t offspring_words_by_name(const char *name, char *const environment[],
			       enum preloads_kept *kept) EXPORT_AS(offspring_words_by_name);

/* So many words for it, for who has little stack: NULL if there is no memory.  Where the program is
 * another one then, nobody leaves them: in a child by vfork() the next call of the thread does. */
char **offspring_room(size_t n_words) EXPORT_AS(offspring_room);
void offspring_leave(char **room, size_t n_words) EXPORT_AS(offspring_leave);

/* The environment with what is kept of LD_PRELOAD, in that room and in strings of the old one. */
char *const *offspring_environment(char *const environment[], char **room, enum preloads_kept kept)
	EXPORT_AS(offspring_environment);

/*
 * After E2BIG: the environment without all that record put there, in room for *n_words that
 * offspring_end_bare() takes, with the status that the call then returns; a program that just fits
 * alone runs, unrecorded, which is counted.  NULL if nothing of it is there, or no memory; errno is
 * E2BIG.
 */
char **offspring_bare(char *const environment[], size_t *n_words) EXPORT_AS(offspring_bare);
void offspring_end_bare(char **room, size_t n_words, int status) EXPORT_AS(offspring_end_bare);
