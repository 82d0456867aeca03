/* SPDX-License-Identifier: MIT */
/*
 * output.h - where an export, a page or a picture goes: to a temporary name beside its own, which
 * it gets when it is whole; or to standard output.
 *
 * A file takes the place of one that is there; a folder only that of an empty one.  What is not
 * whole when SIGINT, SIGTERM or SIGHUP ends the command is removed; a thread sees to that, which is
 * begun with the first output.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "collector/trace/err.h"

struct output {
	const char *path;
	char *temporary; /* NULL: written where it stands, as a pipe or a device */
	FILE *file;	 /* NULL of a folder, and of what is written by its name */
	bool folder;
	uint64_t bytes;	     /* once it is there */
	struct output *next; /* of those that are not whole: it must not move */
};

/* "-" is standard output.  0, or -errno and *err.  *output is yours to output_discard(). */
int output_file(struct output *output, const char *path, struct err *err);
/* The same for what somebody else opens by the name output->temporary. */
int output_named(struct output *output, const char *path, struct err *err);
int output_folder(struct output *output, const char *path, struct err *err);
/* A file that must not be there yet, written where it stands: its descriptor, which is yours. */
int output_new(struct output *output, const char *path, struct err *err);

/* It is whole.  0, or -errno and *err. */
int output_keep(struct output *output, struct err *err);
/* Removes it unless it was kept; a zeroed one is fine. */
void output_discard(struct output *output);
/* Removes all that are not whole; none can be kept any more.  From any thread, before _exit(). */
void output_abandon(void);
