/* SPDX-License-Identifier: MIT */
/*
 * exposed.c - ranks of a reversed communicator expose their windows: each to all others, and each
 * to the next one, two turns of either; says what it has in the end.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static MPI_Comm reversed;
static MPI_Win window;
static int rank, n_ranks, *memory;

static MPI_Group others(int first, int n)
{
	MPI_Group all, some;
	int *member = malloc((size_t)n * sizeof(*member));

	for (int i = 0; i < n; i++)
		member[i] = (first + i) % n_ranks;
	MPI_Comm_group(reversed, &all);
	MPI_Group_incl(all, n, member, &some);
	MPI_Group_free(&all);
	free(member);
	return some;
}

/* The n before write to the n behind them. */
static void turn(int n, int tests)
{
	MPI_Group from = others(rank + n_ranks - n, n), to = others(rank + 1, n);
	int done = 0;

	MPI_Win_post(from, 0, window);
	MPI_Win_start(to, 0, window);
	MPI_Group_free(&from);
	MPI_Group_free(&to);
	for (int i = 1; i <= n; i++)
		MPI_Accumulate(&rank, 1, MPI_INT, (rank + i) % n_ranks, 0, 1, MPI_INT, MPI_SUM,
			       window);
	MPI_Win_complete(window);
	while (tests && !done)
		MPI_Win_test(window, &done);
	if (!tests)
		MPI_Win_wait(window);
}

static void turns(void)
{
	for (int i = 0; i < 4; i++)
		turn(i < 2 ? n_ranks - 1 : 1, i & 1);
}

int main(int argc, char **argv)
{
	int got;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
	MPI_Comm_rank(reversed, &rank);
	MPI_Comm_size(reversed, &n_ranks);
	memory = calloc(1, sizeof(*memory));
	MPI_Win_create(memory, sizeof(*memory), sizeof(*memory), MPI_INFO_NULL, reversed, &window);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	turns();
	MPI_Win_free(&window);
	printf("%d of %d: %d\n", rank, n_ranks, *memory);
	MPI_Finalize();
	return 0;
}
