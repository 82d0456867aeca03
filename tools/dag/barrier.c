/* SPDX-License-Identifier: MIT */
/* barrier.c - makes the nodes of barriers. */
#include "tools/dag/barrier.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"

void barrier_open(struct barriers *barriers, struct state *state, struct scopes *scopes)
{
	*barriers = (struct barriers){ .state = state, .scopes = scopes };
}

void barrier_free(struct barriers *barriers)
{
	free(barriers->team);
	free(barriers->meeting);
	map_free(&barriers->by_object);
	*barriers = (struct barriers){ 0 };
}

/* The node is where the last of its predecessors, extra edges from `first` on, ended. */
static void place_node(struct state *state, strand_id node, uint32_t first)
{
	struct dag *dag = state->dag;
	uint64_t end = 0, *releaser = map_put(&dag->node_releaser, node);

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
}

/* ---- teams ---- */

uint32_t barrier_fork(struct barriers *barriers, const struct team *team)
{
	if (barriers->n_teams >= MADE_TEAM - 1)
		too_many("teams");
	ARRAY_ADD(barriers->team, barriers->n_teams, barriers->team_room, *team);
	return (uint32_t)barriers->n_teams - 1;
}

/* Of one that has it. */
static struct live_more *more_of(const struct barriers *barriers, uint32_t live)
{
	return &barriers->state->more[barriers->state->live[live].more];
}

void barrier_enter(struct barriers *barriers, struct live *live, uint32_t team)
{
	struct live_more *more = state_more(barriers->state, live);
	uint32_t next = barriers->team[team].last_member;
	uint32_t index = (uint32_t)(live - barriers->state->live);

	more->team = team;
	more->team_next = next;
	if (next != NONE)
		more_of(barriers, next)->team_prev = index;
	barriers->team[team].last_member = index;
}

void barrier_leave(struct barriers *barriers, struct live *live)
{
	const struct live_more *more = state_more_of(barriers->state, live);

	if (more->team == NONE)
		return;
	if (more->team_prev == NONE)
		barriers->team[more->team].last_member = more->team_next;
	else
		more_of(barriers, more->team_prev)->team_next = more->team_next;
	if (more->team_next != NONE)
		more_of(barriers, more->team_next)->team_prev = more->team_prev;
}

bool barrier_is_of_team(const struct barriers *barriers, const struct live *live)
{
	uint32_t team = state_more_of(barriers->state, live)->team;

	return team != NONE && barriers->team[team].flags & WIRE_FORK_TEAM;
}

/* Whether the task leaves its team's barrier before any other does. */
static bool is_first(const struct barriers *barriers, const struct live *live)
{
	const struct live_more *more = state_more_of(barriers->state, live);

	return live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_TEAM &&
	       barrier_is_of_team(barriers, live) &&
	       barriers->team[more->team].episode < more->episode;
}

static bool has_arrived(const struct state *state, const struct live *live, uint32_t episode)
{
	return live->ended_by == WIRE_WAIT && live->wait == WIRE_WAIT_TEAM &&
	       state_more_of(state, live)->episode == episode &&
	       !state_is_running(state, live->task);
}

bool barrier_all_arrived(const struct barriers *barriers, const struct live *live)
{
	const struct state *state = barriers->state;
	const struct live_more *more = state_more_of(state, live);
	uint32_t m;

	if (!is_first(barriers, live))
		return true;
	for (m = barriers->team[more->team].last_member; m != NONE;
	     m = more_of(barriers, m)->team_next) {
		state_spend(state, 1);
		if (!has_arrived(state, &state->live[m], more->episode))
			return false;
	}
	return true;
}

/* After all members who have arrived, and after all of the team's tasks. */
static int make_node(struct barriers *barriers, uint32_t number, uint32_t episode)
{
	struct state *state = barriers->state;
	struct team *team = &barriers->team[number];
	uint32_t first = state->dag->n_extras;
	strand_id node;
	int error = 0;

	state_node(state);
	node = state->newest;
	for (uint32_t m = team->last_member; m != NONE && !error;
	     m = more_of(barriers, m)->team_next) {
		struct live *member = &state->live[m];

		state_spend(state, 1);
		if (has_arrived(state, member, episode))
			error = state_edge(state, state->task_last[member->task]);
		if (!error)
			error = scope_take_children(barriers->scopes, member)
					?: scope_take_groups(barriers->scopes, member);
	}
	if (!error) {
		error = scope_take_all(barriers->scopes, team->scope);
		if (!error)
			place_node(state, node, first);
	}
	team->node = node;
	team->episode = episode;
	return error;
}

int barrier_pass(struct barriers *barriers, const struct live *live)
{
	const struct live_more *more = state_more_of(barriers->state, live);

	return is_first(barriers, live) ? make_node(barriers, more->team, more->episode) : 0;
}

int barrier_take(struct barriers *barriers, const struct live *live)
{
	uint32_t team = state_more_of(barriers->state, live)->team;

	return state_edge(barriers->state, barriers->team[team].node);
}

/* ---- meetings ---- */

void barrier_meet(struct barriers *barriers, struct live *live)
{
	struct live_more *more = state_more(barriers->state, live);
	uint64_t *index = map_put(&barriers->by_object, more->object);

	if (*index == 0) {
		ARRAY_ADD(barriers->meeting, barriers->n_meetings, barriers->meeting_room,
			  (struct meeting){ NONE });
		*index = barriers->n_meetings;
	}
	more->meeting = (uint32_t)(*index - 1);
	more->met_next = barriers->meeting[more->meeting].last;
	barriers->meeting[more->meeting].last = barriers->state->task_slot[live->task];
}

void barrier_part(struct barriers *barriers, struct live *live)
{
	struct live_more *more = &barriers->state->more[live->more];
	uint32_t *link;

	if (more->meeting == NONE)
		return;
	link = &barriers->meeting[more->meeting].last;
	while (*link != barriers->state->task_slot[live->task]) {
		state_spend(barriers->state, 1);
		link = &more_of(barriers, *link)->met_next;
	}
	*link = more->met_next;
	more->meeting = NONE;
}

/* All who wait there when the first of them goes on have met: a node after all of them. */
int barrier_pass_meeting(struct barriers *barriers, const struct live *live)
{
	struct state *state = barriers->state;
	uint32_t first = state->dag->n_extras;
	uint32_t number = state_more_of(state, live)->meeting;
	struct meeting *meeting;
	int error = 0;

	if (number == NONE)
		return 0;
	meeting = &barriers->meeting[number];
	state_node(state);
	for (uint32_t m = meeting->last; m != NONE && !error; m = more_of(barriers, m)->met_next) {
		more_of(barriers, m)->meeting = NONE;
		more_of(barriers, m)->met = state->newest;
		error = state_edge(state, state->task_last[state->live[m].task]);
	}
	meeting->last = NONE;
	if (error)
		return error;
	place_node(state, state->newest, first);
	return 0;
}

int barrier_take_meeting(struct barriers *barriers, struct live *live)
{
	strand_id node = state_more_of(barriers->state, live)->met;

	if (node == STRAND_NONE)
		return 0;
	state_more(barriers->state, live)->met = STRAND_NONE;
	return state_edge(barriers->state, node);
}
