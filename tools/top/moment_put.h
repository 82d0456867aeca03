/* SPDX-License-Identifier: MIT */
/* moment_put.h - what `tptrace top` prints: a screen, a line, or JSON (tptrace-top(1)). */
#pragma once

#include <stdio.h>
#include "tools/top/moment.h"

struct live_shown {
	int pid;
	uint64_t own_cpu_ns; /* of this command, for what is shown */
	int width, height;   /* of the screen */
};

/* No more lines than the screen has, and none longer. */
void live_screen(FILE *out, const struct live *live, const struct live_shown *shown);
void live_line(FILE *out, const struct live *live, const struct live_shown *shown);
void live_json(FILE *out, const struct live *live, const struct live_shown *shown);
