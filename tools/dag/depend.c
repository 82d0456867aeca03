/* SPDX-License-Identifier: MIT */
/* depend.c - lists of tasks, by address among siblings and by name. */
#include "tools/dag/depend.h"

#include <stdlib.h>

void depend_open(struct depend *depend, struct state *state)
{
	*depend = (struct depend){ .state = state, .global = NONE };
}

static int add_link(struct depend *depend, uint32_t *list, task_id task)
{
	if (!state_may_link(depend->state, depend->n_links))
		return state_too_large(depend->state, "dependences");
	ARRAY_ADD(depend->link, depend->n_links, depend->link_room,
		  (struct link){ task, *list, false });
	*list = (uint32_t)depend->n_links - 1;
	return 0;
}

/* Adds all of `from` but the task itself. */
static int add_links(struct depend *depend, uint32_t *list, uint32_t from, task_id itself)
{
	int error = 0;

	for (uint32_t l = from; l != NONE && !error; l = depend->link[l].next) {
		state_spend(depend->state, 1);
		if (depend->link[l].task != itself)
			error = add_link(depend, list, depend->link[l].task);
	}
	return error;
}

static struct siblings *siblings_of(struct depend *depend, uint32_t *index)
{
	if (*index == NONE) {
		*index = (uint32_t)depend->n_siblings;
		ARRAY_ADD(depend->siblings, depend->n_siblings, depend->siblings_room,
			  (struct siblings){ .all = TASK_NONE });
	}
	return &depend->siblings[*index];
}

/* What is known of the address; NULL, and the state's err, if there is no room. */
static struct address *address_of(struct depend *depend, struct siblings *siblings,
				  uint64_t address)
{
	uint64_t *index = map_put(&siblings->by_address, address);
	struct address fresh = { NONE, NONE, NONE, false };

	if (*index)
		return &siblings->address[*index - 1];
	if (siblings->all != TASK_NONE && add_link(depend, &fresh.writers, siblings->all) < 0)
		return NULL;
	ARRAY_ADD(siblings->address, siblings->n_addresses, siblings->address_room, fresh);
	*index = siblings->n_addresses;
	return &siblings->address[*index - 1];
}

/* `child` writes: after the writers and the readers, and from now on it is the writer. */
static int write_at(struct depend *depend, struct address *at, task_id child, uint32_t *preds)
{
	int error = add_links(depend, preds, at->writers, child)
			    ?: add_links(depend, preds, at->readers, child);

	if (error || child == TASK_NONE)
		return error;
	*at = (struct address){ NONE, NONE, NONE, false };
	return add_link(depend, &at->writers, child);
}

/* Whether the task has another clause on the same address, which makes both an out. */
static bool is_newest(const struct depend *depend, uint32_t list, task_id task)
{
	return task != TASK_NONE && list != NONE && depend->link[list].task == task;
}

static int set_at(struct depend *depend, struct address *at, task_id child, uint32_t *preds)
{
	int error = 0;

	if (!at->set && is_newest(depend, at->writers, child))
		return 0;
	if (is_newest(depend, at->readers, child))
		return write_at(depend, at, child, preds);
	if (!at->set || at->readers != NONE) { /* a new set begins */
		struct address fresh = { NONE, NONE, NONE, true };

		error = add_links(depend, &fresh.before, at->writers, child)
				?: add_links(depend, &fresh.before, at->readers, child);
		if (child == TASK_NONE)
			return error ? error : add_links(depend, preds, fresh.before, child);
		*at = fresh;
	}
	if (!error)
		error = add_links(depend, preds, at->before, child);
	return error || child == TASK_NONE ? error : add_link(depend, &at->writers, child);
}

static int read_at(struct depend *depend, struct address *at, task_id child, uint32_t *preds)
{
	int error;

	if (is_newest(depend, at->writers, child))
		return at->set ? write_at(depend, at, child, preds) : 0;
	error = add_links(depend, preds, at->writers, child);
	return error || child == TASK_NONE ? error : add_link(depend, &at->readers, child);
}

static int write_all(struct depend *depend, struct siblings *siblings, task_id child,
		     uint32_t *preds)
{
	int error = 0;

	if (siblings->all != TASK_NONE && siblings->all != child)
		error = add_link(depend, preds, siblings->all);
	state_spend(depend->state, siblings->n_addresses);
	for (uint64_t i = 0; i < siblings->n_addresses && !error; i++)
		error = write_at(depend, &siblings->address[i], child, preds);
	if (child != TASK_NONE)
		siblings->all = child;
	return error;
}

