/* SPDX-License-Identifier: MIT */
/* planted.c - what ranks of a job lose by one cause, -DPLANT=its function; -DREPAIR: without it. */
#include <mpi.h>
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef REPAIR
#define REPAIRED 1
#else
#define REPAIRED 0
#endif
#define MS 1000
#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

static int rank, n_ranks, x, y;

/* Of ranks that come late: two tasks, on two workers. */
static void work_late(int ms)
{
	for (int i = 0; i < 2; i++) {
#pragma omp task /* late */
		usleep((useconds_t)ms * MS);
	}
#pragma omp taskwait
}

/* Of all ranks. */
static void work(int ms)
{
	for (int i = 0; i < 2; i++) {
#pragma omp task /* uneven */
		usleep((useconds_t)ms * MS);
	}
#pragma omp taskwait
}

/* One rank is late with what it does first; or it does that afterwards. */
static void around(int late, void (*call)(void))
{
	work(5);
	if (rank == late && !REPAIRED)
		work_late(200);
	call();
	if (rank == late && REPAIRED)
		work_late(200);
	work(5);
}

/* ---- late senders and receivers ---- */

static void pass_on(void)
{
	if (rank)
		MPI_Recv(&x, 1, MPI_INT, rank - 1, 7, WORLD, IGNORE);
	if (rank + 1 < n_ranks)
		MPI_Send(&x, 1, MPI_INT, rank + 1, 7, WORLD);
}

void sender(void)
{
	around(0, pass_on);
}

static void send_synchronously(void)
{
	if (rank)
		MPI_Recv(&x, 1, MPI_INT, 0, 7, WORLD, IGNORE);
	else
		MPI_Ssend(&x, 1, MPI_INT, 1, 7, WORLD);
}

void receiver(void)
{
	around(1, send_synchronously);
}

/* The message comes while two receives are outstanding. */
static void wait_any(void)
{
	MPI_Request request[2];
	int index;

	if (rank) {
		MPI_Send(&x, 1, MPI_INT, 0, rank, WORLD);
		return;
	}
	MPI_Irecv(&x, 1, MPI_INT, 1, 1, WORLD, &request[0]);
	MPI_Irecv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 2, WORLD, &request[1]);
	MPI_Waitany(2, request, &index, IGNORE);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

void any_sender(void)
{
	around(2, wait_any);
}

/* ---- late to collective calls ---- */

static void call_barrier(void)
{
	MPI_Barrier(WORLD);
}

void barrier(void)
{
	around(3, call_barrier);
}

static void call_allreduce(void)
{
	MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, WORLD);
}

void allreduce(void)
{
	around(2, call_allreduce);
}

static void call_bcast(void)
{
	MPI_Bcast(&x, 1, MPI_INT, 1, WORLD);
}

void bcast(void)
{
	around(1, call_bcast);
}

static void call_reduce(void)
{
	MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, 0, WORLD);
}

void reduce(void)
{
	around(1, call_reduce);
}

/* All begin it before they work, and wait for it afterwards; or the late one works before. */
void begun(void)
{
	MPI_Request request;

	if (rank == 0 && !REPAIRED)
		work_late(200);
	MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, WORLD, &request);
	if (rank == 0 && REPAIRED)
		work_late(200);
	MPI_Wait(&request, IGNORE);
	work(5);
}

/* ---- ranks that have more to do ---- */

static void rounds(int (*ms)(int round))
{
	for (int round = 0; round < 4; round++) {
		work(REPAIRED ? 50 : ms(round));
		MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, WORLD);
	}
}

static int by_rank(int round)
{
	(void)round;
	return rank == n_ranks - 1 ? 150 : 20;
}

void imbalance(void)
{
	rounds(by_rank);
}

static int in_turn(int round)
{
	return round % n_ranks == rank ? 150 : 20;
}

void imbalance_in_turn(void)
{
	rounds(in_turn);
}

/* ---- calls that take long themselves ---- */

#define SMALL 20000

void small(void)
{
	int *all = calloc(SMALL, sizeof(*all)), size = REPAIRED ? SMALL : 1;

#pragma omp task /* small */
	for (int i = 0; i < SMALL / size; i++) {
		if (rank)
			MPI_Recv(all, size, MPI_INT, 0, 7, WORLD, IGNORE);
		else
			MPI_Send(all, size, MPI_INT, 1, 7, WORLD);
	}
#pragma omp taskwait
	free(all);
}

static void send_many(int n, int tag)
{
	for (int i = 0; i < n; i++)
		MPI_Send(&x, 1, MPI_INT, 1, tag, WORLD);
}

/* By serial.c the library takes some time for each send; for one at a time, or for all at once. */
void serial(void)
{
	if (rank) {
		MPI_Recv(&x, 1, MPI_INT, 0, 3, WORLD, IGNORE); /* the last one */
		for (int i = 0; i < 220; i++)
			MPI_Recv(&x, 1, MPI_INT, 0, MPI_ANY_TAG, WORLD, IGNORE);
		return;
	}
	send_many(20, 0);
#pragma omp parallel num_threads(2) /* regions in tasks have teams of their own */
	send_many(100, 1 + omp_get_thread_num());
	send_many(1, 3);
}

/* Two tasks wait for messages, on two workers, while others are ready; or they come afterwards. */
static void receive_twice(void)
{
	for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(i) /* keeps */
		MPI_Recv(i ? &x : &y, 1, MPI_INT, 0, i, WORLD, IGNORE);
	}
}

void ready(void)
{
	if (!rank) {
		usleep(300 * MS);
		for (int i = 0; i < 2; i++)
			MPI_Send(&x, 1, MPI_INT, 1, i, WORLD);
		return;
	}
	if (!REPAIRED)
		receive_twice();
	for (int i = 0; i < 6; i++) {
#pragma omp task
		usleep(100 * MS);
	}
#pragma omp taskwait
	if (REPAIRED)
		receive_twice();
#pragma omp taskwait
}

int main(int argc, char **argv)
{
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &n_ranks);
	MPI_Barrier(WORLD);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp single
	PLANT();
	MPI_Finalize();
	return 0;
}
