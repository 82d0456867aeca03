/* SPDX-License-Identifier: MIT */
/*
 * floorplan.c - the smallest rectangle that holds N cells, each standing or lying, and each to the
 * right of or below the one before or the one before that; by branch and bound, a task for each
 * place of the first CUT_OFF cells.
 *
 * A task knows the bound that its creator knew, and shares its own with nobody: so the search, and
 * the number of tasks, is the same on any number of threads.
 */
#define PORT_SIZE 14
#define PORT_SMALL 6
#include "test/bench/bots/bots.h"

#define CUT_OFF 5
#define CELLS_MAX 16
#define BOARD 64
#define PLACES 8 /* two shapes, beside and below two cells */

struct rectangle {
	int x, y, wide, high;
};

struct plan {
	struct port_task task;
	int n;		       /* cells that have a place */
	int wide, high;	       /* of what holds them */
	int best;	       /* the smallest area known, and then of this plan's, too */
	long n_tasks, n_plans; /* tasks made, places tried */
	struct rectangle cell[CELLS_MAX];
};
PORT_BODY(place, struct plan)

static int floorplan_size[CELLS_MAX][2], floorplan_cells;

static bool overlap(const struct rectangle *a, const struct rectangle *b)
{
	return a->x < b->x + b->wide && b->x < a->x + a->wide && a->y < b->y + b->high &&
	       b->y < a->y + a->high;
}

/* Puts the next cell to the which-th place; false if it cannot stand there, or in vain. */
static bool place_next(struct plan *plan, int which)
{
	int before = plan->n - 1 - which / 4, turned = which & 1;
	struct rectangle *cell = &plan->cell[plan->n];
	const struct rectangle *near;

	if (before < 0)
		return false;
	near = &plan->cell[before];
	cell->wide = floorplan_size[plan->n][turned];
	cell->high = floorplan_size[plan->n][!turned];
	cell->x = which & 2 ? near->x : near->x + near->wide;
	cell->y = which & 2 ? near->y + near->high : near->y;
	for (int i = 0; i < plan->n; i++)
		if (overlap(cell, &plan->cell[i]))
			return false;
	if (cell->x + cell->wide > BOARD || cell->y + cell->high > BOARD)
		return false;
	if (cell->x + cell->wide > plan->wide)
		plan->wide = cell->x + cell->wide;
	if (cell->y + cell->high > plan->high)
		plan->high = cell->y + cell->high;
	plan->n++;
	return plan->wide * plan->high < plan->best;
}

static void place_alone(struct plan *plan)
{
	int n = plan->n, wide = plan->wide, high = plan->high;

	if (n == floorplan_cells) {
		plan->best = wide * high;
		return;
	}
	for (int which = 0; which < PLACES; which++) {
		plan->n_plans++;
		if (place_next(plan, which))
			place_alone(plan);
		plan->n = n;
		plan->wide = wide;
		plan->high = high;
	}
}

static void place(struct plan *at)
{
	struct plan next[PLACES];
	int n = 0;

	if (at->n >= CUT_OFF || at->n == floorplan_cells) {
		place_alone(at);
		return;
	}
	PORT_OPEN(group);
	for (int which = 0; which < PLACES; which++) {
		next[n] = *at;
		memset(&next[n].task, 0, sizeof(next[n].task));
		next[n].n_tasks = next[n].n_plans = 0;
		at->n_plans++;
		if (!place_next(&next[n], which))
			continue;
		PORT_CREATE(group, place, &next[n]);
		n++;
	}
	PORT_WAIT(group);
	at->n_tasks = n;
	for (int i = 0; i < n; i++) {
		at->n_tasks += next[i].n_tasks;
		at->n_plans += next[i].n_plans;
		if (next[i].best < at->best)
			at->best = next[i].best;
	}
	PORT_CLOSE(group);
}

static long port_program(long size, long *n_tasks)
{
	unsigned state = 29;
	struct plan plan;
	int area = 0;

	floorplan_cells = size < 1 ? 1 : size > CELLS_MAX ? CELLS_MAX : (int)size;
	for (int i = 0; i < floorplan_cells; i++) {
		floorplan_size[i][0] = (int)(1 + bots_random(&state) % 8);
		floorplan_size[i][1] = (int)(1 + bots_random(&state) % 8);
		area += floorplan_size[i][0] * floorplan_size[i][1];
	}
	memset(&plan, 0, sizeof(plan));
	plan.best = BOARD * BOARD + 1;
	plan.n = 1;
	plan.wide = plan.cell[0].wide = floorplan_size[0][0];
	plan.high = plan.cell[0].high = floorplan_size[0][1];
	place(&plan);
	bots_check(plan.best >= area && plan.best <= BOARD * BOARD, "no rectangle for all cells");
	*n_tasks = plan.n_tasks;
	return plan.n_plans * 10000 + plan.best;
}
