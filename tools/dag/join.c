/* SPDX-License-Identifier: MIT */
/*
 * join.c - which strand joins which tasks.
 *
 * A complete task waits in a list: of its parent, while that runs; else of the taskgroup or the
 * team that both belong to.  Whoever waits takes the lists that its wait is for, and each task
 * is taken once.
 */
#include "tools/dag/build.h"

void list_push(struct build *build, struct list *list, task_id task)
{
	build->task_slot[task] = NONE;
	if (list->head == NONE)
		list->head = task;
	else
		build->task_slot[list->tail] = task;
	list->tail = task;
}

void list_splice(struct build *build, struct list *to, struct list *from)
{
	if (from->head == NONE)
		return;
	if (to->head == NONE)
		to->head = from->head;
	else
		build->task_slot[to->tail] = from->head;
	to->tail = from->tail;
	*from = (struct list){ NONE, NONE };
}

uint32_t join_open_scope(struct build *build, uint32_t outer, task_id owner)
{
	if (!array_grow(&build->scope, &build->scope_room, build->n_scopes + 1,
			sizeof(*build->scope)))
		return NONE;
	build->scope[build->n_scopes] = (struct scope){ .outer = outer,
							.owner = owner,
							.children = { NONE, NONE },
							.orphans = { NONE, NONE } };
	return (uint32_t)build->n_scopes++;
}

uint32_t join_bag(struct build *build, uint64_t bag)
{
	uint64_t *kept = table_put(&build->by_bag, bag);

	if (!kept)
		return NONE;
	if (*kept == 0) {
		uint32_t scope = join_open_scope(build, 0, TASK_NONE);

		if (scope == NONE)
			return NONE;
		build->scope[scope].bag = true;
		*kept = (uint64_t)scope + 1;
	}
	return (uint32_t)(*kept - 1);
}

void join_complete(struct build *build, task_id task, task_id parent, uint32_t scope)
{
	struct live *live = build_live(build, parent);

	if (live && build->scope[scope].bag)
		live->n_open--;
	if (!live || build->scope[scope].bag) {
		list_push(build, &build->scope[scope].orphans, task);
		return;
	}
	live->n_open--;
	list_push(build,
		  build->scope[scope].owner == parent ? &build->scope[scope].children
						      : &live->children,
		  task);
}

void join_abandon(struct build *build, struct live *live)
{
	const struct scope *home = &build->scope[live->home];
	struct scope *scope = &build->scope[home->bag ? home->outer : live->home];

	list_splice(build, &scope->orphans, &live->children);
	for (uint32_t s = live->scope; build->scope[s].owner == live->task;
	     s = build->scope[s].outer) {
		build_spend(build, 1);
		list_splice(build, &scope->orphans, &build->scope[s].children);
		list_splice(build, &scope->orphans, &build->scope[s].orphans);
	}
}

/* Adds an edge from each task of the list that nobody has joined, and empties it. */
static int take(struct build *build, struct list *list)
{
	task_id task = list->head;
	int error = 0;

	while (task != NONE && !error) {
		if (!(build->task_flags[task] & BUILD_JOINED)) {
			build->task_flags[task] |= BUILD_JOINED;
			error = build->task_flags[task] & BUILD_EMPTY
					? depend_edges(build, depend_preds(build, task), false)
					: build_edges_from_task(build, task);
		}
		task = build->task_slot[task];
	}
	*list = (struct list){ NONE, NONE };
	return error;
}

static int take_children(struct build *build, struct live *live)
{
	int error = take(build, &live->children);

	for (uint32_t s = live->scope; !error && build->scope[s].owner == live->task;
	     s = build->scope[s].outer) {
		build_spend(build, 1);
		error = take(build, &build->scope[s].children);
	}
	return error;
}

static int take_scope(struct build *build, uint32_t scope)
{
	int error = take(build, &build->scope[scope].children);

	return error ? error : take(build, &build->scope[scope].orphans);
}

/* What the taskgroups that the task has open hold of tasks below its children. */
static int take_open_groups(struct build *build, struct live *live)
{
	int error = 0;

	for (uint32_t s = live->scope; !error && build->scope[s].owner == live->task;
	     s = build->scope[s].outer) {
		build_spend(build, 1);
		error = take(build, &build->scope[s].orphans);
	}
	return error;
}

static int take_group(struct build *build, struct live *live)
{
	uint32_t scope = live->scope;

	if (build->scope[scope].owner != live->task)
		return take_children(build, live);
	live->scope = build->scope[scope].outer;
	return take_scope(build, scope);
}

