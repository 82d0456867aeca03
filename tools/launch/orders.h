/* SPDX-License-Identifier: MIT */
/* orders.h - what `tptrace start`, `stop` and `snapshot` ask of a traced process. */
#pragma once

#include <limits.h>
#include "collector/trace/err.h"

#define ORDERS_ANSWER (2 * PATH_MAX + 16)

/* Waits for the answer: "ok", or "ok " and what it says.  0, or -errno and *err. */
int orders_ask(const char *order, int pid, char answer[ORDERS_ANSWER], struct err *err);
