/* SPDX-License-Identifier: MIT */
/*
 * control.h - what the program itself says: by calls of tptrace.h, and by signals.
 */
#pragma once

#include "preload/export.h"
#include "preload/session.h"

/* When the session starts, before any worker: makes room for marks, and starts stopped if that is
 * asked for. */
void control_open(struct session *session);

/* tptrace.h; `what` is enum tptrace_what. */
void control_call(int what, const char *name) EXPORT_AS(control);
