/* SPDX-License-Identifier: MIT */
/*
 * depend.c - which tasks a task waits for because of data.
 *
 * Siblings, in the order of their creation, and by address: in after the last writer; out and
 * mutexinoutset after that and the readers since; inoutset like out, but not among themselves
 * [OpenMP 5.2, 15.9.5; libgomp orders mutexinoutset like out].
 */
#include "tools/dag/build.h"

#include <stdlib.h>

static int add_link(struct build *build, uint32_t *list, task_id task)
{
	if (!build_may_link(build, build->n_links))
		return build_too_large(build, "dependences");
	if (!array_grow(&build->link, &build->link_room, build->n_links + 1, sizeof(*build->link)))
		return build_no_memory(build);
	build->link[build->n_links] = (struct link){ task, *list, false };
	*list = (uint32_t)build->n_links++;
	return 0;
}

/* Adds all of `from` but the task itself. */
static int add_links(struct build *build, uint32_t *list, uint32_t from, task_id itself)
{
	int error = 0;

	for (uint32_t l = from; l != NONE && !error; l = build->link[l].next) {
		build_spend(build, 1);
		if (build->link[l].task != itself)
			error = add_link(build, list, build->link[l].task);
	}
	return error;
}

static struct depends *depends_of(struct build *build, uint32_t *index)
{
	if (*index == NONE) {
		if (!array_grow(&build->depends, &build->depends_room, build->n_depends + 1,
				sizeof(*build->depends)))
			return NULL;
		build->depends[build->n_depends] = (struct depends){ .all = TASK_NONE };
		*index = (uint32_t)build->n_depends++;
	}
	return &build->depends[*index];
}

static struct depend_state *state_of(struct build *build, struct depends *depends, uint64_t address)
{
	uint64_t *index = table_put(&depends->by_address, address);

	if (!index)
		return NULL;
	if (*index == 0) {
		struct depend_state fresh = { NONE, NONE, NONE, false };

		if (!array_grow(&depends->state, &depends->state_room, depends->n_states + 1,
				sizeof(*depends->state)))
			return NULL;
		if (depends->all != TASK_NONE && add_link(build, &fresh.writers, depends->all) < 0)
			return NULL;
		depends->state[depends->n_states++] = fresh;
		*index = depends->n_states;
	}
	return &depends->state[*index - 1];
}

/* `child` writes: after the writers and the readers, and from now on it is the writer. */
static int write_state(struct build *build, struct depend_state *state, task_id child,
		       uint32_t *preds)
{
	int error = add_links(build, preds, state->writers, child);

	if (!error)
		error = add_links(build, preds, state->readers, child);
	if (error || child == TASK_NONE)
		return error;
	*state = (struct depend_state){ NONE, NONE, NONE, false };
	return add_link(build, &state->writers, child);
}

/* Whether the task has another clause on the same address, which makes both an out. */
static bool is_newest(const struct build *build, uint32_t list, task_id task)
{
	return task != TASK_NONE && list != NONE && build->link[list].task == task;
}

static int set_state(struct build *build, struct depend_state *state, task_id child,
		     uint32_t *preds)
{
	int error = 0;

	if (!state->set && is_newest(build, state->writers, child))
		return 0;
	if (is_newest(build, state->readers, child))
		return write_state(build, state, child, preds);
	if (!state->set || state->readers != NONE) { /* a new set begins */
		struct depend_state fresh = { NONE, NONE, NONE, true };

		error = add_links(build, &fresh.before, state->writers, child);
		if (!error)
			error = add_links(build, &fresh.before, state->readers, child);
		if (child == TASK_NONE)
			return error ? error : add_links(build, preds, fresh.before, child);
		*state = fresh;
	}
	if (!error)
		error = add_links(build, preds, state->before, child);
	return error || child == TASK_NONE ? error : add_link(build, &state->writers, child);
}

static int read_state(struct build *build, struct depend_state *state, task_id child,
		      uint32_t *preds)
{
	int error;

	if (is_newest(build, state->writers, child))
		return state->set ? write_state(build, state, child, preds) : 0;
	error = add_links(build, preds, state->writers, child);
	return error || child == TASK_NONE ? error : add_link(build, &state->readers, child);
}

