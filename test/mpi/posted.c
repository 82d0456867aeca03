/* SPDX-License-Identifier: MIT */
/*
 * posted.c - receives from anybody that end in another order than they were posted in; says how
 * often requests were looked at for those that another order cannot concern. -DBETWEEN: the library
 * that all looks go through, which may wait behind one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>

extern void (*_Atomic once_looked)(void); /* what the next look calls last */
extern _Atomic int n_looks;

#ifdef BETWEEN
void (*_Atomic once_looked)(void);
_Atomic int n_looks;

int PMPI_Request_get_status(MPI_Request request, int *is_complete, MPI_Status *status)
{
	int (*next)(MPI_Request, int *, MPI_Status *) = dlsym(RTLD_NEXT, "PMPI_Request_get_status");
	int error = next(request, is_complete, status);
	void (*call)(void) = atomic_exchange(&once_looked, NULL);

	n_looks++;
	if (call)
		call();
	return error;
}
#else
enum { TAG = 5, MOST = 4, MANY = 40 };

static _Atomic int turn;

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

static void let_other(void)
{
	atomic_store(&turn, 1);
	while (atomic_load(&turn) == 1)
		;
}

/* Two messages come while two requests are looked at, as a third one is complete. */
static void come_meanwhile(void)
{
	static int x[2][2], last, sent[2];
	MPI_Request receive[3];
	int at;

#pragma omp task
	{
		while (!atomic_load(&turn))
			;
		for (int i = 1; i <= 2; i++)
			MPI_Send(sent, i, MPI_INT, 0, TAG + 1, MPI_COMM_WORLD);
		atomic_store(&turn, 2);
	}
	for (int i = 0; i < 2; i++)
		MPI_Irecv(x[i], i + 1, MPI_INT, MPI_ANY_SOURCE, TAG + 1, MPI_COMM_WORLD,
			  &receive[i]);
	MPI_Irecv(&last, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receive[2]);
	MPI_Send(sent, 1, MPI_INT, 0, TAG + 2, MPI_COMM_WORLD);
	atomic_store(&once_looked, let_other);
	for (int i = 0; i < 3; i++)
		MPI_Waitany(3, receive, &at, MPI_STATUS_IGNORE);
	if (!atomic_exchange(&turn, 2))
		puts("nobody looked");
#pragma omp taskwait
}

/* The last to be posted is the first that is complete; none takes what another may. */
static void take_apart(void)
{
	static int x[MANY], sent;
	MPI_Request receive[MANY];
	int at, before = n_looks;

	for (int i = 0; i < MANY; i++)
		MPI_Irecv(&x[i], 1, MPI_INT, MPI_ANY_SOURCE, 2 * TAG + i, MPI_COMM_WORLD,
			  &receive[i]);
	for (int i = MANY; i--;) {
		MPI_Send(&sent, 1, MPI_INT, 0, 2 * TAG + i, MPI_COMM_WORLD);
		MPI_Waitany(MANY, receive, &at, MPI_STATUS_IGNORE);
	}
	printf("%d\n", n_looks - before);
}

int main(int argc, char **argv)
{
	int got;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	{
		exchange();
		come_meanwhile();
		take_apart();
	}
	MPI_Finalize();
	return 0;
}
#endif
