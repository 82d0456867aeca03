/* SPDX-License-Identifier: MIT */
/*
 * nqueens.c - how many ways there are to place N queens: a task for each queen that can stand, or
 * for each of the first CUT_OFF, in test/bench/bots.
 */
#ifndef PORT_SIZE
#define PORT_SIZE 7
#define PORT_SMALL 5
#endif
#include "test/port/port.h"

#define QUEENS_MAX 14
#ifndef CUT_OFF
#define CUT_OFF QUEENS_MAX
#endif

struct board {
	struct port_task task;
	int n, rows;		/* the first rows have a queen */
	signed char column[16]; /* of each */
	long solutions, n_tasks;
};
PORT_BODY(place, struct board)

static bool stands(const struct board *board, int column)
{
	for (int row = 0; row < board->rows; row++) {
		int away = board->column[row] - column;

		if (away == 0 || away == board->rows - row || away == row - board->rows)
			return false;
	}
	return true;
}

static long place_alone(struct board *board)
{
	long solutions = 0;

	if (board->rows == board->n)
		return 1;
	for (int column = 0; column < board->n; column++) {
		if (!stands(board, column))
			continue;
		board->column[board->rows++] = (signed char)column;
		solutions += place_alone(board);
		board->rows--;
	}
	return solutions;
}

static void place(struct board *at)
{
	struct board next[QUEENS_MAX];
	int n = 0;

	if (at->rows == at->n || at->rows == CUT_OFF) {
		at->solutions = place_alone(at);
		return;
	}
	PORT_OPEN(group);
	for (int column = 0; column < at->n; column++) {
		if (!stands(at, column))
			continue;
		next[n] = *at;
		memset(&next[n].task, 0, sizeof(next[n].task));
		next[n].column[next[n].rows++] = (signed char)column;
		PORT_CREATE(group, place, &next[n]);
		n++;
	}
	PORT_WAIT(group);
	at->n_tasks = n;
	for (int i = 0; i < n; i++) {
		at->solutions += next[i].solutions;
		at->n_tasks += next[i].n_tasks;
	}
	PORT_CLOSE(group);
}

static long port_program(long size, long *n_tasks)
{
	struct board empty;

	memset(&empty, 0, sizeof(empty));
	empty.n = size < QUEENS_MAX ? (int)size : QUEENS_MAX;
	place(&empty);
	*n_tasks = empty.n_tasks;
	return empty.solutions;
}
