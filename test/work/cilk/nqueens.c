// SPDX-License-Identifier: MIT
// Queens on a board: spawns in a loop, with a copy of the board on the stack of each call.
#include <stdio.h>
#include <string.h>
#include "lowered.h"

#define SIDE 7

static int n_tasks;

static int place(int row, const char *board);

CILK_HELPER(spawn_place, (int *found, int row, const char *board), *found = place(row, board))

static int safe(int row, int column, const char *board)
{
	for (int i = 0; i < row; i++)
		if (board[i] == column || row - i == column - board[i] ||
		    row - i == board[i] - column)
			return 0;
	return 1;
}

static int place(int row, const char *board)
{
	char boards[SIDE][SIDE];
	int found[SIDE] = { 0 }, sum = 0;

	if (row == SIDE)
		return 1;
	CILK_ENTER;
	for (int column = 0; column < SIDE; column++) {
		if (!safe(row, column, board))
			continue;
		memcpy(boards[column], board, SIDE);
		boards[column][row] = (char)column;
		__atomic_add_fetch(&n_tasks, 1, __ATOMIC_RELAXED);
		CILK_SPAWN(spawn_place, &found[column], row + 1, boards[column]);
	}
	CILK_SYNC;
	for (int column = 0; column < SIDE; column++)
		sum += found[column];
	CILK_LEAVE;
	return sum;
}

int main(void)
{
	char board[SIDE] = { 0 };

	printf("%d ways\n", place(0, board));
	printf("tptrace-tasks %d\n", n_tasks);
	return 0;
}
