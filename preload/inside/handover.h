/* SPDX-License-Identifier: MIT */
/*
 * handover.h - in the traced process: hands the session over to a collector outside.
 *
 * Called by the thread that starts the session.  Moves the session into memory of its own.
 */
#pragma once

#include <stdbool.h>

struct session;

/* True if a collector outside has taken the session on; else, if the user wants to know, a line
 * says why not. */
bool handover_join(const struct session *session);
