/* SPDX-License-Identifier: MIT */
/* rank_calls.c - one loop over the strands, and a walk back from each call. */
#include "tools/analysis/rank_calls.h"

#include <stdlib.h>
#include <string.h>

#include "tools/analysis/ready_path.h"
#include "tools/base/at_most.h"
#include "tools/analysis/sweep.h"
#include "tools/base/real.h"
#include "tools/analysis/pauses.h"
#include "tools/base/xalloc.h"

struct in_mpi {
	struct sweep *sweep;
	const uint32_t *call_of; /* by strand */
	struct rank_call *call;
	double *from_ns; /* by call */
	double ready_ns; /* of a worker that is in MPI all the time */
};

/* What each worker in MPI has of the strands that no idle one, and none in the runtime, may run. */
static double ready_share(const struct in_mpi *in_mpi)
{
	const struct sweep *sweep = in_mpi->sweep;
	uint64_t others = sweep->n_in[STATE_IDLE] + sweep->n_in[STATE_RUNTIME];
	uint64_t n = sweep->n_in[STATE_MESSAGE];

	if (!n || sweep->r <= others)
		return 0;
	return real_of(at_most(n, sweep->r - others)) / real_of(n);
}

/* The call that the strand ended with, if that kept its worker; RANK_NONE. */
static uint32_t call_after(const struct in_mpi *in_mpi, strand_id s)
{
	const uint8_t *after = in_mpi->sweep->scope.pauses->after;

	return s != STRAND_NONE && pause_state(after[s]) == STATE_MESSAGE ? in_mpi->call_of[s]
									  : RANK_NONE;
}

static void task_enters(struct in_mpi *in_mpi, strand_id s)
{
	uint32_t call = call_after(in_mpi, s);

	if (call != RANK_NONE)
		in_mpi->from_ns[call] = in_mpi->ready_ns;
}

static void task_leaves(struct in_mpi *in_mpi, strand_id s)
{
	uint32_t call = call_after(in_mpi, in_mpi->sweep->dag->strand[s].pred);

	if (call != RANK_NONE)
		in_mpi->call[call].ready_ns = (uint64_t)(in_mpi->ready_ns - in_mpi->from_ns[call]);
}

/* No time that counts as ready: idle workers come first. */
static void add_idle(struct in_mpi *in_mpi)
{
	const struct sweep *sweep = in_mpi->sweep;
	uint32_t call = sweep->path_state == PATH_OUTSIDE
				? call_after(in_mpi, sweep->dag->strand[sweep->on_path].pred)
				: RANK_NONE;

	if (call != RANK_NONE)
		in_mpi->call[call].idle_ns += above(sweep->n_in[STATE_IDLE], sweep->r) * sweep->ns;
}

static void add_ready(struct in_mpi *in_mpi)
{
	struct sweep *sweep = in_mpi->sweep;
	enum sweep_what what;

	while ((what = sweep_next(sweep)) != SWEEP_OVER) {
		if (what == SWEEP_TIME) {
			in_mpi->ready_ns += ready_share(in_mpi) * real_of(sweep->ns);
			add_idle(in_mpi);
		} else if (what == SWEEP_END) {
			task_enters(in_mpi, sweep->strand);
		} else if (what == SWEEP_START) {
			task_leaves(in_mpi, sweep->strand);
		}
	}
}

/* By strand call_of[] is the call that it ended with; RANK_NONE. */
static void rank_ready_find(struct rank_call *call, uint32_t n_calls, const uint32_t *call_of,
			    const struct dag *dag, const struct pauses *pauses)
{
	double *from_ns = xcalloc(n_calls + 1ull, sizeof(*from_ns));
	struct sweep_scope scope = sweep_all(dag, pauses, NULL);
	struct ready_path path = { 0 };
	struct sweep sweep = { 0 };
	struct in_mpi in_mpi = { &sweep, call_of, call, from_ns, 0 };

	ready_path_build(&path, dag, RUNTIMES_ALL);

	if (path.n)
		sweep_open(&sweep, dag, &path, &scope);
	if (path.n) {
		add_ready(&in_mpi);
		sweep_close(&sweep);
	}
	ready_path_free(&path);
	free(from_ns);
}