/* The team whose barriers the task takes part in: NONE if it is no implicit task. */
static uint32_t team_of(const struct build *build, const struct live *live)
{
	if (live->team == NONE || !(build->team[live->team].flags & WIRE_FORK_TEAM))
		return NONE;
	return live->team;
}

static bool arrived(const struct build *build, const struct live *live, uint32_t episode)
{
	return live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_TEAM &&
	       live->episode == episode &&
	       build->lane[build->dag->strand[build->task_last[live->task]].worker].open !=
		       build->task_last[live->task];
}

/* The node is where the last of its predecessors, extra edges from `first` on, ended. */
static int place_node(struct build *build, strand_id node, uint32_t first)
{
	struct dag *dag = build->dag;
	uint64_t end = 0, *releaser = table_put(&dag->node_releaser, node);

	if (!releaser)
		return build_no_memory(build);

	for (uint32_t e = first; e < dag->n_extras; e++) {
		strand_id from = dag->extra[e].from;

		if (e > first && dag_end(dag, from) <= end)
			continue;
		end = dag_end(dag, from);
		*releaser = from;
		dag->strand[node].worker = dag->strand[from].worker;
	}
	dag->strand[node].start_low = (uint32_t)end;
	dag->strand[node].start_high = (uint16_t)(end >> 32);
	dag->n_nodes++;
	return 0;
}

/*
 * The node of a barrier's episode, made when the first member leaves it: after all who have
 * arrived, and after all of the team's tasks.  It comes before the strand that leaves, which is
 * not there yet.
 */
static int make_node(struct build *build, uint32_t number, uint32_t episode)
{
	struct dag *dag = build->dag;
	struct team *team = &build->team[number];
	struct strand strand = { .task = TASK_NONE, .pred = STRAND_NONE };
	uint32_t first = dag->n_extras;
	int error = build_strand(build, &strand, 0);
	strand_id node = build->newest;

	for (uint32_t m = team->last_member; m != NONE && !error; m = build->live[m].team_next) {
		build_spend(build, 1);
		if (arrived(build, &build->live[m], episode))
			error = build_edge(build, build->task_last[build->live[m].task]);
		if (!error)
			error = take_children(build, &build->live[m]);
		if (!error)
			error = take_open_groups(build, &build->live[m]);
	}
	if (!error)
		error = take_scope(build, team->scope);
	if (!error)
		error = place_node(build, node, first);
	team->node = node;
	team->episode = episode;
	return error;
}

/*
 * oneTBB lets its waiters go on before a task's code returns to the shim.  So of the tasks of a
 * bag that run, those are over of which nothing more comes than their end; if others wait for
 * the same bag, who knows what for, only if the end is near.
 */
#define END_NEAR_NS 100000u
static int end_early(struct build *build, const struct scope *bag)
{
	int error = 0;

	build_spend(build, bag->n_running ? build->n_lanes : 0);
	for (uint32_t w = 0; w < build->n_lanes && !error && bag->n_running; w++) {
		const struct event *next = build->merge->event[w];
		const struct lane *lane = &build->lane[w];
		struct live *live = build_live(build, lane->task);

		if (lane->open == STRAND_NONE || w == build->worker ||
		    &build->scope[live->home] != bag || !next || next->kind != WIRE_END)
			continue;
		bool hides = build->dag->how[lane->open] & STRAND_HIDES; /* much, before its end */
		bool alone = bag->n_waiting == 1 && !hides;

		if (alone || build->merge->ns[w] - build->ns < END_NEAR_NS)
			error = build_end_early(build, w);
	}
	return error;
}

/* All who wait at a barrier when the first of them goes on have met: a node after all of them. */
static int make_met(struct build *build, struct meeting *meeting)
{
	struct dag *dag = build->dag;
	struct strand strand = { .task = TASK_NONE, .pred = STRAND_NONE };
	uint32_t first = dag->n_extras;
	int error = build_strand(build, &strand, 0);

	for (uint32_t m = meeting->last; m != NONE && !error; m = build->live[m].met_next) {
		build->live[m].meeting = NONE;
		build->live[m].met = build->newest;
		error = build_edge(build, build->task_last[build->live[m].task]);
	}
	meeting->last = NONE;
	if (!error)
		error = place_node(build, build->newest, first);
	return error;
}

int join_before_resume(struct build *build, struct live *live)
{
	if (live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_BARRIER)
		return live->meeting == NONE ? 0 : make_met(build, &build->meeting[live->meeting]);
	if (live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_BAG && live->has_object)
		return end_early(build, &build->scope[join_bag(build, live->object)]);
	if (live->ended_by != WIRE_WAIT || live->wait != WIRE_WAIT_TEAM ||
	    team_of(build, live) == NONE || build->team[live->team].episode >= live->episode)
		return 0;
	return make_node(build, live->team, live->episode);
}

