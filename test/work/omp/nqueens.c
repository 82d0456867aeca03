/* SPDX-License-Identifier: MIT */
/* nqueens(7), a task a placement, with its board firstprivate: GOMP_task of a growing tree. */
#include <stdio.h>

#define N 7

struct board {
	signed char row[N];
};

static int board_fits(const struct board *b, int col)
{
	for (int c = 0; c < col; c++) {
		int d = b->row[c] - b->row[col];

		if (d == 0 || d == col - c || d == c - col)
			return 0;
	}
	return 1;
}

static long n_solutions;

static void place(struct board b, int col)
{
	if (col == N) {
#pragma omp atomic
		n_solutions++;
		return;
	}
	for (int r = 0; r < N; r++) {
		b.row[col] = r;
		if (board_fits(&b, col))
#pragma omp task firstprivate(b, col)
			place(b, col + 1);
	}
}

static long n_places(struct board b, int col)
{
	long n = 0;

	for (int r = 0; col < N && r < N; r++) {
		b.row[col] = r;
		if (board_fits(&b, col))
			n += 1 + n_places(b, col + 1);
	}
	return n;
}

int main(void)
{
	struct board b = { { 0 } };

#pragma omp parallel
#pragma omp single
	place(b, 0);
	printf("solutions %ld\n", n_solutions);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks %ld\n", n_places(b, 0));
	return n_solutions != 40;
}