struct search {
	const struct dag *dag;
	const struct machine *machine;
	struct rank_calls *calls;
	uint64_t zero_ns, step_room;
	strand_id *ahead;  /* by strand: what its worker ran before; STRAND_NONE */
	uint32_t *call_of; /* by strand: the call that it ended with */
	uint32_t *step_of; /* by strand: the step that it is in */
	strand_id strand;  /* of the call before */
};

/* So many numbers that are none. */
static void *none_of(uint64_t n)
{
	void *of = xmalloc((n + 1) * sizeof(uint32_t));

	return of ? memset(of, 0xff, (n + 1) * sizeof(uint32_t)) : NULL;
}

/* ---- calls ---- */

/* What the strand's worker waited for a CPU between these times of the window. */
static uint64_t cpu_wait(const struct search *search, strand_id s, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t worker = search->dag->strand[s].worker;

	return from_ns < to_ns ? machine_use(search->machine, worker, from_ns, to_ns).wait_ns : 0;
}

static void begin_call(struct search *search, const struct dag_message *from)
{
	struct rank_calls *calls = search->calls;

	if (!from->is_cut)
		search->call_of[from->strand] = calls->n_calls;
	calls->call[calls->n_calls++] =
		(struct rank_call){ .begin_ns = search->zero_ns + from->begin_ns,
				    .end_ns = search->zero_ns + from->end_ns,
				    .cpu_wait_ns = from->strand == STRAND_NONE
							   ? 0
							   : cpu_wait(search, from->strand,
								      from->begin_ns, from->end_ns),
				    .step = from->strand, /* until there are steps */
				    .is_cut = from->is_cut,
				    .site = from->site };
	calls->end_ns = at_least(calls->end_ns, search->zero_ns + from->end_ns);
}

/* The messages of a wait follow each other. */
static void find_calls(struct search *search)
{
	const struct dag *dag = search->dag;
	struct rank_calls *calls = search->calls;

	for (uint64_t i = 0; i < dag->n_messages; i++) {
		const struct dag_message *from = &dag->message[i], *last = from - 1;

		if (!i || last->strand != from->strand || last->begin_ns != from->begin_ns)
			begin_call(search, from);
		calls->message[calls->n_messages++] =
			(struct rank_message){ .call = calls->n_calls - 1,
					       .field = from->field,
					       .again = from->again,
					       .rank = from->rank,
					       .comm = from->comm,
					       .order = from->order,
					       .tag = from->tag,
					       .n_ranks = from->n_ranks,
					       .bytes = from->bytes };
	}
}

static bool continues(const struct dag *dag, strand_id from, strand_id to)
{
	return dag->strand[to].pred == from && dag->strand[from].task == dag->strand[to].task;
}

/* What each worker ran before. */
static void find_ahead(struct search *search)
{
	const struct dag *dag = search->dag;
	strand_id *newest = none_of(dag->n_slots);

	for (strand_id s = 0; s < dag->n_strands; s++) {
		if (dag_is_node(dag, s))
			continue;
		search->ahead[s] = newest[dag->strand[s].worker];
		newest[dag->strand[s].worker] = s;
	}
	free(newest);
}

/* ---- steps ---- */

/* What had to end last before the strand could begin. */
static strand_id step_back(const struct search *search, strand_id s)
{
	uint32_t hint = 0;
	strand_id by = ready_path_released_by(search->dag, s, &hint), ahead = search->ahead[s];

	if (by == STRAND_NONE || ahead == STRAND_NONE)
		return by == STRAND_NONE ? ahead : by;
	return dag_end(search->dag, ahead) > dag_end(search->dag, by) ? ahead : by;
}

static struct rank_step *begin_step(struct search *search, strand_id s)
{
	const struct dag *dag = search->dag;
	struct rank_calls *calls = search->calls;
	struct rank_step *step;

	step = ARRAY_ADD(calls->step, calls->n_steps, search->step_room,
			 (struct rank_step){ .end_ns = search->zero_ns + dag_end(dag, s),
					     .before = RANK_NONE,
					     .call = RANK_NONE,
					     .kind = dag_kind(dag, s) });
	return step;
}

/* From when on the strand and what it waited for are the step's. */
static uint64_t idle_from(const struct search *search, const struct rank_step *step, strand_id at,
			  strand_id before)
{
	uint64_t start_ns = dag_start(search->dag, at);

	if (before == STRAND_NONE || step->call != RANK_NONE)
		return start_ns;
	return at_most(start_ns, dag_end(search->dag, before));
}

