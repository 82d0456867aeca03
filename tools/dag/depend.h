/* SPDX-License-Identifier: MIT */
/*
 * depend.h - which tasks a task waits for because of data.
 *
 * Siblings, in the order of their creation, and by address: in after the last writer; out and
 * mutexinoutset after that and the readers since; inoutset like out, but not among themselves
 * [OpenMP 5.2, 15.9.5; libgomp orders mutexinoutset like out].  Or by the name of a task.
 */
#pragma once

#include "tools/dag/signals.h"

/* A list of tasks. */
struct link {
	task_id task;
	uint32_t next; /* NONE */
	bool soft;     /* global: the runtime may have the two in the other order */
};

/* A name that a task depends on. */
struct awaited {
	uint64_t name;
	task_id then;  /* who had it when that was said; TASK_NONE */
	uint32_t since; /* signal_place() then */
	uint32_t next; /* NONE */
};

/* What is known of one address among the children of one task. */
struct address {
	uint32_t writers; /* links: the last writer, or the last set of inoutset tasks */
	uint32_t readers; /* links: since then */
	uint32_t before;  /* links: what a further task of that set depends on */
	bool set;	  /* `writers` are inoutset */
};

struct siblings {
	struct map by_address; /* to an index into address[], + 1 */
	struct address *address;
	uint64_t n_addresses, address_room;
	task_id all; /* the last omp_all_memory task; TASK_NONE */
};

struct depend {
	struct state *state;
	const struct signals *signals;
	struct link *link;
	uint64_t n_links, link_room;
	struct siblings *siblings; /* by live.depends */
	uint64_t n_siblings, siblings_room;
	uint32_t global; /* of tasks that are no siblings; NONE */
	struct awaited *awaited;
	uint64_t n_awaited, awaited_room;
	struct map awaits; /* task -> awaited + 1 */
	struct map preds;  /* task -> link */
};

void depend_open(struct depend *depend, struct state *state);
void depend_free(struct depend *depend);

/* The child (or the wait, TASK_NONE) has this clause; adds to its predecessors. */
int depend_clause(struct depend *depend, struct live *parent, task_id child, bool global,
		  uint64_t clause);
/* The parent's end: nothing more is matched among its children. */
void depend_close(struct depend *depend, struct live *parent);

/* The task's predecessors, NONE if it has none. */
uint32_t depend_preds(const struct depend *depend, task_id task);
/* Whether all of them are complete. */
bool depend_satisfied(struct depend *depend, uint32_t preds);
/* Adds edges from the predecessors into the newest strand; who joins them is the only one to. */
int depend_edges(struct depend *depend, uint32_t preds, bool join);
/* Adds the edges from a complete task; from its own predecessors, if it is empty. */
int depend_edges_from(struct depend *depend, task_id task);
/*
 * Whether the task is complete, and if so, when its code was over.  An empty one is when all that
 * it depends on is.
 */
int depend_done(struct depend *depend, task_id task, bool *done, uint64_t *ns);

/* The names that the task depends on; NULL after the last. */
const struct awaited *depend_awaited(const struct depend *depend, task_id task);
const struct awaited *depend_awaited_next(const struct depend *depend,
					  const struct awaited *awaited);
/* Whether who had those names then is complete. */
bool depend_awaited_done(const struct depend *depend, task_id task);
