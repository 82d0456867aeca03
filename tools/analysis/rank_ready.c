/* SPDX-License-Identifier: MIT */
/* rank_ready.c - one sweep, in which workers inside of MPI share the strands that are ready. */
#include "tools/analysis/rank_ready.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/analysis/sweep.h"
#include "tools/base/at_most.h"
#include "tools/base/real.h"

struct in_mpi {
	struct sweep *sweep;
	const uint32_t *call_of; /* by strand */
	struct rank_call *call;
	double *from_ns;   /* by call */
	double ready_ns;   /* of a worker that is in MPI all the time */
	uint64_t n_inside; /* tasks; they count as ready, since nobody is known to release them */
};

/* What each worker in MPI has of the strands that no idle one, and none in the runtime, may run. */
static double ready_share(const struct in_mpi *in_mpi)
{
	const struct sweep *sweep = in_mpi->sweep;
	uint64_t others = sweep->n_in[STATE_IDLE] + sweep->n_in[STATE_RUNTIME] + in_mpi->n_inside;
	uint64_t n = sweep->n_in[STATE_MESSAGE];

	if (!n || sweep->r <= others)
		return 0;
	return real_of(at_most(n, sweep->r - others)) / real_of(n);
}

static bool is_in_mpi(const struct in_mpi *in_mpi, strand_id s)
{
	return pause_state(in_mpi->sweep->scope.pauses->after[s]) == STATE_MESSAGE;
}

static void task_enters(struct in_mpi *in_mpi, strand_id s)
{
	if (!is_in_mpi(in_mpi, s))
		return;
	in_mpi->n_inside++;
	if (in_mpi->call_of[s] != RANK_NONE)
		in_mpi->from_ns[in_mpi->call_of[s]] = in_mpi->ready_ns;
}

static void task_leaves(struct in_mpi *in_mpi, strand_id s)
{
	const struct dag *dag = in_mpi->sweep->dag;
	strand_id before = dag->strand[s].pred;
	uint32_t call;

	if (before == STRAND_NONE || dag->strand[before].task != dag->strand[s].task ||
	    !is_in_mpi(in_mpi, before))
		return;
	in_mpi->n_inside--;
	call = in_mpi->call_of[before];
	if (call != RANK_NONE)
		in_mpi->call[call].ready_ns = (uint64_t)(in_mpi->ready_ns - in_mpi->from_ns[call]);
}

static void add_ready(struct in_mpi *in_mpi)
{
	struct sweep *sweep = in_mpi->sweep;
	enum sweep_what what;

	while ((what = sweep_next(sweep)) != SWEEP_OVER) {
		if (what == SWEEP_TIME)
			in_mpi->ready_ns += ready_share(in_mpi) * real_of(sweep->ns);
		else if (what == SWEEP_END)
			task_enters(in_mpi, sweep->strand);
		else if (what == SWEEP_START)
			task_leaves(in_mpi, sweep->strand);
	}
}

int rank_ready_find(struct rank_call *call, uint32_t n_calls, const uint32_t *call_of,
		    const struct dag *dag, const struct pauses *pauses)
{
	double *from_ns = calloc(n_calls + 1ull, sizeof(*from_ns));
	struct sweep_scope scope = sweep_all(dag, pauses, NULL);
	struct ready_path path = { 0 };
	struct sweep sweep = { 0 };
	struct in_mpi in_mpi = { &sweep, call_of, call, from_ns, 0, 0 };
	int error = from_ns ? ready_path_build(&path, dag, RUNTIMES_ALL) : -ENOMEM;

	if (!error && path.n)
		error = sweep_open(&sweep, dag, &path, &scope);
	if (!error && path.n) {
		add_ready(&in_mpi);
		error = sweep.error;
		sweep_close(&sweep);
	}
	ready_path_free(&path);
	free(from_ns);
	return error;
}
