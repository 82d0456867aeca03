/* SPDX-License-Identifier: MIT */
/*
 * control.h - what the program itself says: by calls of tptrace.h, and by signals.
 */
#pragma once

#include "collector/session/exported.h"

/* tptrace.h; `what` is enum tptrace_what. */
void control_call(int what, const char *name) EXPORT_AS(control);
