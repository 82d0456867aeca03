/* SPDX-License-Identifier: MIT */
/*
 * device_lanes.h - what devices and I/O did, as slices: those of a lane follow each other, and are
 * all of one device.
 */
#pragma once

#include "tools/export/export.h"

struct operation {
	const struct dag_operation *its;
	uint32_t lane;
	strand_id waiter; /* of its task: goes on when it has ended; STRAND_NONE: nobody waited */
};

struct operations {
	struct operation *of; /* n, by lane and time */
	uint64_t n;
	uint32_t n_lanes;
};

/* Those in the selected time. */
void operations_find(struct operations *operations, const struct export *export);
void operations_free(struct operations *operations); /* a zeroed one is fine */

/* As the program calls it, and its device. */
const char *operation_name(const struct export *export, const struct operation *operation);
const char *operation_device(const struct export *export, const struct operation *operation);
