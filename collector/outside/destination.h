/* SPDX-License-Identifier: MIT */
/*
 * destination.h - where the trace of a process that is gone is made: where it would have made it
 * itself, or in the working directory.
 */
#pragma once

#include <stdbool.h>

struct session;

/* Whether path_create() would make the trace of this session in a folder that is there, can be
 * written to, and is this user's or root's. */
bool destination_fits(const struct session *session);

/* Whether that folder is the working directory; also of a trace that was begun. */
bool destination_is_here(const struct session *session);

/* From now on it makes that in the working directory: its process info names no place. */
void destination_here(struct session *session);