/* The task depends on whoever has that name, or will have it or signal it. */
static int await_name(struct depend *depend, task_id child, uint64_t name, uint32_t *preds)
{
	task_id task = ids_named(&depend->state->ids, name);
	uint64_t *index;

	if (child == TASK_NONE || depend->state->task_flags[child] & BUILD_EMPTY)
		return task == TASK_NONE || task == child ? 0 : add_link(depend, preds, task);
	index = map_put(&depend->awaits, child);
	ARRAY_ADD(depend->awaited, depend->n_awaited, depend->awaited_room,
		  (struct awaited){ name, task, signal_place(depend->signals, name),
				    *index ? (uint32_t)(*index - 1) : NONE });
	*index = depend->n_awaited;
	return 0;
}

const struct awaited *depend_awaited(const struct depend *depend, task_id task)
{
	const uint64_t *index = map_find(&depend->awaits, task);

	return index ? &depend->awaited[*index - 1] : NULL;
}

const struct awaited *depend_awaited_next(const struct depend *depend,
					  const struct awaited *awaited)
{
	return awaited->next == NONE ? NULL : &depend->awaited[awaited->next];
}

bool depend_awaited_done(const struct depend *depend, task_id task)
{
	const struct state *state = depend->state;

	for (const struct awaited *awaited = depend_awaited(depend, task); awaited;
	     awaited = depend_awaited_next(depend, awaited)) {
		task_id then = awaited->then;

		state_spend(state, 1);
		if (then != TASK_NONE && !(state->task_flags[then] & BUILD_EMPTY) &&
		    !state_complete(state, then))
			return false;
	}
	return true;
}

/* Adds to *preds whom a clause that is about an address waits for. */
static int at_address(struct depend *depend, struct siblings *siblings, task_id child,
		      uint64_t clause, uint32_t *preds)
{
	uint64_t address = depend_address(clause);
	struct address *at = address_of(depend, siblings, address);

	if (!at)
		return depend->state->err->code;
	switch (depend_type(clause)) {
	case WIRE_DEPEND_IN:
		return read_at(depend, at, child, preds);
	case WIRE_DEPEND_SET:
		return set_at(depend, at, child, preds);
	default:
		return write_at(depend, at, child, preds);
	}
}

static int add_clause(struct depend *depend, struct live *parent, task_id child, bool global,
		      uint64_t clause, uint32_t *preds)
{
	struct siblings *siblings =
		siblings_of(depend, global ? &depend->global : &parent->depends);

	switch (depend_type(clause)) {
	case WIRE_DEPEND_ON:
		return await_name(depend, child, depend_address(clause), preds);
	case WIRE_DEPEND_ALL:
		return write_all(depend, siblings, child, preds);
	default:
		return at_address(depend, siblings, child, clause, preds);
	}
}

int depend_clause(struct depend *depend, struct live *parent, task_id child, bool global,
		  uint64_t clause)
{
	uint32_t before = child == TASK_NONE ? parent->preds : depend_preds(depend, child);
	uint32_t preds = before;
	uint64_t *kept;
	int error = add_clause(depend, parent, child, global, clause, &preds);

	if (error)
		return error;
	/* Two that are created at once by two workers may be in the other order for the runtime. */
	for (uint32_t i = preds; global && i != before; i = depend->link[i].next)
		depend->link[i].soft = true;
	if (child == TASK_NONE) {
		parent->preds = preds;
		return 0;
	}
	kept = map_put(&depend->preds, child);
	*kept = preds;
	return 0;
}

uint32_t depend_preds(const struct depend *depend, task_id task)
{
	const uint64_t *preds = map_find(&depend->preds, task);

	return preds ? (uint32_t)*preds : NONE;
}

/* What `done` finds out of one task; an empty one's predecessors are put into *todo. */
static int look_at(struct depend *depend, task_id task, uint32_t *todo, bool *done, uint64_t *ns)
{
	const struct dag *dag = depend->state->dag;
	uint64_t end;

	if (dag->task_state[task] & TASK_CANCELLED)
		return 0;
	if (!(depend->state->task_flags[task] & BUILD_EMPTY) &&
	    !state_complete(depend->state, task)) {
		*done = false;
		return 0;
	}
	end = dag_end(dag, depend->state->task_last[task]);
	if (end > *ns)
		*ns = end;
	return depend->state->task_flags[task] & BUILD_EMPTY
		       ? add_links(depend, todo, depend_preds(depend, task), TASK_NONE)
		       : 0;
}

