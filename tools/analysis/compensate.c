/* SPDX-License-Identifier: MIT */
/* compensate.c - new times for all strands, and then the graph in the order of these. */
#include "tools/analysis/compensate.h"

#include <stdlib.h>
#include <string.h>

#include "tools/analysis/tracer.h"
#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/xalloc.h"
#include "tools/dag/width.h"

#define TASK_STRANDS 2u /* of a collapsed task: its first, and its creator's next */

struct lane {
	strand_id last;	    /* that ran on it; STRAND_NONE */
	uint64_t at;	    /* of the holds: the first that may lie behind that strand */
	double owed;	    /* ns of waits for CPUs that are to be taken out, and were not yet */
	uint64_t events_ps; /* likewise, of events */
};

struct making {
	const struct dag *from;
	struct compensated *to;
	uint64_t strand_ps, gap_ps; /* of two events: in the strand between them, and in the gap,
				     * with .. */
	uint64_t calls_ps;	    /* .. the shim's calls */
	struct machine machine;	    /* without the waits that holds may cover */
	double slept_part;	    /* of holds, that may be waits for the collector; 0..1 */
	double cpu_part;	    /* of the waits for CPUs, that the collector had; 0..1 */
	struct tracer_span *hold;   /* by worker and time; n_holds */
	uint64_t n_holds;
	const struct tracer *tracer;
	struct lane *lane;	  /* n_slots */
	uint64_t *start, *length; /* n_strands: new ones */
	strand_id *order;	  /* the strands by their new start */
	strand_id *place;	  /* by strand: where it stands in that order */
};

/* ---- new times ---- */

/* What the recorder held the worker in that time; later calls for it have later times. */
static uint64_t held_ns(struct making *making, uint32_t worker, uint64_t from, uint64_t to)
{
	uint64_t *at = &making->lane[worker].at, sum = 0;

	for (; *at < making->n_holds && making->hold[*at].worker == worker; (*at)++) {
		const struct tracer_span *hold = &making->hold[*at];
		uint64_t begin = hold->from_ns > from ? hold->from_ns : from;
		uint64_t end = at_most(to, hold->to_ns);

		if (hold->from_ns >= to)
			break;
		sum += end > begin ? end - begin : 0;
	}
	return sum;
}

/* The part of `ns` which the worker waited for a CPU that the collector had, from `from` to `to`.
 */
static uint64_t without_waits(struct making *making, uint32_t worker, uint64_t from, uint64_t to,
			      uint64_t ns)
{
	struct lane *lane = &making->lane[worker];
	uint64_t less;

	if (making->cpu_part <= 0)
		return 0;
	lane->owed +=
		making->cpu_part * (double)machine_use(&making->machine, worker, from, to).wait_ns;
	less = at_most(ns, (uint64_t)lane->owed);
	lane->owed -= (double)less;
	making->to->cpu_ns += less;
	return less;
}

/* What goes over to the next part at most, but for the shim's calls. */
static uint64_t most_owed_ps(const struct making *making)
{
	return making->strand_ps / 2 + 999;
}

/*
 * The part of a strand or gap of `ns` that its share of two events took.  Without any length it has
 * none: the events share one reading of the clock.  The clock may be coarser than a reading is
 * long, so that one part seems too short and the next too long: up to half of a reading goes over.
 */
static uint64_t without_events(struct making *making, uint32_t worker, uint64_t cost_ps,
			       uint64_t ns)
{
	struct lane *lane = &making->lane[worker];
	uint64_t less;

	if (!ns)
		return 0;
	lane->events_ps += cost_ps;
	less = at_most(ns, lane->events_ps / 1000);
	lane->events_ps = at_most(lane->events_ps - less * 1000, most_owed_ps(making));
	making->to->events_ns += less;
	return less;
}