static int all_states(struct build *build, struct depends *depends, task_id child, uint32_t *preds)
{
	int error = 0;

	if (depends->all != TASK_NONE && depends->all != child)
		error = add_link(build, preds, depends->all);
	build_spend(build, depends->n_states);
	for (uint64_t i = 0; i < depends->n_states && !error; i++)
		error = write_state(build, &depends->state[i], child, preds);
	if (child != TASK_NONE)
		depends->all = child;
	return error;
}

/* The task depends on whoever has that name, or will have it or signal it. */
static int await_name(struct build *build, task_id child, uint64_t name, uint32_t *preds)
{
	task_id task = build_named(build, name);
	uint64_t *index;

	if (child == TASK_NONE || build->task_flags[child] & BUILD_EMPTY)
		return task == TASK_NONE || task == child ? 0 : add_link(build, preds, task);
	index = table_put(&build->awaits, child);
	if (!index || !array_grow(&build->awaited, &build->awaited_room, build->n_awaited + 1,
				  sizeof(*build->awaited)))
		return build_no_memory(build);
	build->awaited[build->n_awaited] =
		(struct awaited){ name, task, *index ? (uint32_t)(*index - 1) : NONE };
	*index = ++build->n_awaited;
	return 0;
}

int depend_awaited(struct build *build, task_id task)
{
	const uint64_t *index = table_find(&build->awaits, task);
	int error = 0;

	for (uint32_t i = index ? (uint32_t)(*index - 1) : NONE; i != NONE && !error;
	     i = build->awaited[i].next)
		error = join_named(build, task, build->awaited[i].name, build->awaited[i].then,
				   false);
	return error;
}

bool depend_awaited_done(const struct build *build, task_id task)
{
	const uint64_t *index = table_find(&build->awaits, task);

	for (uint32_t i = index ? (uint32_t)(*index - 1) : NONE; i != NONE;
	     i = build->awaited[i].next) {
		build_spend(build, 1);
		task_id then = build->awaited[i].then;

		if (then != TASK_NONE && !(build->task_flags[then] & BUILD_EMPTY) &&
		    !build_complete(build, then))
			return false;
	}
	return true;
}

int depend_clause(struct build *build, struct live *parent, task_id child, bool global, uint64_t b)
{
	enum wire_depend type = (enum wire_depend)(b >> WIRE_DEPEND_SHIFT);
	uint64_t address = b & ((UINT64_C(1) << WIRE_DEPEND_SHIFT) - 1);
	struct depends *depends =
		depends_of(build, global ? &build->global_depends : &parent->depends);
	struct depend_state *state;
	uint64_t *kept;
	uint32_t preds = parent->preds, before;
	int error;

	if (child != TASK_NONE)
		preds = depend_preds(build, child);
	before = preds;
	if (!depends)
		return build_no_memory(build);
	if (type == WIRE_DEPEND_ON) {
		error = await_name(build, child, address, &preds);
	} else if (type == WIRE_DEPEND_ALL) {
		error = all_states(build, depends, child, &preds);
	} else {
		state = state_of(build, depends, address);
		if (!state)
			return build_no_memory(build);
		if (type == WIRE_DEPEND_IN)
			error = read_state(build, state, child, &preds);
		else if (type == WIRE_DEPEND_SET)
			error = set_state(build, state, child, &preds);
		else
			error = write_state(build, state, child, &preds);
	}
	if (error)
		return error;
	/* Two that are created at once by two workers may be in the other order for the runtime. */
	for (uint32_t i = preds; global && i != before; i = build->link[i].next)
		build->link[i].soft = true;
	if (child == TASK_NONE) {
		parent->preds = preds;
		return 0;
	}
	kept = table_put(&build->preds, child);
	if (!kept)
		return build_no_memory(build);
	*kept = preds;
	return 0;
}

uint32_t depend_preds(const struct build *build, task_id task)
{
	const uint64_t *preds = table_find(&build->preds, task);

	return preds ? (uint32_t)*preds : NONE;
}

