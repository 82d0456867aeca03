/* SPDX-License-Identifier: MIT */
/* barrier_test.c - the nodes of barriers, of a team and among tasks of none. */
#include "test/unit/floors.h"

#define MEMBERS 3u

static struct live *member[MEMBERS];
static uint32_t team;

/* The root forks a team, whose members run on workers 1 to 3 from 10 on. */
static void fork_team(void)
{
	struct team made = { .forker = ROOT,
			     .fork = f.state.task_last[ROOT],
			     .flags = WIRE_FORK_TEAM,
			     .scope = scope_open(&f.join.scopes, 0, TASK_NONE),
			     .done = { NONE, NONE },
			     .last_member = NONE };

	floors_stop(&f, ROOT, 10);
	team = barrier_fork(&f.join.barriers, &made);
	for (uint32_t i = 0; i < MEMBERS; i++) {
		task_id task = floors_create(&f, made.scope, BUILD_MEMBER);

		floors_begin(&f, task, i + 1, 10, team);
	}
	for (uint32_t i = 0; i < MEMBERS; i++)
		member[i] = state_live(&f.state, ROOT + 1 + i);
}

static void wait(struct live *live, enum wire_wait kind, uint64_t ns)
{
	floors_stop(&f, live->task, ns);
	live->ended_by = WIRE_WAIT;
	join_wait(&f.join, live, kind);
}

/* One node an episode, where the last member arrived, before all that leave. */
FLOORS_TEST(test_team)
{
	strand_id last, node;

	fork_team();
	wait(member[0], WIRE_WAIT_TEAM, 20);
	wait(member[1], WIRE_WAIT_TEAM, 40);
	assert_false(barrier_all_arrived(&f.join.barriers, member[0]));
	wait(member[2], WIRE_WAIT_TEAM, 30);
	assert_true(barrier_all_arrived(&f.join.barriers, member[0]));
	last = f.state.task_last[member[1]->task];
	f.state.ns = 50;
	assert_int_equal(barrier_pass(&f.join.barriers, member[0]), 0);
	node = f.join.barriers.team[team].node;
	assert_int_equal(f.dag.n_nodes, 1);
	assert_true(dag_is_node(&f.dag, node));
	assert_int_equal(floors_edges(&f), MEMBERS);
	assert_int_equal(dag_start(&f.dag, node), 40);
	assert_int_equal(f.dag.strand[node].worker, 2);
	assert_int_equal(*map_find(&f.dag.node_releaser, node), last);
	assert_int_equal(barrier_pass(&f.join.barriers, member[2]), 0);
	assert_int_equal(f.dag.n_nodes, 1);
	floors_strand(&f, member[2]->task, 3, 50);
	assert_int_equal(barrier_take(&f.join.barriers, member[2]), 0);
	assert_true(floors_edge(&f, node));
}

/* The node is after the tasks that the team created, too. */
FLOORS_TEST(test_tasks)
{
	task_id task;

	fork_team();
	state_task(&f.state, KIND_OF_ROOTS, f.state.task_last[member[0]->task], member[0]->scope, 0,
		   &task);
	for (uint32_t i = 0; i < MEMBERS; i++)
		wait(member[i], WIRE_WAIT_TEAM, 20);
	member[0]->n_open++;
	floors_begin(&f, task, 1, 30, NONE);
	floors_end(&f, task, 60);
	member[0] = state_live(&f.state, ROOT + 1); /* live[] may have moved */
	f.state.ns = 70;
	assert_int_equal(barrier_pass(&f.join.barriers, member[0]), 0);
	assert_int_equal(floors_edges(&f), MEMBERS + 1);
	assert_int_equal(dag_start(&f.dag, f.state.newest), 60);
}

/* Members that ended are waited for by nobody; the others stay linked, in any order. */
FLOORS_TEST(test_leave)
{
	fork_team();
	floors_end(&f, member[1]->task, 20);
	wait(member[0], WIRE_WAIT_TEAM, 30);
	assert_false(barrier_all_arrived(&f.join.barriers, member[0]));
	wait(member[2], WIRE_WAIT_TEAM, 30);
	assert_true(barrier_all_arrived(&f.join.barriers, member[0]));
	f.state.lane[3].open = f.state.task_last[member[2]->task];
	floors_end(&f, member[2]->task, 40);
	assert_ptr_equal(&f.state.live[f.join.barriers.team[team].last_member], member[0]);
	assert_int_equal(state_more_of(&f.state, member[0])->team_next, NONE);
}

/* A task that needs no more has none; what an ended member had is the next one's, as new. */
FLOORS_TEST(test_more)
{
	struct live *plain;
	uint32_t was;

	fork_team();
	wait(member[2], WIRE_WAIT_BARRIER, 20);
	join_object(&f.join, member[2], 0x50);
	was = member[2]->more;
	f.state.lane[3].open = f.state.task_last[member[2]->task];
	floors_end(&f, member[2]->task, 30);
	plain = floors_begin(&f, floors_create(&f, 0, 0), 3, 40, NONE);
	assert_int_equal(plain->more, 0);
	assert_int_equal(state_more_of(&f.state, plain)->team, NONE);
	assert_non_null(state_more(&f.state, plain));
	assert_int_equal(plain->more, was);
	assert_int_equal(state_more_of(&f.state, plain)->object, 0);
	assert_int_equal(state_more_of(&f.state, plain)->team, NONE);
}

/* Who meets is who waits when the first goes on. */
FLOORS_TEST(test_meeting)
{
	strand_id node;

	fork_team();
	for (uint32_t i = 0; i < MEMBERS; i++) {
		wait(member[i], WIRE_WAIT_BARRIER, 20 + i);
		join_object(&f.join, member[i], 0x50);
	}
	barrier_part(&f.join.barriers, member[1]); /* it was no wait */
	f.state.ns = 30;
	assert_int_equal(barrier_pass_meeting(&f.join.barriers, member[0]), 0);
	node = f.state.newest;
	assert_int_equal(floors_edges(&f), 2);
	assert_int_equal(dag_start(&f.dag, node), 22);
	assert_int_equal(barrier_pass_meeting(&f.join.barriers, member[2]), 0);
	assert_int_equal(f.dag.n_nodes, 1);
	floors_strand(&f, member[2]->task, 3, 30);
	assert_int_equal(barrier_take_meeting(&f.join.barriers, member[2]), 0);
	assert_true(floors_edge(&f, node));
	assert_int_equal(barrier_take_meeting(&f.join.barriers, member[1]), 0);
	assert_int_equal(floors_edges(&f), 1);
}
