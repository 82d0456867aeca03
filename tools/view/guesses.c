/* SPDX-License-Identifier: MIT */
/* guesses.c - looks at the row, at the task, and at the oldest creation. */
#include "tools/view/guesses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/released.h"

static bool creates(uint8_t how)
{
	unsigned ended_by = how & STRAND_ENDED_BY;

	return ended_by == WIRE_CREATE || ended_by == WIRE_FORK;
}

static void *all_ones(uint64_t n, size_t size)
{
	void *array = malloc((n + 1) * size);

	if (array)
		memset(array, 0xff, (n + 1) * size);
	return array;
}

int guesses_open(struct guesses *guesses, uint32_t n_strands, uint32_t n_tasks, uint32_t n_rows)
{
	*guesses = (struct guesses){
		.how = calloc(n_strands + 1ull, sizeof(*guesses->how)),
		.is_claimed = calloc(n_strands + 1ull, sizeof(*guesses->is_claimed)),
		.row = calloc(n_strands + 1ull, sizeof(*guesses->row)),
		.task = calloc(n_strands + 1ull, sizeof(*guesses->task)),
		.last_of = all_ones(n_tasks, sizeof(*guesses->last_of)),
		.parent = all_ones(n_tasks, sizeof(*guesses->parent)),
		.child = all_ones(n_tasks, sizeof(*guesses->child)),
		.last_child = all_ones(n_tasks, sizeof(*guesses->last_child)),
		.next = all_ones(n_tasks, sizeof(*guesses->next)),
		.is_joined = calloc(n_tasks + 1ull, sizeof(*guesses->is_joined)),
		.last_on = all_ones(n_rows, sizeof(*guesses->last_on)),
		.after = calloc(n_rows + 1ull, 16),
	};
	if (!guesses->how || !guesses->is_claimed || !guesses->row || !guesses->task ||
	    !guesses->last_of || !guesses->parent || !guesses->child || !guesses->last_child ||
	    !guesses->next || !guesses->is_joined || !guesses->last_on || !guesses->after)
		return -ENOMEM;
	return 0;
}

void guesses_free(struct guesses *guesses)
{
	free(guesses->how);
	free(guesses->is_claimed);
	free(guesses->row);
	free(guesses->task);
	free(guesses->last_of);
	free(guesses->parent);
	free(guesses->child);
	free(guesses->last_child);
	free(guesses->next);
	free(guesses->is_joined);
	free(guesses->last_on);
	free(guesses->after);
	*guesses = (struct guesses){ 0 };
}

