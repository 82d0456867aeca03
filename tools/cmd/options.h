/* SPDX-License-Identifier: MIT */
/* options.h - rows of options that several commands take; each has a `struct request`. */
#pragma once

#include "tools/analysis/phases.h"
#include "tools/base/pager.h"
#include "tools/base/threads.h"
#include "tools/base/values.h"
#include "tools/cmd/command.h"
#include "tools/team/team.h"
#include "tools/whatif/worker_list.h"

/* Where a value goes, and as what: AS_KIND. */
#define INTO(KIND, member) .as = AS_##KIND, .at = offsetof(struct request, member)

#define OPTION_NUMBER(called, KIND, member, what)                                                  \
	{                                                                                          \
		.name = called, .value = "N", .is = value_is_number, .takes = "a number",          \
		INTO(KIND, member), .help = what                                                   \
	}
#define OPTION_JSON(member)                                                                        \
	{                                                                                          \
		.name = "json", INTO(FLAG, member),                                                \
		.help = "print all figures as one line of JSON"                                    \
	}
#define OPTION_THRESHOLD(member, what)                                                             \
	{                                                                                          \
		.name = "threshold", .value = "PERCENT", .is = value_is_percent,                   \
		.takes = "a percentage like 5", INTO(REAL, member), .help = what                   \
	}
#define OPTION_COLOR(member)                                                                       \
	{                                                                                          \
		.name = "color", .value = "auto|always|never", INTO(BOLD, member),                 \
		.help = "print bold text and colours; auto: on a terminal, unless NO_COLOR is set" \
	}

/* What is selected, into a struct phases_wanted; `verb` is what the command does with it. */
#define OPTIONS_PART(verb, wanted)                                                                 \
	{ .name = "phase",                                                                         \
	  .value = "NAME",                                                                         \
	  INTO(TEXT, wanted.phase),                                                                \
	  .help = verb " only the phase of that name" },                                           \
	{                                                                                          \
		.name = "region", .value = "NAME", INTO(TEXT, wanted.region),                      \
		.help = verb " only the time in which a region of that name is open"               \
	}
#define OPTION_TIME(called, member, what)                                                          \
	{                                                                                          \
		.name = called, .value = "TIME", .is = value_is_time,                              \
		.takes = "a number and s, ms, us or ns, like 1.5s", INTO(TIME, member),            \
		.help = what                                                                       \
	}
#define OPTIONS_TIMES(only, wanted)                                                                \
	OPTION_TIME("from", wanted.from_ns, only " from that time on: 1.5s, 20ms, 300us"),         \
		OPTION_TIME("until", wanted.to_ns, only " up to that time")
#define OPTION_TO(wanted) OPTION_TIME("to", wanted.to_ns, "the same as --until")

static inline bool selection_is_part(const struct phases_wanted *wanted)
{
	return wanted->phase || wanted->region || wanted->from_ns || wanted->to_ns < UINT64_MAX;
}

/* Of commands that read traces with a team (team.h). */
#define OPTION_JOBS(member)                                                                        \
	{                                                                                          \
		.letter = 'j', .name = "jobs", .value = "N", .least = 1, .most = THREADS_MOST,     \
		.takes = "a number from 1 to 1024", INTO(NUMBER, member),                          \
		.help = "use N CPUs, for N traces at once or for one (all; under mpirun, 1 "       \
			"on each rank)",                                                           \
	}
#define VARIABLE_RANKS                                                                             \
	{                                                                                          \
		.variable = SEAT_VARIABLE, .value = "on|off",                                      \
		.help = "whether the ranks of mpirun share the work (if mpirun itself starts "     \
			"tptrace)",                                                                \
	}
#define VARIABLE_DEBUG_PATH                                                                        \
	{                                                                                          \
		.variable = "TPTRACE_DEBUG_PATH", .value = "DIRECTORY:..",                         \
		.help = "look for separate debug files there, and in /usr/lib/debug",              \
	}

#define VARIABLE_PAGER                                                                             \
	{                                                                                          \
		.variable = PAGER_VARIABLE, .value = "COMMAND",                                    \
		.help = "shows what is taller than the terminal ($PAGER, or less); empty: nothing" \
	}

/* Numbers of workers. */
#define OPTION_WORKERS(called, member, what)                                                       \
	{                                                                                          \
		.name = called, .value = "P,..", .is = widths_are,                                 \
		.takes = "numbers of workers, like 1,2,4,..,64", INTO(TEXT, member), .help = what  \
	}
/* Into a struct speedups_wanted; `only` opens the help. */
#define OPTIONS_SPEEDUPS(only, wanted)                                                             \
	OPTION_WORKERS("simulate", wanted.simulate,                                                \
		       only "the run simulated on these numbers of workers: 1,2,4,..,64"),         \
	{                                                                                          \
		.name = "predict-from", .value = "FILE,..", INTO(TEXT, wanted.predict_from),       \
		.help = only "what these runs of this and other sizes predict "                    \
			     "(record --param n=..): traces, or a directory of them"               \
	}