static int take_team(struct build *build, struct live *live)
{
	if (team_of(build, live) == NONE)
		return take_children(build, live);
	return build_edge(build, build->team[live->team].node);
}

/* The object's latest signal; NULL if it had none. */
static const struct signal *last_signal(const struct build *build, uint64_t object)
{
	const uint64_t *index = table_find(&build->by_object, object);

	return index && *index ? &build->signal[*index] : NULL;
}

/* The edge from a signal, if there is one and another task gave it. */
static int signal_edge(struct build *build, const struct signal *signal, task_id waiter)
{
	if (!signal || build->dag->strand[signal->strand].task == waiter)
		return 0;
	return build_edge(build, signal->strand);
}

/* By a signal since the wait began. */
static int take_signal(struct build *build, struct live *live)
{
	const struct signal *signal = last_signal(build, live->object);

	return signal && signal->ns < live->wait_ns ? 0 : signal_edge(build, signal, live->task);
}

/* By the ends of its tasks, and by who signalled it last: a counter may be told by hand, too. */
static int take_bag(struct build *build, struct live *live)
{
	struct scope *bag = &build->scope[join_bag(build, live->object)];
	int error = take(build, &bag->orphans);

	bag->n_waiting--;
	live->has_object = false;
	return error ? error : signal_edge(build, last_signal(build, live->object), live->task);
}

/* By the end of the task of that name, or by a later signal. */
int join_named(struct build *build, task_id waiter, uint64_t name, task_id then, bool join)
{
	const struct signal *signal = last_signal(build, name);
	task_id task = then;
	bool done = false;
	uint64_t done_ns = 0;
	int error = 0;

	if (task != TASK_NONE)
		error = depend_done(build, task, &done, &done_ns);
	if (!done)
		task = build_named(build, name);
	if (!done && !error && task != TASK_NONE)
		error = depend_done(build, task, &done, &done_ns);
	if (error)
		return error;
	if (done && !(signal && signal->ns - build->dag->begin_ns > done_ns)) {
		if (join)
			build->task_flags[task] |= BUILD_JOINED;
		return build->task_flags[task] & BUILD_EMPTY
			       ? depend_edges(build, depend_preds(build, task), false)
			       : build_edges_from_task(build, task);
	}
	return signal_edge(build, signal, waiter);
}

/* After all who met there with it. */
static int take_meeting(struct build *build, struct live *live)
{
	strand_id node = live->met;

	live->met = STRAND_NONE;
	return node == STRAND_NONE ? 0 : build_edge(build, node);
}

static int meet(struct build *build, struct live *live)
{
	uint64_t *index = table_put(&build->by_meeting, live->object);

	if (!index)
		return build_no_memory(build);
	if (*index == 0) {
		if (!array_grow(&build->meeting, &build->meeting_room, build->n_meetings + 1,
				sizeof(*build->meeting)))
			return build_no_memory(build);
		build->meeting[build->n_meetings] = (struct meeting){ NONE };
		*index = ++build->n_meetings;
	}
	live->meeting = (uint32_t)(*index - 1);
	live->met_next = build->meeting[live->meeting].last;
	build->meeting[live->meeting].last = build->task_slot[live->task];
	return 0;
}

/* As if its wait had no object. */
static void forget_object(struct build *build, struct live *live)
{
	if (live->wait == WIRE_WAIT_BAG && live->has_object)
		build->scope[join_bag(build, live->object)].n_waiting--;
	if (live->meeting != NONE) {
		uint32_t *link = &build->meeting[live->meeting].last;

		while (*link != build->task_slot[live->task]) {
			build_spend(build, 1);
			link = &build->live[*link].met_next;
		}
		*link = live->met_next;
		live->meeting = NONE;
	}
	live->has_object = false;
}

void join_no_wait(struct build *build, struct live *live)
{
	forget_object(build, live);
	live->episode -= live->wait == WIRE_WAIT_TEAM;
	live->wait = 0;
}

void join_lost(struct build *build, struct live *live)
{
	uint32_t inner = live->scope, outer = build->scope[inner].outer;

	if (live->ended_by != WIRE_WAIT || live->wait != WIRE_WAIT_GROUP ||
	    build->scope[inner].owner != live->task)
		return;
	live->scope = outer;
	list_splice(build, &build->scope[outer].orphans, &build->scope[inner].children);
	list_splice(build, &build->scope[outer].orphans, &build->scope[inner].orphans);
}

void join_forget(struct build *build, struct live *live)
{
	forget_object(build, live);
	live->wait = 0;
	live->ended_by = WIRE_LOST;
	live->met = STRAND_NONE;
	live->preds = NONE;
}

