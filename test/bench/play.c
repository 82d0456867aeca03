/* SPDX-License-Identifier: MIT */
/* play.c - the made-up workers: what each does next, and when. */
#include "test/bench/play.h"

#include <stdio.h>
#include <stdlib.h>

#define NONE UINT32_MAX

static uint64_t random_from(struct play *play, uint64_t least, uint64_t mask)
{
	play->random ^= play->random << 13; /* xorshift [Marsaglia 2003] */
	play->random ^= play->random >> 7;
	play->random ^= play->random << 17;
	return least + (play->random >> 20 & mask);
}

static void *grow(void *old, size_t bytes)
{
	void *more = realloc(old, bytes);

	if (!more) {
		fprintf(stderr, "synth: out of memory\n");
		exit(1);
	}
	return more;
}

static uint32_t task_new(struct play *play, uint32_t w, uint32_t parent, uint32_t left)
{
	uint32_t t = play->free_task;

	if (t != NONE) {
		play->free_task = play->task[t].parent;
	} else {
		if (play->n_tasks == play->task_room) {
			play->task_room = play->task_room ? play->task_room * 2 : 1024;
			play->task = grow(play->task, play->task_room * sizeof(*play->task));
		}
		t = play->n_tasks++;
	}
	play->task[t] = (struct play_task){ .parent = parent,
					    .n = (uint32_t)++play->worker[w].n_ids,
					    .left = left,
					    .worker = (uint8_t)w };
	return t;
}

static void deque_push(struct play_deque *deque, uint32_t t)
{
	uint64_t old_room = deque->room;

	if (deque->tail - deque->head == old_room) {
		deque->room = old_room ? old_room * 2 : 64;
		deque->task = grow(deque->task, deque->room * sizeof(*deque->task));
		for (uint64_t i = deque->head; i < deque->tail; i++) /* the upper half is free */
			if (i & old_room)
				deque->task[i & (deque->room - 1)] =
					deque->task[i & (old_room - 1)];
	}
	deque->task[deque->tail++ & (deque->room - 1)] = t;
}

static uint32_t deque_pop(struct play_deque *deque, bool oldest)
{
	if (deque->head == deque->tail)
		return NONE;
	return deque->task[(oldest ? deque->head++ : --deque->tail) & (deque->room - 1)];
}

static uint32_t find_work(struct play *play, uint32_t w)
{
	bool shared = play->shape != FORK_JOIN;
	uint32_t t = deque_pop(&play->worker[shared ? 0 : w].deque, shared);

	for (uint32_t i = 1; !shared && t == NONE && i < PLAY_WORKERS; i++)
		t = deque_pop(&play->worker[(w + i) % PLAY_WORKERS].deque, true);
	return t;
}

/* The task that runs makes one.  What the worker does next. */
static uint32_t on_create(struct play *play, uint32_t w, uint32_t t)
{
	struct play_task *parent = &play->task[t];
	uint32_t size = play->shape == FLAT_LOOP ? 1 : parent->left, child;

	if (!parent->made) /* uneven, as in fib, or even, so that levels are full */
		size -= play->shape == FORK_JOIN ? size * 3 / 8 : size / 2;
	parent->made = true;
	parent->left -= size;
	parent->n_open++;
	child = task_new(play, w, t, size - 1);
	if (play->shape == FORK_JOIN) {
		deque_push(&play->worker[w].deque, t);
		return child;
	}
	deque_push(&play->worker[0].deque, child);
	return t;
}

static uint32_t on_end(struct play *play, uint32_t t)
{
	uint32_t parent = play->task[t].parent;

	play->task[t].parent = play->free_task;
	play->free_task = t;
	if (--play->task[parent].n_open > 0 || !play->task[parent].waited)
		return NONE;
	if (play->shape == FORK_JOIN)
		return parent;
	deque_push(&play->worker[0].deque, parent);
	return NONE;
}

static uint32_t end_strand(struct play *play, uint32_t w, uint32_t t)
{
	struct play_task *task = &play->task[t];
	uint64_t ns = play->worker[w].at_ns;

	if (task->left) {
		writer_put(play->out, w, ns, WIRE_CREATE, PLAY_SITE_TASK);
		return on_create(play, w, t);
	}
	if (task->made && !task->waited) {
		writer_put(play->out, w, ns, WIRE_WAIT,
			   PLAY_SITE_WAIT | (uint64_t)WIRE_WAIT_CHILDREN << 32);
		task->waited = true;
		return task->n_open ? NONE : t;
	}
	writer_put(play->out, w, ns, WIRE_END, 0);
	return on_end(play, t);
}

static void begin_strand(struct play *play, uint32_t w, uint32_t t)
{
	struct play_task *task = &play->task[t];
	struct play_worker *worker = &play->worker[w];

	writer_put(play->out, w, worker->at_ns, task->begun ? WIRE_RESUME : WIRE_BEGIN,
		   id_make(task->worker, task->n));
	task->begun = worker->running = true;
	if (play->shape == FLAT_LOOP)
		worker->at_ns += random_from(play, task->made ? 30 : 90, task->made ? 31 : 127);
	else
		worker->at_ns += random_from(play, 30, 127);
}

static void step(struct play *play, uint32_t w)
{
	struct play_worker *worker = &play->worker[w];

	if (worker->running) {
		worker->running = false;
		worker->task = end_strand(play, w, worker->task);
		worker->at_ns += random_from(play, 5, 15);
	} else if (worker->task == NONE) {
		worker->task = find_work(play, w);
		worker->at_ns += random_from(play, 20, 63);
	} else {
		begin_strand(play, w, worker->task);
	}
}

static uint32_t first_to_move(const struct play *play)
{
	uint32_t w = 0;

	for (uint32_t i = 1; i < PLAY_WORKERS; i++)
		if (play->worker[i].at_ns < play->worker[w].at_ns)
			w = i;
	return w;
}

/* Until the last strand of the first task, which ends the run. */
void play_run(struct play *play, uint32_t n_tasks)
{
	uint32_t root, w;

	play->free_task = NONE;
	play->random = 88172645463325252u;
	root = task_new(play, 0, NONE, n_tasks - 1);
	for (uint32_t i = 1; i < PLAY_WORKERS; i++)
		play->worker[i].task = NONE;
	writer_put(play->out, 0, 0, WIRE_ROOT, 0);
	play->task[root].begun = play->worker[0].running = true;
	play->worker[0].at_ns = 100;
	for (;;) {
		w = first_to_move(play);
		if (play->worker[w].running && play->worker[w].task == root &&
		    play->task[root].waited)
			break;
		step(play, w);
	}
	writer_put(play->out, w, play->worker[w].at_ns, WIRE_END, 0);
	free(play->task);
	for (uint32_t i = 0; i < PLAY_WORKERS; i++)
		free(play->worker[i].deque.task);
}
