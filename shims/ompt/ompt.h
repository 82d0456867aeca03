/* SPDX-License-Identifier: MIT */
/*
 * ompt.h - LLVM's libomp and its relatives: its callbacks to a tool (OMPT), and thin wrappers.
 *
 * The callbacks say what tasks there are and when they run; they are enough by themselves
 * (`bare`: a libomp that is linked statically).  Where the program calls a shared libomp, the
 * wrappers of __kmpc_* and GOMP_* see its calls too: then they record all waits, and the time
 * that a creation takes, of which a callback sees but the middle.
 *
 * A task's word (union ompt_data) holds its id and, in bits that no id reaches, its state.
 * worker->task of a thread that libomp runs has OMPT_CLOSED or'ed to it while the task's strand has
 * ended: it waits, creates or has forked.
 */
#pragma once

#include <dlfcn.h>
#include "shims/common/callsite.h"
#include "shims/common/stay.h"
#include "shims/ompt/ompt_abi.h"
#include "shims/ompt/ompt_word.h"

enum ompt_note { OMPT_NOTE_NONE, OMPT_NOTE_TASK, OMPT_NOTE_FORK, OMPT_NOTE_END };

struct kmpc;

#define OMPT_REGIONS 64 /* that a thread has forked, one in the other, and are told apart */

enum ompt_told {
	OMPT_FORKED,
	OMPT_AGAIN, /* the region before it, told once more */
	OMPT_UNTOLD /* its begin was not recorded, nor will its end be */
};

struct ompt_region {
	const void *return_address;
	record_id task, team; /* the forking one, and that one's team */
	enum ompt_told told;
};

/* What is kept of a thread that is too much for static thread-local storage. */
struct omp_room {
	struct ompt_region region[OMPT_REGIONS];
};
_Static_assert(sizeof(struct omp_room) <= WORKER_SHIM_BYTES, "lies in a worker");

/* Of this thread; NULL if it has no worker to keep it.  Zero at first, and for each new worker. */
struct omp_room *omp_room(void) CALL_HIDDEN;

struct ompt_thread {
	/* A wrapper's note for the callback that follows: valid until the next event. */
	uint64_t note_head, note_ticks;
	uint32_t note_site;
	enum ompt_note note;
	bool if0;	     /* the task being created is to be undeferred */
	int note_flags;	     /* of the task that was allocated (enum kmpc_flag) */
	uint32_t task_site;  /* of the task that was allocated last, .. */
	record_id allocator; /* .. the task that asked for it, .. */
	/* .. and the libomp that did it; NULL: the task is created by now. */
	const struct kmpc *kmpc;
	record_id wrapped; /* the task whose strand a wrapper will begin again */
	/* The last switch: to what, and what worker->task was before. */
	union ompt_data *entered;
	record_id under;
	record_id yielded;   /* the task that was left here last, to go on */
	const void **probe;  /* a task is made to find task_offset; its word's address goes here */
	record_id loop_task; /* the task that is in a taskloop */
	record_id loop;	     /* the group of that */
	record_id team;	     /* whose implicit task, or whose task, runs here */
	uint32_t n_regions;  /* open ones, forked by this thread */
	record_id forker; /* the task that forked the newest, until its first member begins, .. */
	record_id forked; /* .. and that region */
	const struct worker *room_of; /* the worker whose omp_room() it has used last */
};
extern __thread struct ompt_thread ompt_thread __attribute__((tls_model("initial-exec")))
CALL_HIDDEN;

#define OMPT_INSTANCES 8

struct ompt_state {
	bool on;    /* libomp calls us */
	bool bare;  /* and the wrappers do not see the program's calls */
	bool plain; /* on, and not bare */
	bool lost;  /* what is called since a libomp has stopped to call us is lost */
	/* ompt_start.c's, once a libomp has stopped to call us: at the program's next call, has it
	 * go on; false: it cannot. */
	bool (*again)(void);
	uint32_t runtime;
	_Atomic uint32_t task_offset; /* of a task's code pointer behind its word; 0: not known */
	uint32_t n_instances;
	struct segment instance[OMPT_INSTANCES]; /* where each libomp is */
};
extern struct ompt_state ompt_state CALL_HIDDEN;

/* The region of this thread that is the innermost; NULL: none, or it is too deep to be kept. */
static inline struct ompt_region *ompt_innermost(void)
{
	uint32_t n = ompt_thread.n_regions;
	struct omp_room *room = n && n <= OMPT_REGIONS ? omp_room() : NULL;

	return room ? &room->region[n - 1] : NULL;
}

/* The library that holds this address, to be closed, and what is known of it; NULL: none. */
void *ompt_handle(const void *address, Dl_info *info) CALL_HIDDEN;

/* The number of the libomp that holds this address; its name and version are found out. */
uint32_t ompt_runtime(const void *address) CALL_HIDDEN;

/* Has the recorder try what it takes of a libomp of that number (ompt_trial.c); NULL without its
 * wrappers. */
extern bool (*ompt_trial)(uint32_t runtime) CALL_HIDDEN;

/*
 * The site of a callback's return address.  Calls with which a compiler ends a function (jumps) all
 * have the same one, libomp's own: the role at least keeps forks apart from the others.
 */
enum ompt_role { OMPT_CALLS, OMPT_FORKS, OMPT_LOOPS };

uint32_t ompt_site_of(const void *return_address, enum ompt_role role) CALL_HIDDEN;

static inline uint32_t ompt_site(const void *return_address)
{
	return ompt_site_of(return_address, OMPT_CALLS);
}

/* ompt_worker() of ompt_stay.h, whatever the state is. */
struct worker *ompt_worker_else(const struct callsite *callsite) CALL_HIDDEN;

/* Which callback of ours there is for an event; NULL if it is not used. */
ompt_callback ompt_callback_of(int event) CALL_HIDDEN;

/* ompt_start.c: libomp asks, once an instance of it, when it is first used. */
CALL_EXPORT struct ompt_start *ompt_start_tool(unsigned version, const char *runtime);
