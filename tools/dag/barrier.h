/* SPDX-License-Identifier: MIT */
/*
 * barrier.h - teams, and barriers: a node in the dag for each episode.
 *
 *	team	a fork: a parallel region's team, or the tasks of a taskloop
 *	meeting	a barrier among tasks of no team
 *
 * A node is made when the first one leaves the barrier; it comes before the strand that leaves,
 * which is not there yet.
 */
#pragma once

#include "tools/dag/scope.h"

struct team {
	task_id forker;
	strand_id fork; /* the strand that ended with the fork */
	site_id site;
	uint32_t path;	      /* that made it, as dag->task_path */
	uint32_t flags;	      /* enum wire_fork */
	uint32_t scope;	      /* of the members */
	struct list done;     /* members that ended */
	uint32_t last_member; /* live; the members are linked through team_next */
	uint32_t episode;     /* of the newest node */
	strand_id node;
};

struct meeting {
	uint32_t last; /* live of who came last, and did not go on yet; NONE */
};

struct barriers {
	struct state *state;
	struct scopes *scopes;
	struct team *team;
	uint64_t n_teams, team_room;
	struct meeting *meeting;
	uint64_t n_meetings, meeting_room;
	struct map by_object; /* object -> meeting + 1 */
};

void barrier_open(struct barriers *barriers, struct state *state, struct scopes *scopes);
void barrier_free(struct barriers *barriers);

/* A new team: its number, less than MADE_TEAM. */
uint32_t barrier_fork(struct barriers *barriers, const struct team *team);
void barrier_enter(struct barriers *barriers, struct live *live, uint32_t team);
void barrier_leave(struct barriers *barriers, struct live *live);

/* Whether the task waits at a barrier that makes a node: it is a member of a parallel region's
 * team. */
bool barrier_is_of_team(const struct barriers *barriers, const struct live *live);
/* Unless the task waits at a barrier of its team that not all of its members have reached. */
bool barrier_all_arrived(const struct barriers *barriers, const struct live *live);
/* Before the task goes on from its team's barrier: makes the node, if it is the first. */
int barrier_pass(struct barriers *barriers, const struct live *live);
/* Adds the edge from it. */
int barrier_take(struct barriers *barriers, const struct live *live);

/* The task waits for the object of its wait, with all who will until the first of them goes on. */
void barrier_meet(struct barriers *barriers, struct live *live);
/* It does not, after all. */
void barrier_part(struct barriers *barriers, struct live *live);
/* Before it goes on from there. */
int barrier_pass_meeting(struct barriers *barriers, const struct live *live);
int barrier_take_meeting(struct barriers *barriers, struct live *live);
