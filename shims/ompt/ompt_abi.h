/* SPDX-License-Identifier: MIT */
/*
 * ompt_abi.h - the part of OpenMP's tool interface (OMPT) that is used.  [OpenMP 5.2, 19]
 *
 * Our own declarations, so that the shim builds where no omp-tools.h is installed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A word of a task, team or thread that belongs to the tool; 0 when it is announced. */
union ompt_data {
	uint64_t value;
	void *pointer;
};

typedef void (*ompt_callback)(void);
typedef ompt_callback (*ompt_lookup)(const char *name);

struct ompt_start {
	int (*initialize)(ompt_lookup lookup, int device, union ompt_data *tool);
	void (*finalize)(union ompt_data *tool);
	union ompt_data tool;
};

typedef struct ompt_start *(*ompt_start_fn)(unsigned version, const char *runtime);
typedef int (*ompt_set_fn)(int event, ompt_callback callback);
typedef int (*ompt_get_fn)(int event, ompt_callback *callback);

struct ompt_depend {
	union ompt_data variable;
	int type;
};

enum ompt_event {
	OMPT_THREAD_BEGIN = 1,
	OMPT_THREAD_END = 2,
	OMPT_PARALLEL_BEGIN = 3,
	OMPT_PARALLEL_END = 4,
	OMPT_TASK_CREATE = 5,
	OMPT_TASK_SCHEDULE = 6,
	OMPT_IMPLICIT_TASK = 7,
	OMPT_TARGET = 8,
	OMPT_SYNC_REGION_WAIT = 16,
	OMPT_MUTEX_RELEASED = 17,
	OMPT_DEPENDENCES = 18,
	OMPT_TASK_DEPENDENCE = 19,
	OMPT_WORK = 20,
	OMPT_MASKED = 21,
	OMPT_SYNC_REGION = 23,
	OMPT_MUTEX_ACQUIRE = 26,
	OMPT_MUTEX_ACQUIRED = 27,
	OMPT_NEST_LOCK = 28,
	OMPT_FLUSH = 29,
	OMPT_CANCEL = 30,
	OMPT_REDUCTION = 31,
	OMPT_DISPATCH = 32,
	OMPT_TARGET_EMI = 33,
	OMPT_TARGET_SUBMIT_EMI = 35,
	OMPT_EVENTS = 64
};

enum ompt_set_result { OMPT_SET_NEVER = 1, OMPT_SET_ALWAYS = 5 };

enum ompt_endpoint { OMPT_SCOPE_BEGIN = 1, OMPT_SCOPE_END = 2 };

#define OMPT_TASK_INITIAL 0x1
#define OMPT_TASK_TASKWAIT 0x10 /* no task: a wait for dependences */
#define OMPT_TASK_UNDEFERRED 0x08000000
#define OMPT_TASK_UNTIED 0x10000000
#define OMPT_TASK_FINAL 0x20000000

enum ompt_task_status {
	OMPT_TASK_COMPLETE = 1,
	OMPT_TASK_YIELD = 2,
	OMPT_TASK_CANCEL = 3,
	OMPT_TASK_DETACH = 4,
	OMPT_TASK_EARLY_FULFILL = 5,
	OMPT_TASK_LATE_FULFILL = 6,
	OMPT_TASK_SWITCH = 7,
	OMPT_TASKWAIT_COMPLETE = 8
};

enum ompt_sync {
	OMPT_SYNC_IMPLICIT = 2, /* LLVM up to 18: of a worksharing construct, or of the region */
	OMPT_SYNC_TASKWAIT = 5,
	OMPT_SYNC_TASKGROUP = 6,
	OMPT_SYNC_REDUCTION = 7,
	OMPT_SYNC_IMPLICIT_PARALLEL = 9,
	OMPT_SYNC_TEAMS = 10
};

enum ompt_mutex {
	OMPT_MUTEX_LOCK = 1,
	OMPT_MUTEX_NEST = 3,
	OMPT_MUTEX_CRITICAL = 5,
	OMPT_MUTEX_ORDERED = 7
};

enum ompt_depend_type {
	OMPT_DEPEND_IN = 1,
	OMPT_DEPEND_OUT = 2,
	OMPT_DEPEND_INOUT = 3,
	OMPT_DEPEND_MUTEX = 4,
	OMPT_DEPEND_SOURCE = 5, /* doacross */
	OMPT_DEPEND_SINK = 6,
	OMPT_DEPEND_SET = 7,
	OMPT_DEPEND_OUT_ALL = 34,
	OMPT_DEPEND_INOUT_ALL = 35
};

#define OMPT_WORK_TASKLOOP 7
#define OMPT_CANCEL_KINDS 0xf
#define OMPT_CANCEL_ACTIVATED 0x10
