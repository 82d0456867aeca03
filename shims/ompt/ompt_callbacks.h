/* SPDX-License-Identifier: MIT */
/*
 * ompt_callbacks.h - the callbacks that libomp makes, with their prototypes.
 *
 * OMPT_CALLBACK(EVENT, function, use, parameters): used always, or only when no wrapper sees the
 * program's calls: each one that is set costs libomp something.
 */
#pragma once

#include "shims/ompt/ompt_stay.h"

#define OMPT_ALWAYS true
#define OMPT_BARE ompt_state.bare

#define OMPT_CALLBACKS                                                                             \
	OMPT_CALLBACK(OMPT_TASK_CREATE, ompt_task_create, OMPT_ALWAYS,                             \
		      (union ompt_data * encountering, const void *frame, union ompt_data *task,   \
		       int flags, int has_dependences, const void *return_address))                \
	OMPT_CALLBACK(OMPT_TASK_SCHEDULE, ompt_task_schedule, OMPT_ALWAYS,                         \
		      (union ompt_data * prior, int status, union ompt_data *next))                \
	OMPT_CALLBACK(OMPT_DEPENDENCES, ompt_dependences, OMPT_ALWAYS,                             \
		      (union ompt_data * task, const struct ompt_depend *depend, int n))           \
	OMPT_CALLBACK(OMPT_CANCEL, ompt_cancel, OMPT_ALWAYS,                                       \
		      (union ompt_data * task, int flags, const void *return_address))             \
	OMPT_CALLBACK(OMPT_PARALLEL_BEGIN, ompt_parallel_begin, OMPT_ALWAYS,                       \
		      (union ompt_data * encountering, const void *frame,                          \
		       union ompt_data *parallel, unsigned requested, int flags,                   \
		       const void *return_address))                                                \
	OMPT_CALLBACK(OMPT_PARALLEL_END, ompt_parallel_end, OMPT_ALWAYS,                           \
		      (union ompt_data * parallel, union ompt_data * encountering, int flags,      \
		       const void *return_address))                                                \
	OMPT_CALLBACK(OMPT_IMPLICIT_TASK, ompt_implicit_task, OMPT_ALWAYS,                         \
		      (int endpoint, union ompt_data *parallel, union ompt_data *task, unsigned n, \
		       unsigned index, int flags))                                                 \
	OMPT_CALLBACK(OMPT_SYNC_REGION, ompt_sync_region, OMPT_ALWAYS,                             \
		      (int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,   \
		       const void *return_address))                                                \
	OMPT_CALLBACK(OMPT_SYNC_REGION_WAIT, ompt_sync_region_wait, OMPT_BARE,                     \
		      (int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,   \
		       const void *return_address))                                                \
	OMPT_CALLBACK(OMPT_WORK, ompt_work, OMPT_BARE,                                             \
		      (int work, int endpoint, union ompt_data *parallel, union ompt_data *task,   \
		       uint64_t count, const void *return_address))                                \
	OMPT_CALLBACK(OMPT_MUTEX_ACQUIRE, ompt_mutex_acquire, OMPT_BARE,                           \
		      (int kind, unsigned hint, unsigned implementation, uint64_t object,          \
		       const void *return_address))                                                \
	OMPT_CALLBACK(OMPT_MUTEX_ACQUIRED, ompt_mutex_acquired, OMPT_BARE,                         \
		      (int kind, uint64_t object, const void *return_address))                     \
	OMPT_CALLBACK(OMPT_MUTEX_RELEASED, ompt_mutex_released, OMPT_BARE,                         \
		      (int kind, uint64_t object, const void *return_address))                     \
	OMPT_CALLBACK(OMPT_NEST_LOCK, ompt_nest_lock, OMPT_BARE,                                   \
		      (int endpoint, uint64_t object, const void *return_address))

#define OMPT_CALLBACK(event, function, use, parameters) void function parameters CALL_HIDDEN;
OMPT_CALLBACKS
#undef OMPT_CALLBACK
