/* SPDX-License-Identifier: MIT */
/*
 * asked.h - which probes there are, and the variable that asks for each: record preloads
 * libtpprobe_NAME.so for it; where nobody did, the recorder loads it, if that is soon enough.
 */
#pragma once

#define ANNOTATIONS_VARIABLE "TPTRACE_ANNOTATIONS"
#define TIMER_VARIABLE "TPTRACE_TIMER" /* ns from one sample to the next */

#define PROBE_FILE(name) "libtpprobe_" name ".so"

/* P(variable, name, whether it must be preloaded: it takes the place of functions) */
#define PROBES_ASKED(P)                                                                            \
	P("TPTRACE_COUNTERS", "counters", false)                                                   \
	P("TPTRACE_CALLPATHS", "callpath", false)                                                  \
	P("TPTRACE_CALLS", "libcalls", true)                                                       \
	P("TPTRACE_SLOW", "slow", false)                                                           \
	P("TPTRACE_VIRTUAL", "virtual", true)                                                      \
	P(TIMER_VARIABLE, "timer", true)                                                           \
	P(ANNOTATIONS_VARIABLE, "itt", false)