/* Where the next strand begins as the last one ends, what the shim's calls took lies in it. */
static void owe_calls(struct making *making, uint32_t worker)
{
	uint64_t *owed_ps = &making->lane[worker].events_ps, calls_ps = making->calls_ps;

	*owed_ps = at_most(*owed_ps, most_owed_ps(making)) + calls_ps;
}

/* What is left of the time before the strand starts, in which it and its worker could go on. */
static uint64_t without_recorder(struct making *making, strand_id s, uint64_t gap)
{
	uint64_t start = dag_start(making->from, s);
	uint32_t worker = making->from->strand[s].worker;
	uint64_t held = held_ns(making, worker, start - gap, start);

	making->to->waits_ns += held;
	gap -= held;
	if (!gap && making->lane[worker].last != STRAND_NONE)
		owe_calls(making, worker);
	gap -= without_events(making, worker, making->gap_ps, gap);
	return gap - without_waits(making, worker, start - gap, start, gap);
}

static uint64_t new_end(const struct making *making, strand_id s)
{
	return making->start[s] + making->length[s];
}

/* Moves the strand to where its predecessors and its worker let it start. */
static void move_strand(struct making *making, strand_id s, uint32_t *extra)
{
	const struct dag *dag = making->from;
	const struct strand *strand = &dag->strand[s];
	bool node = dag_is_node(dag, s);
	struct lane *lane = node ? NULL : &making->lane[strand->worker];
	uint64_t since = 0, ready = 0, gap;

	if (strand->pred != STRAND_NONE) {
		since = dag_end(dag, strand->pred);
		ready = new_end(making, strand->pred);
	}
	for (; *extra < dag->n_extras && dag->extra[*extra].to == s; (*extra)++) {
		since = at_least(since, dag_end(dag, dag->extra[*extra].from));
		ready = at_least(ready, new_end(making, dag->extra[*extra].from));
	}
	if (lane && lane->last != STRAND_NONE) {
		since = at_least(since, dag_end(dag, lane->last));
		ready = at_least(ready, new_end(making, lane->last));
	}
	gap = dag_start(dag, s) > since ? dag_start(dag, s) - since : 0;
	making->start[s] = ready + (node ? gap : without_recorder(making, s, gap));
	if (lane)
		lane->last = s;
}

/* ns * part / of, where part <= of. */
static uint64_t scaled(uint64_t ns, uint64_t part, uint64_t of)
{
	return of ? (uint64_t)((unsigned __int128)ns * part / of) : ns;
}

static void scale_all(uint64_t *ns, unsigned n, uint64_t part, uint64_t of)
{
	for (unsigned i = 0; i < n; i++)
		ns[i] = scaled(ns[i], part, of);
}

/* Strands of a collapsed task, of all tasks below it, and of their waits on an average. */
static double n_strands(const struct dag *dag, const struct collapsed *collapsed)
{
	double waits = (double)dag->n_collapsed_waits, tasks = (double)dag->n_collapsed_tasks;

	return TASK_STRANDS * (double)collapsed->n_tasks +
	       (tasks > 0 ? waits * (double)collapsed->n_tasks / tasks : 0);
}

