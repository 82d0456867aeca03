/* SPDX-License-Identifier: MIT */
/*
 * adopted.h - the processes below record that outlive its command, as /proc shows them.
 *
 * record is a child subreaper (prctl(2)): what its command leaves behind becomes its own.  One
 * thread.  Without /proc there are none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct adopted {
	uint32_t n, n_runtime; /* processes; those with a task runtime in memory */
	pid_t pid;	       /* one of these, or of all */
	char name[16];	       /* its */
	bool moves;	       /* since the look before, some process came, went or ran */
	uint64_t seen;	       /* what the next look compares */
};

/* Those below this process now, but for the child `except` and what is below that. */
void adopted_look(struct adopted *adopted, pid_t except);
