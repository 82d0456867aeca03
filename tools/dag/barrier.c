/* SPDX-License-Identifier: MIT */
/* barrier.c - makes the nodes of barriers. */
#include "tools/dag/barrier.h"

#include <stdlib.h>

void barrier_open(struct barriers *barriers, struct state *state, struct scopes *scopes)
{
	*barriers = (struct barriers){ .state = state, .scopes = scopes };
}

void barrier_free(struct barriers *barriers)
{
	free(barriers->team);
	free(barriers->meeting);
	table_free(&barriers->by_object);
	*barriers = (struct barriers){ 0 };
}

/* The node is where the last of its predecessors, extra edges from `first` on, ended. */
static int place_node(struct state *state, strand_id node, uint32_t first)
{
	struct dag *dag = state->dag;
	uint64_t end = 0, *releaser = table_put(&dag->node_releaser, node);

	if (!releaser)
		return state_no_memory(state);
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

/* ---- teams ---- */

uint32_t barrier_fork(struct barriers *barriers, const struct team *team)
{
	if (barriers->n_teams >= MADE_TEAM - 1 ||
	    !array_grow(&barriers->team, &barriers->team_room, barriers->n_teams + 1,
			sizeof(*barriers->team)))
		return NONE;
	barriers->team[barriers->n_teams] = *team;
	return (uint32_t)barriers->n_teams++;
}

void barrier_enter(struct barriers *barriers, struct live *live, uint32_t team)
{
	struct live *all = barriers->state->live;
	uint32_t next = barriers->team[team].last_member;
	uint32_t index = (uint32_t)(live - all);

	live->team = team;
	live->team_next = next;
	if (next != NONE)
		all[next].team_prev = index;
	barriers->team[team].last_member = index;
}

void barrier_leave(struct barriers *barriers, struct live *live)
{
	struct live *all = barriers->state->live;

	if (live->team == NONE)
		return;
	if (live->team_prev == NONE)
		barriers->team[live->team].last_member = live->team_next;
	else
		all[live->team_prev].team_next = live->team_next;
	if (live->team_next != NONE)
		all[live->team_next].team_prev = live->team_prev;
}

bool barrier_is_of_team(const struct barriers *barriers, const struct live *live)
{
	return live->team != NONE && barriers->team[live->team].flags & WIRE_FORK_TEAM;
}

/* Whether the task leaves its team's barrier before any other does. */
static bool is_first(const struct barriers *barriers, const struct live *live)
{
	return live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_TEAM &&
	       barrier_is_of_team(barriers, live) &&
	       barriers->team[live->team].episode < live->episode;
}

static bool has_arrived(const struct state *state, const struct live *live, uint32_t episode)
{
	return live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_TEAM &&
	       live->episode == episode && !state_is_running(state, live->task);
}

bool barrier_all_arrived(const struct barriers *barriers, const struct live *live)
{
	const struct state *state = barriers->state;
	uint32_t m;

	if (!is_first(barriers, live))
		return true;
	for (m = barriers->team[live->team].last_member; m != NONE; m = state->live[m].team_next) {
		state_spend(state, 1);
		if (!has_arrived(state, &state->live[m], live->episode))
			return false;
	}
	return true;
}

/* After all members who have arrived, and after all of the team's tasks. */
static int make_node(struct barriers *barriers, uint32_t number, uint32_t episode)
{
	struct state *state = barriers->state;
	struct team *team = &barriers->team[number];
	struct strand strand = { .task = TASK_NONE, .pred = STRAND_NONE };
	uint32_t first = state->dag->n_extras;
	int error = state_strand(state, &strand, 0);
	strand_id node = state->newest;

	for (uint32_t m = team->last_member; m != NONE && !error; m = state->live[m].team_next) {
		struct live *member = &state->live[m];

		state_spend(state, 1);
		if (has_arrived(state, member, episode))
			error = state_edge(state, state->task_last[member->task]);
		if (!error)
			error = scope_take_children(barriers->scopes, member);
		if (!error)
			error = scope_take_groups(barriers->scopes, member);
	}
	if (!error)
		error = scope_take_all(barriers->scopes, team->scope);
	if (!error)
		error = place_node(state, node, first);
	team->node = node;
	team->episode = episode;
	return error;
}

int barrier_pass(struct barriers *barriers, const struct live *live)
{
	return is_first(barriers, live) ? make_node(barriers, live->team, live->episode) : 0;
}

int barrier_take(struct barriers *barriers, const struct live *live)
{
	return state_edge(barriers->state, barriers->team[live->team].node);
}

/* ---- meetings ---- */

int barrier_meet(struct barriers *barriers, struct live *live)
{
	uint64_t *index = table_put(&barriers->by_object, live->object);

	if (!index)
		return state_no_memory(barriers->state);
	if (*index == 0) {
		if (!array_grow(&barriers->meeting, &barriers->meeting_room,
				barriers->n_meetings + 1, sizeof(*barriers->meeting)))
			return state_no_memory(barriers->state);
		barriers->meeting[barriers->n_meetings] = (struct meeting){ NONE };
		*index = ++barriers->n_meetings;
	}
	live->meeting = (uint32_t)(*index - 1);
	live->met_next = barriers->meeting[live->meeting].last;
	barriers->meeting[live->meeting].last = barriers->state->task_slot[live->task];
	return 0;
}

void barrier_part(struct barriers *barriers, struct live *live)
{
	uint32_t *link;

	if (live->meeting == NONE)
		return;
	link = &barriers->meeting[live->meeting].last;
	while (*link != barriers->state->task_slot[live->task]) {
		state_spend(barriers->state, 1);
		link = &barriers->state->live[*link].met_next;
	}
	*link = live->met_next;
	live->meeting = NONE;
}

/* All who wait there when the first of them goes on have met: a node after all of them. */
int barrier_pass_meeting(struct barriers *barriers, const struct live *live)
{
	struct state *state = barriers->state;
	struct strand strand = { .task = TASK_NONE, .pred = STRAND_NONE };
	uint32_t first = state->dag->n_extras;
	struct meeting *meeting;
	int error;

	if (live->meeting == NONE)
		return 0;
	meeting = &barriers->meeting[live->meeting];
	error = state_strand(state, &strand, 0);
	for (uint32_t m = meeting->last; m != NONE && !error; m = state->live[m].met_next) {
		state->live[m].meeting = NONE;
		state->live[m].met = state->newest;
		error = state_edge(state, state->task_last[state->live[m].task]);
	}
	meeting->last = NONE;
	return error ? error : place_node(state, state->newest, first);
}

int barrier_take_meeting(struct barriers *barriers, struct live *live)
{
	strand_id node = live->met;

	live->met = STRAND_NONE;
	return node == STRAND_NONE ? 0 : state_edge(barriers->state, node);
}