/* What the recorder took of a collapsed task: of its work, and while its worker was not busy. */
static void shorten_collapsed(struct making *making, strand_id s)
{
	const struct dag *dag = making->from;
	struct collapsed *collapsed = &making->to->dag.collapsed[*map_find(&dag->collapsed_of, s)];
	uint32_t worker = dag->strand[s].worker;
	uint64_t length = dag_length(dag, s), work = collapsed->work_ns, idle = length - work;
	double n = n_strands(dag, collapsed);
	uint64_t busy_less = at_most(work, (uint64_t)(n * (double)making->strand_ps / 1000));
	uint64_t less = at_most(idle, tracer_inside(making->tracer, s));
	uint64_t events = at_most(idle - less, (uint64_t)(n * (double)making->gap_ps / 1000));

	making->to->waits_ns += less;
	making->to->events_ns += events + busy_less;
	less += events;
	less += without_waits(making, worker, dag_start(dag, s), dag_end(dag, s), idle - less);
	scale_all(collapsed->idle_ns, WIRE_COLLAPSED_K, idle - less, idle);
	scale_all(collapsed->next_ns[0], EDGE_JOIN + 1, idle - less, idle);
	scale_all(collapsed->next_ns[1], EDGE_JOIN + 1, idle - less, idle);
	scale_all(collapsed->busy_ns, WIRE_COLLAPSED_K, work - busy_less, work);
	scale_all(&collapsed->own_ns, 1, work - busy_less, work);
	scale_all(&collapsed->span_ns, 1, work - busy_less, work);
	scale_all(&collapsed->join_span_ns, 1, work - busy_less, work);
	scale_all(&collapsed->path_ns, 1, work - busy_less, work);
	collapsed->work_ns = work - busy_less;
	making->length[s] = length - less - busy_less;
	scale_all(collapsed->ready_ns, EDGE_CREATE_CONT + 1, making->length[s], length);
}

/* A strand gets shorter by its share of two events, and by waits for CPUs. */
static void shorten(struct making *making, strand_id s)
{
	const struct dag *dag = making->from;
	uint32_t worker = dag->strand[s].worker;
	uint64_t ns = dag_length(dag, s);

	making->length[s] = ns;
	if (dag_is_node(dag, s))
		return;
	if (dag->how[s] & STRAND_COLLAPSED) {
		shorten_collapsed(making, s);
		return;
	}
	ns -= without_events(making, worker, making->strand_ps, ns);
	making->length[s] =
		ns - without_waits(making, worker, dag_start(dag, s), dag_end(dag, s), ns);
}

static void move_all(struct making *making)
{
	const struct dag *dag = making->from;
	uint64_t last = 0, new_last = 0;
	uint32_t extra = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		move_strand(making, s, &extra);
		shorten(making, s);
		last = at_least(last, dag_end(dag, s));
		new_last = at_least(new_last, new_end(making, s));
	}
	making->to->dag.elapsed_ns = new_last + (dag->elapsed_ns - last);
}

/* ---- the graph in the new order ---- */

struct timed {
	uint64_t ns;
	strand_id s;
};

ORDER(by_time, struct timed, BY_LEAST(ns) ?: BY_LEAST(s))

static void find_order(struct making *making)
{
	uint32_t n = making->from->n_strands;
	struct timed *timed = xmalloc((n + 1ull) * sizeof(*timed));

	for (strand_id s = 0; s < n; s++)
		timed[s] = (struct timed){ making->start[s], s };
	SORT(timed, n, by_time);
	for (uint32_t i = 0; i < n; i++) {
		making->order[i] = timed[i].s;
		making->place[timed[i].s] = i;
	}
	free(timed);
}

static void place_strands(struct making *making)
{
	const struct dag *from = making->from;
	struct dag *to = &making->to->dag;

	for (uint32_t i = 0; i < from->n_strands; i++) {
		strand_id s = making->order[i];
		struct strand strand = from->strand[s];
		uint64_t *length;

		strand.start_low = (uint32_t)making->start[s];
		strand.start_high = (uint16_t)(making->start[s] >> 32);
		strand.length = (uint32_t)at_most(STRAND_LONG, making->length[s]);
		if (strand.pred != STRAND_NONE)
			strand.pred = making->place[strand.pred];
		to->strand[i] = strand;
		to->how[i] = from->how[s];
		dag_set_wait(to, i, dag_wait_number(from, s));
		if (strand.length != STRAND_LONG)
			continue;
		length = map_put(&to->lengths, i);
		*length = making->length[s];
	}
}

ORDER(by_to, struct extra, BY_LEAST(to) ?: BY_LEAST(from))

ORDER(by_strand, struct dag_object, BY_LEAST(strand))

