/* SPDX-License-Identifier: MIT */
/*
 * guesses.h - what a strand is likely to be, from the strands before it on the page: its
 * predecessor, how it ends, what released it, whom it joins.  Columns hold only where that is
 * wrong, so that most of their bytes are 0.
 *
 * guesses.js guesses the same, word for word: from the page's own numbers, and nothing else.
 */
#pragma once

#include "tools/dag/dag.h"

#define GUESSES_HOW 256u

struct guesses {
	/* by strand of the page; before its turn comes, nothing is known of one */
	uint8_t *how;
	bool *is_claimed; /* its creation's task has begun */
	uint32_t *row;
	task_id *task;
	/* by task */
	strand_id *last_of;		    /* its last strand so far; STRAND_NONE: not begun */
	task_id *parent;		    /* as its first strand says; TASK_NONE */
	task_id *child, *last_child, *next; /* those that began, and may be joined, in order */
	bool *is_joined;
	/* by row */
	strand_id *last_on;
	uint8_t *after; /* of its last strand that ended the same way; 16 each */
	/* of all */
	strand_id oldest;  /* creation that nobody has claimed; none before it */
	task_id next_task; /* after the one that began last */
	uint8_t next_how[2 * GUESSES_HOW + 1]; /* by how of the row's strand before, and first */
	uint16_t wait[16];		       /* by how it ended */
	uint32_t n;			       /* strands so far */
};

int guesses_open(struct guesses *guesses, uint32_t n_strands, uint32_t n_tasks, uint32_t n_rows);
void guesses_free(struct guesses *guesses); /* a zeroed one is fine */

/* The next strand, of that task (TASK_NONE: a node) on that row: its code of the column `task`. */
uint64_t guesses_task(struct guesses *guesses, uint32_t row, task_id task);
/* In this order, all of that strand: how it ended, and what it differs from. */
uint8_t guesses_how(struct guesses *guesses, uint8_t how);
strand_id guesses_pred(struct guesses *guesses);
void guesses_has_pred(struct guesses *guesses, strand_id pred);
/* Its edge and move, as the column `edge` has them. */
uint8_t guesses_edge(const struct guesses *guesses, strand_id pred, strand_id releaser);
uint8_t guesses_after(struct guesses *guesses, uint8_t after);
uint16_t guesses_wait(struct guesses *guesses, uint16_t wait);
/* Whether these, in order, are the strands that it joins. */
bool guesses_joins(struct guesses *guesses, const strand_id *from, uint32_t n);
void guesses_end(struct guesses *guesses); /* of what is said of it */
