/* SPDX-License-Identifier: MIT */
/*
 * virtual.h - a simulated run as a trace: the recorded events of each strand, where and when the
 * simulation had them run.  All commands read it.
 *
 * Times are ns from 0 on.  Names of tasks are made unique, as the simulation may have two alive
 * that the program had one after the other; a task that began by its name begins by its id.  Marks,
 * CPU times and what held the recorder are left out: they are of the recorded run.
 */
#pragma once

#include "tools/model/simulate.h"

struct reader;

struct virtual_run {
	const struct reader *reader;
	const struct dag *dag;
	const struct placed *placed; /* by strand: all of them have run, whole */
	uint32_t n_workers;
	const char *name_lines; /* sites as users know them, as definitions; "" */
	const char *policy;
};

/* Writes it to fd, which is closed.  `path` is for messages.  0, or -errno and *err. */
int virtual_write(const struct virtual_run *run, int fd, const char *path, struct err *err);
