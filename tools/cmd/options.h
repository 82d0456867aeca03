/* SPDX-License-Identifier: MIT */
/* options.h - rows of options that several commands take. */
#pragma once

#include "tools/base/values.h"
#include "tools/cmd/command.h"
#include "tools/team/team.h"
#include "tools/whatif/speedup_curves.h"

/* Rows of a table of options; `verb` is what the command does with what is selected. */
#define OPTION_PHASE(verb)                                                                         \
	{                                                                                          \
		.name = "phase", .value = "NAME", .help = verb " only the phase of that name"      \
	}
#define OPTION_REGION(verb)                                                                        \
	{                                                                                          \
		.name = "region", .value = "NAME",                                                 \
		.help = verb " only the time in which a region of that name is open"               \
	}
#define OPTION_TIME(called, what)                                                                  \
	{                                                                                          \
		.name = called, .value = "TIME", .is = value_is_time,                              \
		.takes = "a number and s, ms, us or ns, like 1.5s", .help = what                   \
	}
#define OPTION_NUMBER(called, what)                                                                \
	{                                                                                          \
		.name = called, .value = "N", .is = value_is_number, .takes = "a number",          \
		.help = what                                                                       \
	}

/* Of commands that read traces with a team (team.h). */
#define TEAM_OPTION                                                                                \
	{                                                                                          \
		.letter = 'j', .name = "jobs", .value = "N", .is = team_is_size,                   \
		.takes = "a number from 1 to 1024",                                                \
		.help = "use N CPUs, for N traces at once or for one (all; under mpirun, 1 "       \
			"on each rank)",                                                           \
	}
#define TEAM_VARIABLE                                                                              \
	{                                                                                          \
		.variable = SEAT_VARIABLE, .value = "on|off",                                      \
		.help = "whether the ranks of mpirun share the work (if mpirun itself starts "     \
			"tptrace)",                                                                \
	}

/* Rows of a command's options; OF opens the help. */
#define SPEEDUP_SIMULATE(OF)                                                                       \
	{                                                                                          \
		.name = "simulate", .value = "P,..", .is = speedup_are_widths,                     \
		.takes = "numbers of workers, like 1,2,4,..,64",                                   \
		.help = OF "the run simulated on these numbers of workers: 1,2,4,..,64"            \
	}
#define SPEEDUP_PREDICT_FROM(OF)                                                                   \
	{                                                                                          \
		.name = "predict-from", .value = "FILE,..",                                        \
		.help = OF "what these runs of this and other sizes predict "                      \
			   "(record --param n=..): traces, or a directory of them"                 \
	}
