/* SPDX-License-Identifier: MIT */
/* posted.c - receives from anybody that end in another order than they were posted in. */
#include <mpi.h>

enum { TAG = 5, MOST = 4 };

/* The n-th is of n ints, and the last to be posted is the first in the array. */
static void post(MPI_Request *receive, int n)
{
	static int x[MOST][MOST], sent[MOST + 1];

	for (int i = 1; i <= n; i++)
		MPI_Irecv(x[n - i], i, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
			  &receive[n - i]);
	for (int i = 1; i <= n; i++)
		MPI_Send(sent, i, MPI_INT, 0, TAG, MPI_COMM_WORLD);
}

static void exchange(void)
{
	MPI_Request receive[MOST], persistent[2];
	int x[2][2], sent[2] = { 0 }, at, n, index[MOST], done[2];

	post(receive, 3);
	MPI_Waitall(3, receive, MPI_STATUSES_IGNORE);
	post(receive, 2);
	for (int i = 0; i < 2; i++)
		MPI_Request_get_status(receive[i], &done[i], MPI_STATUS_IGNORE);
	for (int i = 0; i < 2; i++)
		MPI_Waitany(2, receive, &at, MPI_STATUS_IGNORE);
	post(receive, 4);
	for (int left = 4; left > 0; left -= n > 0 ? n : 0)
		MPI_Waitsome(4, receive, &n, index, MPI_STATUSES_IGNORE);
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 1; i <= 2 && turn == 0; i++)
			MPI_Recv_init(x[2 - i], i, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD,
				      &persistent[2 - i]);
		MPI_Start(&persistent[1]);
		MPI_Start(&persistent[0]);
		for (int i = 1; i <= 2; i++)
			MPI_Send(sent, i, MPI_INT, 0, TAG, MPI_COMM_WORLD);
		for (int i = 0; i < 2; i++)
			MPI_Waitany(2, persistent, &at, MPI_STATUS_IGNORE);
	}
	for (int i = 0; i < 2; i++)
		MPI_Request_free(&persistent[i]);
}

int main(int argc, char **argv)
{
	int got;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	exchange();
	MPI_Finalize();
	return 0;
}
