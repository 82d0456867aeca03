/* SPDX-License-Identifier: MIT */
/* nqueens.c - a thread for each queen that can be placed, in both orders of running. */
#include <stdio.h>
#include <string.h>
#include "myth/myth.h"

#define MAX 8

struct board {
	int n, row, child_first;
	signed char at[MAX];
};

static long n_tasks;

static int fits(const struct board *board, int column)
{
	for (int r = 0; r < board->row; r++) {
		int apart = board->at[r] - column;

		if (apart == 0 || apart == board->row - r || apart == r - board->row)
			return 0;
	}
	return 1;
}

static void *place(void *arg)
{
	struct board *board = arg, next[MAX];
	myth_thread_t thread[MAX];
	myth_thread_attr_t attr = { 0 };
	long found = 0;
	int n_next = 0;

	__sync_fetch_and_add(&n_tasks, 1);
	if (board->row == board->n)
		return (void *)1;
	myth_thread_attr_init(&attr);
	attr.child_first = board->child_first;
	for (int column = 0; column < board->n; column++) {
		if (!fits(board, column))
			continue;
		next[n_next] = *board;
		next[n_next].at[next[n_next].row++] = (signed char)column;
		myth_create_ex(&thread[n_next], &attr, place, &next[n_next]);
		n_next++;
	}
	while (n_next-- > 0) {
		void *result;

		myth_join(thread[n_next], &result);
		found += (long)result;
	}
	return (void *)found;
}

int main(void)
{
	for (int child_first = 0; child_first < 2; child_first++) {
		struct board board = { .n = 7, .child_first = child_first };
		void *result;

		myth_join(myth_create(place, &board), &result);
		printf("%ld ways\n", (long)result);
	}
	printf("tptrace-tasks %ld\n", n_tasks);
	return 0;
}
