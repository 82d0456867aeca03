/* SPDX-License-Identifier: MIT */
/* control.h - what `tptrace start`, `stop` and `snapshot` ask of a traced process. */
#pragma once

#include <limits.h>
#include "collector/trace/err.h"

#define CONTROL_ANSWER (2 * PATH_MAX + 16)

/* Waits for the answer: "ok", or "ok " and what it says.  0, or -errno and *err. */
int control_ask(const char *order, int pid, char answer[CONTROL_ANSWER], struct err *err);