static void place_edges(struct making *making)
{
	const struct dag *from = making->from;
	struct dag *to = &making->to->dag;

	for (uint32_t e = 0; e < from->n_extras; e++)
		to->extra[e] = (struct extra){ making->place[from->extra[e].to],
					       making->place[from->extra[e].from] };
	SORT(to->extra, to->n_extras, by_to);
	for (uint64_t i = 0; i < from->n_objects; i++)
		to->object[i] = (struct dag_object){ from->object[i].name,
						     making->place[from->object[i].strand], 0 };
	SORT(to->object, to->n_objects, by_strand);
}

/* The same values, or strands, for the strands' new numbers. */
static void place_table(const struct making *making, struct map *to, const struct map *from)
{
	for (uint32_t i = 0; i < from->n_slots; i++) {
		uint64_t *value;

		if (!from->used[i])
			continue;
		value = map_put(to, making->place[from->entry[i].key]);
		*value = from->entry[i].value;
	}
}

/* The last to reach a node may be another one now. */
static void find_releasers(struct dag *dag)
{
	for (uint32_t e = 0; e < dag->n_extras; e++) {
		strand_id node = dag->extra[e].to, from = dag->extra[e].from;
		uint64_t *releaser, n = dag->node_releaser.n;

		if (!dag_is_node(dag, node))
			continue;
		releaser = map_put(&dag->node_releaser, node);
		if (dag->node_releaser.n == n &&
		    dag_end(dag, from) <= dag_end(dag, (strand_id)*releaser))
			continue;
		*releaser = from;
		dag->strand[node].worker = dag->strand[from].worker;
	}
}

/* Of several runtimes, more workers may run at once than did. */
static void widen(struct dag *dag)
{
	uint32_t most = 0;
	if (dag->n_seen > dag->n_workers)
		width_most(dag, &most);

	if (most > dag->n_workers)
		dag->n_workers = most;
}

/* ---- all of it ---- */

/* Everything that is not by strand stays the run's. */
static void open_dag(struct compensated *compensated, const struct dag *from)
{
	struct dag *to = &compensated->dag;
	uint64_t n = from->n_strands + 1ull;

	*compensated = (struct compensated){ .dag = *from };
	to->lengths = to->waits_of = to->collapsed_of = to->node_releaser = (struct map){ 0 };
	to->hold = NULL;
	to->n_holds = to->held_ns = 0;
	to->n_counters = 0;
	memset(to->count, 0, sizeof(to->count));
	to->strand = xmalloc(n * sizeof(*to->strand));
	to->how = xmalloc(n);
	to->wait_of = xmalloc(n * sizeof(*to->wait_of));
	to->object = xmalloc((from->n_objects + 1) * sizeof(*to->object));
	to->extra = xmalloc((from->n_extras + 1ull) * sizeof(*to->extra));
	to->collapsed = xmalloc((from->n_collapsed + 1ull) * sizeof(*to->collapsed));
	if (from->n_collapsed)
		memcpy(to->collapsed, from->collapsed, from->n_collapsed * sizeof(*to->collapsed));
}

static void open_making(struct making *making, struct tracer *tracer)
{
	const struct dag *from = making->from;
	uint64_t n = from->n_strands + 1ull;

	tracer_find(tracer, from);

	making->tracer = tracer;
	making->hold = tracer->span;
	making->n_holds = tracer->n;
	making->start = xmalloc(n * sizeof(*making->start));
	making->length = xmalloc(n * sizeof(*making->length));
	making->order = xmalloc(n * sizeof(*making->order));
	making->place = xmalloc(n * sizeof(*making->place));
	making->lane = xmalloc((from->n_slots + 1ull) * sizeof(*making->lane));
	for (uint32_t w = 0; w < from->n_slots; w++)
		making->lane[w] = (struct lane){ .last = STRAND_NONE, .at = tracer->n };
	for (uint64_t i = tracer->n; i-- > 0;)
		making->lane[tracer->span[i].worker].at = i;
}