/* From the strand back to where another walk was.  The step that ends with it. */
static uint32_t walk_back(struct search *search, strand_id s)
{
	const struct dag *dag = search->dag;
	struct rank_step *step = NULL;

	for (strand_id at = s, next; at != STRAND_NONE; at = next) {
		uint32_t known = search->step_of[at], here = search->calls->n_steps;

		if (step && step->call == RANK_NONE && known == RANK_NONE &&
		    step->kind == dag_kind(dag, at)) {
			here--;
		} else {
			if (step)
				step->before = known != RANK_NONE ? known : here;
			if (known != RANK_NONE)
				break;
			step = begin_step(search, at);
		}
		search->step_of[at] = here;
		step->begin_ns = search->zero_ns + dag_start(dag, at);
		step->work_ns += dag_end(dag, at) - dag_start(dag, at);
		next = step_back(search, at);
		if (next != STRAND_NONE && continues(dag, next, at))
			step->call = search->call_of[next];
		step->cpu_wait_ns +=
			cpu_wait(search, at, idle_from(search, step, at, next), dag_end(dag, at));
	}
	return search->step_of[s];
}

/* After a call behind the window, or after the window: its task runs up to the next one. */
static uint32_t step_behind(struct search *search, const struct rank_call *call)
{
	struct rank_calls *calls = search->calls;
	const struct rank_call *last = call - 1;
	struct rank_step *step;

	if (call == calls->call || !last->is_cut || search->strand != call->step)
		return walk_back(search, call->step);
	step = begin_step(search, call->step);
	step->begin_ns = last->end_ns;
	step->end_ns = call->begin_ns;
	step->work_ns = step->end_ns - step->begin_ns;
	step->cpu_wait_ns = cpu_wait(search, call->step, last->end_ns - search->zero_ns,
				     call->begin_ns - search->zero_ns);
	step->before = last->step;
	step->call = (uint32_t)(last - calls->call);
	return calls->n_steps - 1;
}

static void find_steps(struct search *search)
{
	strand_id last = ready_path_last(search->dag, RUNTIMES_ALL);
	struct rank_calls *calls = search->calls;

	for (uint32_t i = 0; i < calls->n_calls; i++) {
		struct rank_call *call = &calls->call[i];
		strand_id strand = call->step;

		if (strand == STRAND_NONE)
			continue;
		call->step = call->is_cut ? step_behind(search, call) : walk_back(search, strand);
		search->strand = strand;
	}
	if (last == STRAND_NONE)
		return;
	calls->last_step = walk_back(search, last);
}

/* ---- all of it ---- */

void rank_calls_find(struct rank_calls *calls, const struct dag *dag, const struct pauses *pauses,
		     const struct machine *machine, uint64_t zero_ns)
{
	struct search search = {
		.dag = dag, .machine = machine, .calls = calls, .zero_ns = zero_ns + dag->begin_ns
	};

	*calls = (struct rank_calls){ .born_ns = zero_ns,
				      .begin_ns = search.zero_ns,
				      .end_ns = search.zero_ns + dag->elapsed_ns,
				      .last_step = RANK_NONE };
	if (!dag->n_messages)
		return;
	calls->call = xcalloc(dag->n_messages, sizeof(*calls->call));
	calls->message = xcalloc(dag->n_messages, sizeof(*calls->message));
	search.ahead = none_of(dag->n_strands);
	search.call_of = none_of(dag->n_strands);
	search.step_of = none_of(dag->n_strands);
	find_calls(&search);
	if (pauses) {
		find_ahead(&search);
		find_steps(&search);
		rank_ready_find(calls->call, calls->n_calls, search.call_of, dag, pauses);
	}
	free(search.ahead);
	free(search.call_of);
	free(search.step_of);
}

uint64_t rank_calls_on_path_ns(const struct rank_calls *calls)
{
	uint64_t ns = 0;

	for (uint32_t s = calls->last_step; s != RANK_NONE;) {
		uint32_t call = calls->step[s].call;

		if (call != RANK_NONE)
			ns += calls->call[call].end_ns - calls->call[call].begin_ns;
		s = call != RANK_NONE ? calls->call[call].step : calls->step[s].before;
	}
	return ns;
}

void rank_calls_free(struct rank_calls *calls)
{
	free(calls->call);
	free(calls->message);
	free(calls->step);
	*calls = (struct rank_calls){ 0 };
}
