/* SPDX-License-Identifier: MIT */
/*
 * omp_groups.c - a creator makes steps of each kind, with a node of its own between them: a
 * taskgroup, with task_reduction, cancelled by its first task, or neither; a taskloop, with nogroup
 * or not; a detached task, who fulfils its event (a task, or the creator), and who depends on it.
 *
 * Members of a group, and of a loop, are over before the creator's next node; others are after the
 * next taskwait.
 */
#include <omp.h>
#include <string.h>

#include "dags.h"

enum step { GROUP, REDUCTION, CANCELLED, LOOP, LOOP_NOGROUP, DETACH, DETACH_OWN, STEPS };

static int n_nodes, creator; /* the creator's last node */
static int loose[DAGS_NODES], n_loose; /* over at the next taskwait */
static long sum;
static char done[DAGS_NODES];
static omp_event_handle_t event[DAGS_NODES];

static int created(void)
{
	dags_link(creator, n_nodes);
	return n_nodes++;
}

/* The creator's next node comes after `n` nodes from `first` on. */
static void own_node(int first, int n)
{
	int node = n_nodes++;

	if (creator >= 0)
		dags_link(creator, node);
	for (int i = first; i < first + n; i++)
		dags_link(i, node);
	creator = node;
	dags_body(node);
}

static void group(int n)
{
	int first = n_nodes;

#pragma omp taskgroup
	for (int i = 0; i < n; i++) {
		int node = created();

#pragma omp task priority(i % 3) firstprivate(node)
		dags_body(node);
	}
	own_node(first, n);
}

static void reduction(int n)
{
	int first = n_nodes;
	long total = 0;

#pragma omp taskgroup task_reduction(+ : total)
	for (int i = 0; i < n; i++) {
		int node = created();

#pragma omp task in_reduction(+ : total) firstprivate(node)
		{
			dags_body(node);
			total += node;
		}
	}
	sum += total;
	own_node(first, n);
}

/* Tasks that have not begun by then do not run. */
static void cancelled(int n)
{
	int first = n_nodes;

#pragma omp taskgroup
	for (int i = 0; i < n; i++) {
		int node = created();

#pragma omp task firstprivate(node)
		{
			dags_body(node);
			if (node == first) {
#pragma omp cancel taskgroup
			}
		}
	}
	own_node(first, n);
}

static void loop(int n, int is_loose)
{
	int first = n_nodes;

	for (int i = 0; i < n; i++)
		created();
	if (is_loose) {
#pragma omp taskloop nogroup grainsize(1) priority(1)
		for (unsigned i = 0; i < (unsigned)n; i++)
			dags_body(first + (int)i);
		for (int i = 0; i < n; i++)
			loose[n_loose++] = first + i;
		own_node(first, 0);
	} else {
#pragma omp taskloop grainsize(1)
		for (unsigned i = 0; i < (unsigned)n; i++)
			dags_body(first + (int)i);
		own_node(first, n);
	}
}

static void detach(void)
{
	int node = created(), teller = created(), after = created();
	omp_event_handle_t fulfilled = 0;

#pragma omp task detach(fulfilled) depend(out : done[node]) firstprivate(node)
	dags_body(node);
	event[node] = fulfilled;
#pragma omp task firstprivate(node, teller)
	{
		dags_body(teller);
		omp_fulfill_event(event[node]);
	}
#pragma omp task depend(in : done[node]) firstprivate(after)
	dags_body(after);
	dags_link(node, after);
	dags_link(teller, after);
	for (int i = node; i <= after; i++)
		loose[n_loose++] = i;
	own_node(node, 0);
}

/* The creator fulfils the event after its own node, early or late. */
static void detach_own(void)
{
	int node = created(), own = n_nodes, after = own + 1;
	omp_event_handle_t fulfilled = 0;

#pragma omp task detach(fulfilled) depend(out : done[node]) firstprivate(node)
	dags_body(node);
#pragma omp task depend(in : done[node]) firstprivate(after)
	dags_body(after);
	dags_link(creator, after);
	own_node(node, 0);
	n_nodes++;
	omp_fulfill_event(fulfilled);
	dags_link(node, after);
	dags_link(own, after);
	for (int i = node; i <= after; i++)
		loose[n_loose++] = i;
}

static void wait(void)
{
	int node = n_nodes;

#pragma omp taskwait
	for (int i = 0; i < n_loose; i++)
		dags_link(loose[i], node);
	n_loose = 0;
	own_node(node, 0);
}

static void step(enum step what)
{
	int n = 1 + (int)dags_random(4);

	switch (what) {
	case GROUP:
		return group(n);
	case REDUCTION:
		return reduction(n);
	case CANCELLED:
		return cancelled(n);
	case LOOP:
	case LOOP_NOGROUP:
		return loop(n, what == LOOP_NOGROUP);
	case DETACH:
		return detach();
	default:
		return detach_own();
	}
}

void dags_run(void)
{
	memset(dags_edge, 0, sizeof(dags_edge));
	creator = -1;
	for (int i = dags_n; i < DAGS_NODES; i++)
		dags_node[i].count = 20000;
#pragma omp parallel
#pragma omp single
	{
		own_node(0, 0);
		while (n_nodes + 8 <= DAGS_NODES) {
			step((enum step)dags_random(STEPS));
			if (n_loose && dags_random(3) == 0)
				wait();
		}
		if (n_loose)
			wait();
	}
	dags_n = n_nodes;
}
