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

/* One rank is late with what it does first; or all do that afterwards. */
static void around(int late, void (*call)(void))
{
	work(5);
	if (rank == late && !REPAIRED)
		work_late(200);
	call();
	if (REPAIRED)
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

/* The size of the message is asked for first. */
static void probe_first(void)
{
	MPI_Status status;
	int n;

	for (int i = 1; i < n_ranks && !rank; i++) {
		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status);
		MPI_Get_count(&status, MPI_INT, &n);
		MPI_Recv(&x, n, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, WORLD, IGNORE);
	}
	if (rank)
		MPI_Send(&x, 1, MPI_INT, 0, rank, WORLD);
}

void probed_sender(void)
{
	around(2, probe_first);
}

static void ask_first(void)
{
	MPI_Request request;
	int there = 0;

	if (rank) {
		MPI_Send(&x, 1, MPI_INT, 0, 1, WORLD);
		return;
	}
	MPI_Irecv(&y, 1, MPI_INT, 1, 1, WORLD, &request);
	while (!there)
		MPI_Request_get_status(request, &there, IGNORE);
	MPI_Wait(&request, IGNORE);
}

void asked_sender(void)
{
	around(1, ask_first);
}

/* The message is too large to be buffered. */
static void send_large(void)
{
	static int large[1 << 20];
	MPI_Request request;

	if (rank) {
		MPI_Recv(large, 1 << 20, MPI_INT, 0, 1, WORLD, IGNORE);
		return;
	}
	MPI_Isend(large, 1 << 20, MPI_INT, 1, 1, WORLD, &request);
	MPI_Wait(&request, IGNORE);
}

void waited_receiver(void)
{
	around(1, send_large);
}

/* Each of two groups sends to the other; ranks are those of the other. */
static MPI_Comm between_groups(void)
{
	int low = rank < n_ranks / 2;
	MPI_Comm half, between;

	MPI_Comm_split(WORLD, low, rank, &half);
	MPI_Intercomm_create(half, 0, WORLD, low ? n_ranks / 2 : 0, 5, &between);
	return between;
}

static MPI_Comm between;

static void send_between(void)
{
	if (rank < n_ranks / 2)
		MPI_Send(&x, 1, MPI_INT, rank, 1, between);
	else
		MPI_Recv(&x, 1, MPI_INT, rank - n_ranks / 2, 1, between, IGNORE);
}

void sender_between(void)
{
	between = between_groups();
	around(1, send_between);
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
	if (REPAIRED)
		work_late(200);
	MPI_Wait(&request, IGNORE);
	work(5);
}

static void call_split(void)
{
	MPI_Comm both;

	MPI_Comm_split(WORLD, 0, -rank, &both);
	MPI_Comm_free(&both);
}

void split(void)
{
	around(1, call_split);
}

static MPI_Win window;
static int exposed[1024];

static void call_fence(void)
{
	MPI_Put(&x, 1, MPI_INT, 0, rank, 1, MPI_INT, window);
	MPI_Win_fence(0, window);
}

void fence(void)
{
	MPI_Win_create(exposed, sizeof(exposed), sizeof(int), MPI_INFO_NULL, WORLD, &window);
	MPI_Win_fence(0, window);
	around(1, call_fence);
	MPI_Win_free(&window);
}

/* Rank 1 exposes its window to rank 0, and waits until that has written. */
static void put_exposed(void)
{
	MPI_Group world, other;
	int to = !rank;

	MPI_Comm_group(WORLD, &world);
	MPI_Group_incl(world, 1, &to, &other);
	if (rank) {
		MPI_Win_post(other, 0, window);
		MPI_Win_wait(window);
	} else {
		MPI_Win_start(other, 0, window);
		MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
		MPI_Win_complete(window);
	}
	MPI_Group_free(&other);
	MPI_Group_free(&world);
}

static void expose(int late)
{
	MPI_Win_create(exposed, sizeof(exposed), sizeof(int), MPI_INFO_NULL, WORLD, &window);
	put_exposed();
	around(late, put_exposed);
	MPI_Win_free(&window);
}

void exposed_late(void)
{
	expose(1);
}

void written_late(void)
{
	expose(0);
}

static MPI_File file;

static void call_write(void)
{
	MPI_File_write_at_all(file, rank * (int)sizeof(x), &x, 1, MPI_INT, IGNORE);
}

void written(void)
{
	MPI_File_open(WORLD, "written.out",
		      MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
		      &file);
	around(1, call_write);
	MPI_File_close(&file);
}

static void call_between(void)
{
	MPI_Bcast(&x, 1, MPI_INT, rank < 2 ? 0 : rank == 2 ? MPI_ROOT : MPI_PROC_NULL, between);
}

/* The root is in the other group; the rest of its group take no part. */
void bcast_between(void)
{
	between = between_groups();
	around(2, call_between);
}

/* ---- of MPI 4 ---- */

#if MPI_VERSION >= 4

static MPI_Request prepared;

static void call_prepared(void)
{
	MPI_Start(&prepared);
	MPI_Wait(&prepared, IGNORE);
}

void prepared_reduce(void)
{
	MPI_Allreduce_init(&x, &y, 1, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &prepared);
	around(1, call_prepared);
	MPI_Request_free(&prepared);
}

/* The message is sent with the last of its parts. */
static void call_parts(void)
{
	MPI_Start(&prepared);
	if (rank && !REPAIRED)
		work_late(200);
	if (rank)
		MPI_Pready_range(0, 3, prepared);
	MPI_Wait(&prepared, IGNORE);
}

void parts(void)
{
	static int part[4];

	if (rank)
		MPI_Psend_init(part, 4, 1, MPI_INT, 0, 1, WORLD, MPI_INFO_NULL, &prepared);
	else
		MPI_Precv_init(part, 4, 1, MPI_INT, 1, 1, WORLD, MPI_INFO_NULL, &prepared);
	work(5);
	call_parts();
	MPI_Request_free(&prepared);
}

static void send_counted(void)
{
	MPI_Request request;

	if (rank)
		MPI_Send_c(&x, 1, MPI_INT, 0, 1, WORLD);
	else
		MPI_Recv_c(&x, 1, MPI_INT, 1, 1, WORLD, IGNORE);
	MPI_Isendrecv(&x, 1, MPI_INT, !rank, 1, &y, 1, MPI_INT, !rank, 1, WORLD, &request);
	MPI_Wait(&request, IGNORE);
}

void large_count(void)
{
	around(1, send_counted);
}

#endif

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
