/* SPDX-License-Identifier: MIT */
/*
 * gomp_long.h - tasks that need more than a head of 16 bytes.  The first words of their head
 * libgomp may read or write as it would the program's:
 *
 *	word 0		a detachable task's event		[GOMP_task, task.c]
 *	words 0, 1	bounds of a taskloop's task		[taskloop.c]
 *	word 2		a taskloop's reductions			[taskloop.c]
 */
#pragma once

#include <sys/mman.h>
#include "preload/budget.h"
#include "shims/gomp/gomp.h"

enum gomp_flag { /* gomp-constants.h */
		 GOMP_FLAG_UNTIED = 1 << 0,
		 GOMP_FLAG_FINAL = 1 << 1,
		 GOMP_FLAG_DEPEND = 1 << 3,
		 GOMP_FLAG_PRIORITY = 1 << 4,
		 GOMP_FLAG_IF = 1 << 10,
		 GOMP_FLAG_NOGROUP = 1 << 11,
		 GOMP_FLAG_REDUCTION = 1 << 12,
		 GOMP_FLAG_DETACH = 1 << 13,
};

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
	bool recorded;	 /* it runs, and that is recorded */
	record_id below; /* .. on top of that task, or 0 */
};

/* Runs such a task. */
void long_task_run(void *block) CALL_HIDDEN;

/* The program's copy constructors, called by libgomp on the block that the task will get. */
void long_task_copy(void *to, void *from) CALL_HIDDEN;

/*
 * What is kept of a call in which libgomp may run tasks, elsewhere than on the stack that these
 * nest on.  Its thread has it until the call returns.
 */
struct aside {
	struct aside *outer; /* in the order of the calls */
	const void *at; /* where the call's arguments are; of no other call that has not returned */
	uint64_t *data; /* the program's, good until then */
	struct gomp_await await; /* what was the thread's before */
	_Alignas(16) char block[GOMP_PLAIN_MAX + 96];
};

/* NULL: there is no memory. */
struct aside *aside_open(struct worker *worker, const void *at) CALL_HIDDEN;
void aside_close(const void *at, struct gomp_await *await) CALL_HIDDEN;

/* How a task of either sort is handed over; `bytes` and `align` are the program's. */
struct parcel {
	struct long_head head;
	size_t bytes, align;
};

#define STACK_BLOCK_MAX 4096 /* a larger block of data does not go on the stack */

void parcel_pack(struct parcel *parcel, gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes,
		 long align) CALL_HIDDEN;

/* Lays head and data out as one block, aligned, in `room` of parcel_room() bytes. */
void *parcel_lay(const struct parcel *parcel, char *room) CALL_HIDDEN;

static inline size_t parcel_room(const struct parcel *parcel)
{
	return parcel->head.offset + parcel->bytes + parcel->align;
}

/* Arguments for the runtime: `hand` gets the block, or the head, and our cpyfn. */
#define PARCEL_HAND(parcel, hand)                                                                  \
	do {                                                                                       \
		size_t room_bytes = parcel_room(&(parcel));                                        \
		if ((parcel).head.cpyfn) {                                                         \
			hand(&(parcel).head, long_task_copy);                                      \
		} else if (room_bytes <= STACK_BLOCK_MAX) {                                        \
			hand(parcel_lay(&(parcel), __builtin_alloca(room_bytes)), NULL);           \
		} else {                                                                           \
			char *room = map_zeroed(room_bytes);                                       \
			if (!room)                                                                 \
				room = __builtin_alloca(room_bytes);                               \
			hand(parcel_lay(&(parcel), room), NULL);                                   \
			if (room_bytes > STACK_BLOCK_MAX)                                          \
				munmap(room, room_bytes);                                          \
		}                                                                                  \
	} while (0)