int join_object(struct build *build, struct live *live, uint64_t object)
{
	uint32_t bag;

	forget_object(build, live);
	live->object = object;
	live->has_object = true;
	switch (live->wait) {
	case WIRE_WAIT_NAMED:
		live->named = build_named(build, object);
		return 0;
	case WIRE_WAIT_BAG:
		bag = join_bag(build, object);
		if (bag == NONE)
			return build_no_memory(build);
		build->scope[bag].n_waiting++;
		return 0;
	case WIRE_WAIT_BARRIER:
		return meet(build, live);
	default:
		return 0;
	}
}

static int take_wait(struct build *build, struct live *live)
{
	if (live->wait >= WIRE_WAIT_OBJECT && !live->has_object && live->met == STRAND_NONE)
		return 0; /* nobody said what for */
	switch (live->wait) {
	case WIRE_WAIT_CHILDREN:
		return take_children(build, live);
	case WIRE_WAIT_GROUP:
		return take_group(build, live);
	case WIRE_WAIT_TEAM:
		return take_team(build, live);
	case WIRE_WAIT_DEPEND:
		return depend_edges(build, live->preds, true);
	case WIRE_WAIT_OBJECT:
		return take_signal(build, live);
	case WIRE_WAIT_NAMED:
		return join_named(build, live->task, live->object, live->named, true);
	case WIRE_WAIT_BAG:
		return take_bag(build, live);
	case WIRE_WAIT_BARRIER:
		return take_meeting(build, live);
	default:
		return 0;
	}
}

/* After a task that its parent waits for. */
static int take_created(struct build *build, task_id task)
{
	uint8_t *flags = &build->task_flags[task];

	if (!(*flags & BUILD_UNDEFERRED) || *flags & BUILD_JOINED ||
	    !(build->dag->task_state[task] & TASK_ENDED))
		return 0;
	*flags |= BUILD_JOINED;
	return build_edges_from_task(build, task);
}

static int take_forked(struct build *build, uint32_t number)
{
	struct team *team = &build->team[number];
	int error;

	if (team->flags & WIRE_FORK_NOWAIT)
		return 0;
	error = take(build, &team->done);
	return error ? error : take_scope(build, team->scope);
}

int join_resume(struct build *build, struct live *live)
{
	if (live->ended_by != WIRE_WAIT ||
	    (live->wait != WIRE_WAIT_OBJECT && live->wait != WIRE_WAIT_NAMED &&
	     live->wait != WIRE_WAIT_BAG))
		build->dag->how[build->newest] |= STRAND_JOINS;
	switch (live->ended_by) {
	case WIRE_CREATE:
		return take_created(build, live->created);
	case WIRE_FORK:
		return take_forked(build, live->forked);
	case WIRE_WAIT:
		return take_wait(build, live);
	default:
		return 0;
	}
}

/* Whether none of those who have, or had, the name that it waits for is still to end. */
static bool names_done(const struct build *build, const struct live *live)
{
	const task_id task[] = { live->named, build_named(build, live->object) };

	for (int i = 0; i < 2; i++)
		if (task[i] != TASK_NONE && !build_complete(build, task[i]) &&
		    !(build->dag->task_state[task[i]] & TASK_CANCELLED) &&
		    !(build->task_flags[task[i]] & BUILD_EMPTY))
			return false;
	return true;
}

bool join_all_arrived(const struct build *build, const struct live *live)
{
	uint32_t team = team_of(build, live);

	if (live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_NAMED)
		return names_done(build, live);
	if (live->ended_by != WIRE_WAIT || live->wait != WIRE_WAIT_TEAM || team == NONE ||
	    build->team[team].episode >= live->episode)
		return true;
	for (uint32_t m = build->team[team].last_member; m != NONE; m = build->live[m].team_next) {
		build_spend(build, 1);
		if (!arrived(build, &build->live[m], live->episode))
			return false;
	}
	return true;
}

bool join_satisfied(const struct build *build, const struct live *live)
{
	if (live->ended_by == WIRE_CREATE)
		return !(build->task_flags[live->created] & BUILD_UNDEFERRED) ||
		       build->dag->task_state[live->created] & TASK_ENDED;
	if (live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_CHILDREN)
		return live->n_open == 0;
	if (live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_DEPEND)
		return depend_satisfied(build, live->preds);
	if (live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_NAMED)
		return names_done(build, live);
	if (live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_BAG && live->has_object)
		return build->scope[join_bag((struct build *)build, live->object)].n_running == 0;
	return live->ended_by != WIRE_FORK &&
	       (live->ended_by != WIRE_WAIT || live->wait == 0 || live->wait == WIRE_WAIT_OBJECT);
}
