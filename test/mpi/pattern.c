/* SPDX-License-Identifier: MIT */
/*
 * pattern.c SEED BATCHES FOLDER - messages between random ranks, of random kinds, on three
 * communicators, in tasks; puts what each rank received into a file of its own in the folder.
 *
 * Each message carries how many its sender sent before to that rank with that tag on that
 * communicator: what the recorder says of its order must be the same.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 40, COMMS = 3, TAGS = 3, RANKS = 8 };
struct planned {
	int from, to, tag, comm;
};
struct body {
	long from, tag, comm, nth;
};

static MPI_Comm comm[COMMS];
static int rank, n_ranks;
static unsigned long seed;
static long n_sent[COMMS][RANKS][TAGS];

static int below(int n) /* the same on all ranks */
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (int)(seed >> 33) % n;
}

/* Of the reversed communicator the ranks are others. */
static int in(int which, int of)
{
	return which == 2 ? n_ranks - 1 - of : of;
}

static void say(const struct body *body, const MPI_Status *status)
{
	if (body->tag != status->MPI_TAG || in((int)body->comm, status->MPI_SOURCE) != body->from)
		exit(9);
	printf("%ld %ld %ld %ld\n", body->from, body->tag, body->comm, body->nth);
}

static void send_all(const struct planned *plan, int n, int how)
{
	static struct body body[MOST];
	MPI_Request request[MOST];
	int n_sends = 0;

	for (int i = 0; i < n; i++) {
		const struct planned *p = &plan[i];
		int to = in(p->comm, p->to);

		if (p->from != rank)
			continue;
		struct body *b = &body[n_sends];

		*b = (struct body){ rank, p->tag, p->comm, ++n_sent[p->comm][p->to][p->tag] };
		request[n_sends] = MPI_REQUEST_NULL;
		if (how == 0)
			MPI_Send(b, 4, MPI_LONG, to, p->tag, comm[p->comm]);
		else if (how == 1)
			MPI_Isend(b, 4, MPI_LONG, to, p->tag, comm[p->comm], &request[n_sends]);
		else if (how == 2)
			MPI_Issend(b, 4, MPI_LONG, to, p->tag, comm[p->comm], &request[n_sends]);
		else {
			MPI_Send_init(b, 4, MPI_LONG, to, p->tag, comm[p->comm], &request[n_sends]);
			MPI_Start(&request[n_sends]);
		}
		n_sends++;
	}
	MPI_Waitall(n_sends, request, MPI_STATUSES_IGNORE);
	for (int i = 0; i < n_sends && how == 3; i++)
		MPI_Request_free(&request[i]);
}

static void finish(struct body *body, MPI_Request *request, int n, int how)
{
	MPI_Status status[MOST];
	int index[MOST], n_done = 0, left = n, done, at;

	if (how == 0) {
		MPI_Waitall(n, request, status);
		for (int i = 0; i < n; i++)
			say(&body[i], &status[i]);
	}
	while (how == 1 && left--) {
		MPI_Waitany(n, request, &at, &status[0]);
		say(&body[at], &status[0]);
	}
	for (int i = 0; how == 2 && i < n; i++) {
		do
			MPI_Test(&request[i], &done, &status[0]);
		while (!done);
		say(&body[i], &status[0]);
	}
	for (; how == 3 && left; left -= n_done) {
		MPI_Testsome(n, request, &n_done, index, status);
		for (int i = 0; i < n_done; i++)
			say(&body[index[i]], &status[i]);
	}
}

/* All of it is from anybody, on one communicator, or all of it is not: else ranks might never end.
 */
static void batch(int how)
{
	struct planned plan[MOST];
	static struct body body[MOST];
	MPI_Request request[MOST];
	int n = 0, n_messages = 1 + below(MOST), any = below(3) == 0, same = below(COMMS);

	for (int i = 0; i < n_messages; i++)
		plan[i] = (struct planned){ below(n_ranks), below(n_ranks), below(TAGS),
					    any ? same : below(COMMS) };
	for (int i = 0; i < n_messages; i++)
		if (plan[i].to == rank) {
			MPI_Irecv(&body[n], 4, MPI_LONG,
				  any ? MPI_ANY_SOURCE : in(plan[i].comm, plan[i].from),
				  any ? MPI_ANY_TAG : plan[i].tag, comm[plan[i].comm], &request[n]);
			n++;
		}
	send_all(plan, n_messages, how & 3);
	finish(body, request, n, how >> 2);
	MPI_Barrier(comm[same]);
}

int main(int argc, char **argv)
{
	int got = 0, n_batches = atoi(argv[2]);
	char path[4096];
	long sum = 0, one = 1;

	seed = strtoul(argv[1], NULL, 10);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	snprintf(path, sizeof(path), "%s/%d", argv[3], rank);
	if (!freopen(path, "w", stdout))
		return 8;
	comm[0] = MPI_COMM_WORLD;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm[2]);
	batch(0); /* before there is any task: it is not recorded, but counts */
	puts("begins");
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
	for (int i = 0; i < n_batches; i++) {
#pragma omp task depend(inout : sum)
		batch(i & 15);
	}
	MPI_Allreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, comm[2]);
	puts(sum == n_ranks ? "ends" : "is wrong");
	MPI_Comm_free(&comm[1]);
	MPI_Finalize();
	return 0;
}