int depend_done(struct depend *depend, task_id task, bool *done, uint64_t *ns)
{
	uint64_t n_links =
		depend->n_links; /* the list of what is to do is needed no longer than this */
	uint32_t todo = NONE;
	struct map seen = { 0 };
	int error;

	*done = !(depend->state->dag->task_state[task] & TASK_CANCELLED);
	*ns = 0;
	error = look_at(depend, task, &todo, done, ns);
	while (!error && *done && todo != NONE) {
		task_id next = depend->link[todo].task;
		uint64_t *times = map_put(&seen, next);

		state_spend(depend->state, STEPS_LOOKUP);
		todo = depend->link[todo].next;
		if ((*times)++ == 0)
			error = look_at(depend, next, &todo, done, ns);
	}
	depend->n_links = n_links;
	map_free(&seen);
	return error;
}

bool depend_satisfied(struct depend *depend, uint32_t preds)
{
	for (; preds != NONE; preds = depend->link[preds].next) {
		task_id task = depend->link[preds].task;
		bool done = state_complete(depend->state, task);
		uint64_t ns;

		state_spend(depend->state, 1);
		if (depend->state->dag->task_state[task] & TASK_CANCELLED)
			continue; /* it was discarded: nobody waits for it */
		if (depend->state->task_flags[task] & BUILD_EMPTY &&
		    depend_done(depend, task, &done, &ns) < 0)
			return false;
		if (!done)
			return false;
	}
	return true;
}

/* The edges from some predecessors; empty tasks among them are put into *empties. */
static int edges_from(struct depend *depend, uint32_t preds, bool join, uint32_t *empties)
{
	int error = 0;

	for (; preds != NONE && !error; preds = depend->link[preds].next) {
		state_spend(depend->state, 1);
		task_id task = depend->link[preds].task;
		uint8_t *flags = &depend->state->task_flags[task];

		if (*flags & BUILD_EMPTY) {
			error = add_link(depend, empties, task);
			if (join)
				*flags |= BUILD_JOINED;
		} else if (state_complete(depend->state, task)) {
			error = state_edges_from_task(depend->state, task);
			if (join)
				*flags |= BUILD_JOINED;
		} else if (!depend->link[preds].soft && !state_lossy(depend->state) &&
			   (depend->state->dag->task_state[task] & TASK_BEGUN ||
			    !(depend->state->cancelled || depend->state->discarded))) {
			return state_contradicts(
				depend->state,
				"it comes before the end of a task that it depends on");
		}
	}
	return error;
}

/* An empty task stands for its own predecessors; each is looked through once. */
int depend_edges(struct depend *depend, uint32_t preds, bool join)
{
	uint64_t n_links = depend->n_links;
	uint32_t empties = NONE;
	struct map seen = { 0 };
	int error = edges_from(depend, preds, join, &empties);

	while (!error && empties != NONE) {
		task_id empty = depend->link[empties].task;
		uint64_t *times = map_put(&seen, empty);

		state_spend(depend->state, STEPS_LOOKUP);
		empties = depend->link[empties].next;
		if ((*times)++ == 0)
			error = edges_from(depend, depend_preds(depend, empty), false, &empties);
	}
	depend->n_links = n_links;
	map_free(&seen);
	return error;
}

int depend_edges_from(struct depend *depend, task_id task)
{
	if (depend->state->task_flags[task] & BUILD_EMPTY)
		return depend_edges(depend, depend_preds(depend, task), false);
	return state_edges_from_task(depend->state, task);
}

static void forget_siblings(struct siblings *siblings)
{
	map_free(&siblings->by_address);
	free(siblings->address);
	*siblings = (struct siblings){ .all = TASK_NONE };
}

void depend_close(struct depend *depend, struct live *parent)
{
	if (parent->depends == NONE)
		return;
	forget_siblings(&depend->siblings[parent->depends]);
	parent->depends = NONE;
}

void depend_free(struct depend *depend)
{
	for (uint64_t i = 0; i < depend->n_siblings; i++)
		forget_siblings(&depend->siblings[i]);
	free(depend->siblings);
	free(depend->link);
	free(depend->awaited);
	map_free(&depend->awaits);
	map_free(&depend->preds);
	*depend = (struct depend){ 0 };
}
