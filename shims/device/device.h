/* SPDX-License-Identifier: MIT */
/*
 * device.h - what the wrappers of calls that wait for a device share.  These make no tasks: a task
 * that calls one is in `wait device` meanwhile, where the thread runs a strand (WORKER_INSIDE).
 * Else the call is passed on; so is what such a call calls itself.
 *
 * libomptarget's plug-in for the host runs a region's code on the thread that calls, and that code
 * may have parallel regions, which libomp tells of: so the task is closed (stay.h).  The first one
 * reopens it, and what follows in the call is the task's own.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "shims/common/next.h"
#include "shims/common/stay.h"
#include "shims/common/arguments.h"
#include "shims/device/device_functions.h"

typedef uintptr_t word; /* an argument, as it is passed */

enum device_whose { DEVICE_OF_TARGET, DEVICE_OF_OPENCL, DEVICE_OF_CUDA, DEVICE_OF_HIP };

struct device_function {
	const char *name;
	enum device_whose whose;
};

/* ---- device.c: off the hot path ---- */

/* Whether libomptarget has one.  Else it does nothing, and the program runs the region itself. */
bool device_is_there(const void *from) CALL_HIDDEN;

/* The site of a call of that function; 0: nothing is recorded. */
uint32_t device_site(const void *from, const struct device_function *function) CALL_HIDDEN;