bool depend_satisfied(const struct build *build, uint32_t preds)
{
	for (; preds != NONE; preds = build->link[preds].next) {
		build_spend(build, 1);
		if (!(build->task_flags[build->link[preds].task] & BUILD_EMPTY) &&
		    !build_complete(build, build->link[preds].task))
			return false;
	}
	return true;
}

/* What `done` finds out of one task; an empty one's predecessors are put into *todo. */
static int look_at(struct build *build, task_id task, uint32_t *todo, bool *done, uint64_t *ns)
{
	const struct dag *dag = build->dag;
	uint64_t end;

	if (dag->task_state[task] & TASK_CANCELLED)
		return 0;
	if (!(build->task_flags[task] & BUILD_EMPTY) && !build_complete(build, task)) {
		*done = false;
		return 0;
	}
	end = dag_end(dag, build->task_last[task]);
	if (end > *ns)
		*ns = end;
	return build->task_flags[task] & BUILD_EMPTY
		       ? add_links(build, todo, depend_preds(build, task), TASK_NONE)
		       : 0;
}

int depend_done(struct build *build, task_id task, bool *done, uint64_t *ns)
{
	uint64_t n_links =
		build->n_links; /* the list of what is to do is needed no longer than this */
	uint32_t todo = NONE;
	struct table seen = { 0 };
	int error;

	*done = !(build->dag->task_state[task] & TASK_CANCELLED);
	*ns = 0;
	error = look_at(build, task, &todo, done, ns);
	while (!error && *done && todo != NONE) {
		task_id next = build->link[todo].task;
		uint64_t *times = table_put(&seen, next);

		build_spend(build, STEPS_LOOKUP);
		todo = build->link[todo].next;
		if (!times)
			error = build_no_memory(build);
		else if ((*times)++ == 0)
			error = look_at(build, next, &todo, done, ns);
	}
	build->n_links = n_links;
	table_free(&seen);
	return error;
}

/* The edges from some predecessors; empty tasks among them are put into *empties. */
static int edges_from(struct build *build, uint32_t preds, bool join, uint32_t *empties)
{
	int error = 0;

	for (; preds != NONE && !error; preds = build->link[preds].next) {
		build_spend(build, 1);
		task_id task = build->link[preds].task;
		uint8_t *flags = &build->task_flags[task];

		if (*flags & BUILD_EMPTY) {
			error = add_link(build, empties, task);
			if (join)
				*flags |= BUILD_JOINED;
		} else if (build_complete(build, task)) {
			error = build_edges_from_task(build, task);
			if (join)
				*flags |= BUILD_JOINED;
		} else if (!build->link[preds].soft && (build->dag->task_state[task] & TASK_BEGUN ||
							!(build->cancelled || build->discarded))) {
			return build_contradicts(
				build, "it comes before the end of a task that it depends on");
		}
	}
	return error;
}

/* An empty task stands for its own predecessors; each is looked through once. */
int depend_edges(struct build *build, uint32_t preds, bool join)
{
	uint64_t n_links = build->n_links;
	uint32_t empties = NONE;
	struct table seen = { 0 };
	int error = edges_from(build, preds, join, &empties);

	while (!error && empties != NONE) {
		task_id empty = build->link[empties].task;
		uint64_t *times = table_put(&seen, empty);

		build_spend(build, STEPS_LOOKUP);
		empties = build->link[empties].next;
		if (!times)
			error = build_no_memory(build);
		else if ((*times)++ == 0)
			error = edges_from(build, depend_preds(build, empty), false, &empties);
	}
	build->n_links = n_links;
	table_free(&seen);
	return error;
}

void depend_close(struct build *build, struct live *live)
{
	if (live->depends == NONE)
		return;
	struct depends *depends = &build->depends[live->depends];

	table_free(&depends->by_address);
	free(depends->state);
	*depends = (struct depends){ .all = TASK_NONE };
	live->depends = NONE;
}

void depend_free(struct build *build)
{
	for (uint64_t i = 0; i < build->n_depends; i++) {
		table_free(&build->depends[i].by_address);
		free(build->depends[i].state);
	}
	free(build->depends);
	free(build->link);
	table_free(&build->preds);
}
