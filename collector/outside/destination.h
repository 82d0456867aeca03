/* SPDX-License-Identifier: MIT */
/*
 * destination.h - where the trace of a process that is gone is made: where it would have made it
 * itself, or in the working directory.
 */
#pragma once

#include <stdbool.h>

struct session;

/*
 * Sees to it that path_create() makes the trace of this copy of a session in a folder that is
 * there, can be written to, and is this user's or root's: else its facts say nothing of a place any
 * more.  False if so.
 */
bool destination_decide(struct session *session);
