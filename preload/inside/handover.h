/* SPDX-License-Identifier: MIT */
/*
 * handover.h - in the traced process: hands the session over to a collector outside.
 *
 * Called by the thread that starts the session.  Moves the session into memory of its own.
 */
#pragma once

/* 0: it is collected from outside.  -errno: it is not, and *doing says what failed. */
int outside_join(const char *name, const char **doing);