/* 0, -1, 1, -2 .. as 0, 1, 2, 3 .. */
static uint64_t zigzag(int64_t number)
{
	return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

/* 0: a node; 1: as before on this row; 2: the creator of that one; else how far from the task that
 * comes after the one that began last (3, 5 ..), or from the row's last one (4, 6 ..). */
uint64_t guesses_task(struct guesses *guesses, uint32_t row, task_id task)
{
	uint32_t i = guesses->n;
	strand_id before = guesses->last_on[row];
	task_id last = before == STRAND_NONE ? 0 : guesses->task[before];

	guesses->row[i] = row;
	guesses->task[i] = task;
	if (task == TASK_NONE)
		return 0;
	if (before != STRAND_NONE && task == last)
		return 1;
	if (before != STRAND_NONE && task == guesses->parent[last])
		return 2;
	if (guesses->last_of[task] == STRAND_NONE)
		return 3 + 2 * zigzag((int64_t)task - guesses->next_task);
	return 4 + 2 * zigzag((int64_t)task - last);
}

static bool is_first(const struct guesses *guesses)
{
	return guesses->last_of[guesses->task[guesses->n]] == STRAND_NONE;
}

static strand_id before_on_row(const struct guesses *guesses)
{
	return guesses->last_on[guesses->row[guesses->n]];
}

uint8_t guesses_how(struct guesses *guesses, uint8_t how)
{
	uint32_t i = guesses->n;
	uint8_t *guess = &guesses->next_how[2 * GUESSES_HOW], differs;

	if (guesses->task[i] != TASK_NONE) {
		strand_id before = before_on_row(guesses);

		guess = &guesses->next_how[(before == STRAND_NONE ? 0 : guesses->how[before]) +
					   (is_first(guesses) ? GUESSES_HOW : 0)];
	}
	differs = how ^ *guess;
	guesses->how[i] = *guess = how;
	return differs;
}

/* The task's strand before.  Of its first: the row's last, if that created a task which has not
 * begun, else the oldest that did. */
strand_id guesses_pred(struct guesses *guesses)
{
	uint32_t i = guesses->n;
	strand_id before;

	if (guesses->task[i] == TASK_NONE)
		return STRAND_NONE;
	if (!is_first(guesses))
		return guesses->last_of[guesses->task[i]];
	before = before_on_row(guesses);
	if (before != STRAND_NONE && creates(guesses->how[before]) && !guesses->is_claimed[before])
		return before;
	while (guesses->oldest < i &&
	       (!creates(guesses->how[guesses->oldest]) || guesses->is_claimed[guesses->oldest]))
		guesses->oldest++;
	return guesses->oldest < i ? guesses->oldest : STRAND_NONE;
}

void guesses_has_pred(struct guesses *guesses, strand_id pred)
{
	task_id task = guesses->task[guesses->n], parent;

	if (task == TASK_NONE || !is_first(guesses))
		return;
	guesses->next_task = task + 1;
	if (pred == STRAND_NONE)
		return;
	guesses->is_claimed[pred] = true;
	parent = guesses->task[pred];
	if (parent == TASK_NONE)
		return;
	guesses->parent[task] = parent;
	if (guesses->child[parent] == TASK_NONE)
		guesses->child[parent] = task;
	else
		guesses->next[guesses->last_child[parent]] = task;
	guesses->last_child[parent] = task;
}

/* As dag_edge_kind(). */
static enum edge_kind edge_of(const struct guesses *guesses, strand_id from, strand_id to)
{
	if (guesses->task[from] == TASK_NONE || guesses->task[to] == TASK_NONE)
		return EDGE_JOIN;
	if (guesses->task[from] == guesses->task[to])
		return creates(guesses->how[from]) ? EDGE_CREATE_CONT : EDGE_WAIT_CONT;
	if (creates(guesses->how[from]))
		return EDGE_CREATE;
	if (guesses->how[to] & STRAND_FIRST)
		return EDGE_DEPEND;
	return (guesses->how[from] & STRAND_ENDED_BY) == WIRE_SIGNAL &&
			       !(guesses->how[to] & STRAND_JOINS)
		       ? EDGE_SYNC
		       : EDGE_JOIN;
}

uint8_t guesses_edge(const struct guesses *guesses, strand_id pred, strand_id releaser)
{
	uint32_t i = guesses->n;
	enum edge_kind edge;
	enum move move = MOVE_NONE;

	if (releaser == STRAND_NONE)
		return EDGE_KINDS;
	edge = edge_of(guesses, releaser, i);
	if (edge <= EDGE_CREATE_CONT)
		move = guesses->row[releaser] != guesses->row[i] ? MOVE_STEAL : MOVE_NONE;
	else if (!(guesses->how[i] & STRAND_FIRST) && pred != STRAND_NONE)
		move = guesses->row[pred] != guesses->row[i] ? MOVE_MIGRATION : MOVE_NONE;
	return (uint8_t)(edge | move << 3);
}

uint8_t guesses_after(struct guesses *guesses, uint8_t after)
{
	uint32_t i = guesses->n;
	uint8_t *guess =
		&guesses->after[16 * guesses->row[i] + (guesses->how[i] & STRAND_ENDED_BY)];
	uint8_t differs = after ^ *guess;

	*guess = after;
	return differs;
}

uint16_t guesses_wait(struct guesses *guesses, uint16_t wait)
{
	uint16_t *guess = &guesses->wait[guesses->how[guesses->n] & STRAND_ENDED_BY];
	uint16_t differs = wait ^ *guess;

	*guess = wait;
	return differs;
}

/* ---- joins ---- */

static int by_number(const void *a, const void *b)
{
	const strand_id *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The last strands of the task's children that nobody joined yet; false: they are not n. */
static bool collect(struct guesses *guesses, task_id task, strand_id *to, uint32_t n)
{
	task_id *link = &guesses->child[task], before = TASK_NONE;
	uint32_t found = 0;

	while (*link != TASK_NONE && found <= n) {
		task_id child = *link;

		if (guesses->is_joined[child]) {
			*link = guesses->next[child];
			if (guesses->last_child[task] == child)
				guesses->last_child[task] = before;
			continue;
		}
		if (found < n)
			to[found] = guesses->last_of[child];
		found++;
		before = child;
		link = &guesses->next[child];
	}
	return found == n;
}

bool guesses_joins(struct guesses *guesses, const strand_id *from, uint32_t n)
{
	task_id task = guesses->task[guesses->n];
	strand_id *all = NULL;
	bool is_same = false;

	if (task != TASK_NONE && n > 0)
		all = malloc(n * sizeof(*all));
	if (all && collect(guesses, task, all, n)) {
		qsort(all, n, sizeof(*all), by_number);
		is_same = memcmp(all, from, n * sizeof(*all)) == 0;
	}
	free(all);
	for (uint32_t k = 0; k < n; k++) {
		task_id child = guesses->task[from[k]];

		if (child != TASK_NONE && guesses->last_of[child] == from[k])
			guesses->is_joined[child] = true;
	}
	return is_same;
}

void guesses_end(struct guesses *guesses)
{
	uint32_t i = guesses->n++;

	if (guesses->task[i] == TASK_NONE)
		return;
	guesses->last_of[guesses->task[i]] = i;
	guesses->last_on[guesses->row[i]] = i;
}