/* ---- waits for CPUs ---- */

/* What holds of the worker cover of that time; later calls for it have later times. */
static uint64_t covered_ns(const struct making *making, uint32_t worker, uint64_t *at, int64_t from,
			   int64_t to)
{
	uint64_t sum = 0;

	for (; *at < making->n_holds && making->hold[*at].worker == worker; (*at)++) {
		int64_t begin = (int64_t)making->hold[*at].from_ns;
		int64_t end = (int64_t)making->hold[*at].to_ns;

		if (begin >= to)
			break;
		begin = begin > from ? begin : from;
		sum += (uint64_t)(end > to ? to - begin : end > begin ? end - begin : 0);
		if (end > to)
			break;
	}
	return sum;
}

/*
 * Takes over the samples of a worker.  In a hold it may have slept until the collector had taken
 * something, and then have waited for a CPU: so much of what is between two samples is gone with
 * the holds there.
 */
static void take_samples(struct making *making, uint32_t worker, const struct machine *from)
{
	const struct machine_lane *lane = &from->lane[worker];
	uint64_t at = worker < making->from->n_slots ? making->lane[worker].at : making->n_holds;
	uint64_t less = 0;

	for (uint64_t i = 0; i < lane->n; i++) {
		struct machine_sample sample = lane->sample[i];
		const struct machine_sample *last = i ? &lane->sample[i - 1] : &sample;
		uint64_t covered = covered_ns(making, worker, &at, last->ns, sample.ns);

		less += at_most(sample.wait_ns - last->wait_ns,
				(uint64_t)((double)covered * making->slept_part));
		sample.wait_ns -= less;
		machine_add(&making->machine, worker, sample);
	}
}

/* Others had CPUs, too: no more than the collector had is taken out. */
static void open_waits(struct making *making, const struct compensate_costs *costs)
{
	uint64_t waits =
		costs->collector_cpu_ns ? machine_wait_ns(costs->machine, making->from) : 0;

	if (!waits)
		return;
	making->cpu_part = costs->collector_cpu_ns < waits
				   ? (double)costs->collector_cpu_ns / (double)waits
				   : 1;
	making->slept_part = costs->ring_waits_ns < making->from->held_ns
				     ? (double)costs->ring_waits_ns / (double)making->from->held_ns
				     : 1;
	making->machine.lag_ns = costs->machine->lag_ns;
	for (uint32_t w = 0; w < costs->machine->n_lanes; w++)
		take_samples(making, w, costs->machine);
}

void compensate(struct compensated *to, const struct dag *dag, const struct compensate_costs *costs)
{
	struct making making = { .from = dag,
				 .to = to,
				 .strand_ps = at_most(2 * costs->event_ps, costs->strand_ps),
				 .calls_ps = costs->calls_ps };
	struct tracer tracer = { 0 };

	open_dag(to, dag);
	making.gap_ps = 2 * costs->event_ps - making.strand_ps + costs->calls_ps;
	open_making(&making, &tracer);
	open_waits(&making, costs);
	move_all(&making);
	find_order(&making);
	place_edges(&making);
	place_strands(&making);
	place_table(&making, &to->dag.collapsed_of, &dag->collapsed_of);
	find_releasers(&to->dag);
	widen(&to->dag);
	tracer_free(&tracer);
	machine_free(&making.machine);
	free(making.start);
	free(making.length);
	free(making.order);
	free(making.place);
	free(making.lane);
}

void compensated_free(struct compensated *compensated)
{
	struct dag *dag = &compensated->dag;

	free(dag->strand);
	free(dag->how);
	free(dag->wait_of);
	free(dag->object);
	free(dag->extra);
	free(dag->collapsed);
	map_free(&dag->lengths);
	map_free(&dag->waits_of);
	map_free(&dag->collapsed_of);
	map_free(&dag->node_releaser);
	*compensated = (struct compensated){ 0 };
}
