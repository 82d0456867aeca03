/* SPDX-License-Identifier: MIT */
/*
 * gomp_long.h - tasks that need more than a head of 48 bytes.  The first words of their head
 * libgomp may read or write as it would the program's:
 *
 *	word 0		a detachable task's event		[GOMP_task, task.c]
 *	words 0, 1	bounds of a taskloop's task		[taskloop.c]
 *	word 2		a taskloop's reductions			[taskloop.c]
 */
#pragma once

#include "preload/probe.h"
#include "shims/gomp/gomp.h"

enum gomp_flag { /* gomp-constants.h */
		 GOMP_FLAG_UNTIED = 1 << 0,
		 GOMP_FLAG_FINAL = 1 << 1,
		 GOMP_FLAG_DEPEND = 1 << 3,
		 GOMP_FLAG_IF = 1 << 10,
		 GOMP_FLAG_NOGROUP = 1 << 11,
		 GOMP_FLAG_REDUCTION = 1 << 12,
		 GOMP_FLAG_DETACH = 1 << 13,
};

/* Of a task whose code runs, in the block that libgomp has of it: no stack is taken. */
struct gomp_run {
	struct aside aside;
	record_id below; /* the task that it runs on top of, or 0 */
};

/* Its code is done. */
void *gomp_run_back(struct aside *aside, void *returned) CALL_HIDDEN;

struct long_head {
	uint64_t word[3];
	gomp_fn fn;
	gomp_cpyfn cpyfn;
	void *data; /* the program's, good until the creating call returns */
	record_id id;
	uint32_t offset;  /* of the program's data from here */
	uint16_t n_words; /* how many first words libgomp wrote for the program */
	bool loop;	  /* id is the group of a taskloop */
	bool detached;
	struct gomp_run run;
};

/*
 * Hot path: the code of a task that is no detachable one, as that fulfills the event.  Where a
 * probe rules time, tasks do nothing (record_virtual()).
 */
void gomp_nothing(void *data) CALL_HIDDEN;
static inline uintptr_t gomp_body(const struct worker *worker, uintptr_t fn)
{
	return __builtin_expect(worker->slow_clock != NULL, 0) && probe_rules_time()
		       ? (uintptr_t)gomp_nothing
		       : fn;
}

/* The arguments of a call that creates: the function, its data, their copy constructor, bytes and
 * alignment, and of GOMP_task() its if clause. */
enum { IN_FN, IN_DATA, IN_CPYFN, IN_BYTES, IN_ALIGN, IN_IF };

/* Memory for such a task: as omp_aside_room(). */
void *long_room(struct omp_aside *aside, const uintptr_t in[6]) CALL_HIDDEN;

/* Lays the task out there, and has the arguments say so. */
void long_lay(void *room, struct long_head head, uintptr_t in[6]) CALL_HIDDEN;
