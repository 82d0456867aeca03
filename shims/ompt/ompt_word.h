/* SPDX-License-Identifier: MIT */
/* ompt_word.h - what a task's word (union ompt_data) holds besides its id. */
#pragma once

#include "shims/common/stay.h"

/* Ids stay below 2^41 a worker.  At 100 ns an id that is two days and a half. */
#define OMPT_FULFILLED (UINT64_C(1) << 41) /* its event came before its code ended */
#define OMPT_YIELDED (UINT64_C(1) << 42) /* OMPT_ASIDE, and may go on elsewhere .. */
#define OMPT_MOVED (UINT64_C(1) << 43)	 /* .. as it did once */
#define OMPT_BEGUN (UINT64_C(1) << 44)
#define OMPT_ASIDE (UINT64_C(1) << 45) /* its strand was ended for the task on top of it */
#define OMPT_LOOP (UINT64_C(1) << 46)  /* of a taskloop: the id is the group's till it begins */
#define OMPT_AUX (UINT64_C(1) << 47)   /* splits a taskloop: none of the program's code */
#define OMPT_STATE (OMPT_BEGUN | OMPT_ASIDE | OMPT_LOOP | OMPT_AUX)
#define OMPT_ID(word) ((word) & ~(OMPT_STATE | OMPT_FULFILLED | OMPT_YIELDED | OMPT_MOVED))

/* States that the bits above do not have together otherwise. */
#define OMPT_INITIAL (OMPT_BEGUN | OMPT_AUX)   /* the thread's initial task: the id is a root's */
#define OMPT_DETACHED (OMPT_BEGUN | OMPT_LOOP) /* its code has ended, its event is to come */
#define OMPT_PSEUDO (OMPT_LOOP | OMPT_AUX)     /* a wait for dependences; no id */

#define OMPT_CLOSED STAY_CLOSED /* in worker->task */
