/* SPDX-License-Identifier: MIT */
/* refused.h - why the kernel gives no samples, and who can permit them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What it depends on, beside the error. */
struct refused_by {
	int paranoid;	    /* kernel.perf_event_paranoid; -1: there is no such file */
	bool filters_calls; /* a seccomp filter is on this process, as in a container */
};

struct refused_by refused_look(void); /* at this process and its system */

/* One line for -error of perf_event_open(). */
void refused_say(char *text, size_t bytes, int error, struct refused_by by);
