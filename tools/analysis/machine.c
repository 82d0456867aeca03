/* SPDX-License-Identifier: MIT */
/* machine.c - corrects samples of CPU times, and says what lies between them. */
#include "tools/analysis/machine.h"

#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/at_most.h"
#include "tools/base/sorted.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"

#define INFLATED_PARTS 20u	     /* 5 % of the work */
#define SUM_MOST (UINT64_C(1) << 60) /* of a lane: nothing overflows below */

const char *const machine_doing_name[] = {
	[MACHINE_UNKNOWN] = "unknown",	       [MACHINE_COMPUTES] = "computing",
	[MACHINE_WAITS] = "waiting for a CPU", [MACHINE_BLOCKS] = "blocked",
	[MACHINE_AWAY] = "without a CPU",      [MACHINE_MIXED] = "computing and blocked",
};

/* ---- samples ---- */

static void lane_add(struct machine_lane *lane, struct machine_sample sample)
{
	ARRAY_ADD(lane->sample, lane->n, lane->room, sample);
}

void machine_add_process(struct machine *machine, struct machine_sample sample)
{
	lane_add(&machine->process, sample);
}

void machine_add(struct machine *machine, uint32_t worker, struct machine_sample sample)
{
	array_grow(&machine->lane, &machine->lane_room, worker + 1ull, sizeof(*machine->lane));
	while (machine->n_lanes <= worker)
		machine->lane[machine->n_lanes++] = (struct machine_lane){ 0 };
	lane_add(&machine->lane[worker], sample);
}

ORDER(by_time, struct machine_sample, BY_LEAST(ns) ?: BY_LEAST(run_ns))

static uint64_t length(const struct machine_sample *sample)
{
	return (uint64_t)sample[1].ns - (uint64_t)sample[0].ns;
}

/* No sum decreases. */
static void raise_later(struct machine_lane *lane)
{
	struct machine_sample *sample = lane->sample;

	for (uint64_t i = 0; i < lane->n; i++) {
		sample[i].run_ns = at_most(sample[i].run_ns, SUM_MOST);
		sample[i].wait_ns = at_most(sample[i].wait_ns, SUM_MOST);
		if (i == 0)
			continue;
		sample[i].run_ns = at_least(sample[i].run_ns, sample[i - 1].run_ns);
		sample[i].wait_ns = at_least(sample[i].wait_ns, sample[i - 1].wait_ns);
	}
}

/* What would have grown faster than time does had begun to grow before. */
static void raise_earlier(struct machine_lane *lane)
{
	struct machine_sample *sample = lane->sample;

	for (uint64_t i = lane->n; i-- > 1;) {
		uint64_t ns = length(&sample[i - 1]), both = sample[i].run_ns + sample[i].wait_ns;

		sample[i - 1].run_ns = at_least(sample[i - 1].run_ns, above(sample[i].run_ns, ns));
		sample[i - 1].wait_ns =
			at_least(sample[i - 1].wait_ns, above(both, ns + sample[i - 1].run_ns));
	}
}

/* From the last sample back: whether the thread, the same one, had a CPU or a wait's end since. */
static void find_counted(struct machine_lane *lane)
{
	struct machine_sample *sample = lane->sample;
	bool goes_on = false;

	for (uint64_t i = lane->n; i-- > 0;) {
		const struct machine_sample *next = i + 1 < lane->n ? &sample[i + 1] : NULL;

		if (!next || !next->has_wait)
			goes_on = false;
		else
			goes_on |= next->run_ns > sample[i].run_ns ||
				   next->wait_ns > sample[i].wait_ns;
		sample[i].is_counted = sample[i].has_wait && goes_on;
	}
}

void machine_settle(struct machine *machine)
{
	struct machine_lane *process = &machine->process;

	SORT(process->sample, process->n, by_time);
	for (uint32_t i = 0; i < machine->n_lanes; i++) {
		struct machine_lane *lane = &machine->lane[i];

		SORT(lane->sample, lane->n, by_time);
		raise_later(lane);
		find_counted(lane);
		raise_earlier(lane);
	}
}

void machine_free(struct machine *machine)
{
	for (uint32_t i = 0; i < machine->n_lanes; i++)
		free(machine->lane[i].sample);
	free(machine->lane);
	free(machine->process.sample);
	*machine = (struct machine){ 0 };
}

/* ---- a stretch of time ---- */

/* The part of a sum that grew by `grown` in `of` ns which falls on `ns` of them. */
static uint64_t part(uint64_t grown, uint64_t ns, uint64_t of)
{
	if (grown == of)
		return ns;
	return of ? (uint64_t)((unsigned __int128)grown * ns / of) : 0;
}

/* Adds a part of `ns` of the time between two samples. */
static void use_between(struct machine_use *use, const struct machine_sample *sample, uint64_t ns)
{
	uint64_t of = length(sample), rest = of - ns;
	uint64_t run = sample[1].run_ns - sample[0].run_ns;
	uint64_t wait = sample[1].wait_ns - sample[0].wait_ns;

	use->known_ns += ns;
	use->run_ns += part(run, ns, of);
	use->run_least_ns += above(run, rest);
	use->run_most_ns += at_most(run, ns);
	if (!sample[0].has_wait || !sample[1].has_wait) {
		use->wait_most_ns += at_most(of - run, ns);
		return;
	}
	use->has_wait = true;
	use->wait_ns += part(wait, ns, of);
	use->wait_least_ns += above(wait, rest);
	if (sample[1].is_counted)
		use->away_ns += part(of - run - wait, ns, of);
	use->wait_most_ns += at_most(sample[1].is_counted ? wait : of - run, ns);
}

/* The first sample after that time: lane->n if there is none. */
static uint64_t first_after(const struct machine_lane *lane, int64_t ns)
{
	return SORTED_BEFORE(lane->sample, lane->n, it->ns <= ns);
}

/* A sum that may grow faster than time does, as of many threads, at that time. */
static uint64_t sum_at(const struct machine_lane *lane, uint64_t ns)
{
	uint64_t i = first_after(lane, (int64_t)ns);
	const struct machine_sample *sample = i ? &lane->sample[i - 1] : NULL;

	if (!sample || i == lane->n)
		return lane->n ? lane->sample[i ? i - 1 : 0].run_ns : 0;
	return sample[0].run_ns + part(sample[1].run_ns - sample[0].run_ns,
				       ns - (uint64_t)sample[0].ns, length(sample));
}

/* Where each end lies between two samples, what the kernel had not counted yet is not certain. */
static void widen(struct machine_use *use, uint64_t lag_ns)
{
	uint64_t outside = use->ns - use->known_ns;

	use->run_least_ns = above(use->run_least_ns, lag_ns);
	use->run_most_ns = at_most(use->run_most_ns + outside + lag_ns, use->ns);
	use->wait_least_ns = above(use->wait_least_ns, lag_ns);
	use->wait_most_ns =
		at_most(use->wait_most_ns + outside + lag_ns, use->ns - use->run_least_ns);
}

struct machine_use machine_use(const struct machine *machine, uint32_t worker, uint64_t from_ns,
			       uint64_t to_ns)
{
	struct machine_use use = { .ns = above(to_ns, from_ns) };
	const struct machine_lane *lane = worker < machine->n_lanes ? &machine->lane[worker] : NULL;

	if (!lane || lane->n < 2) {
		widen(&use, 0);
		return use;
	}
	for (uint64_t i = first_after(lane, (int64_t)from_ns); i < lane->n; i++) {
		const struct machine_sample *sample = i ? &lane->sample[i - 1] : NULL;

		if (!sample)
			continue;
		if (sample[0].ns >= (int64_t)to_ns)
			break;
		uint64_t from = sample[0].ns > (int64_t)from_ns ? (uint64_t)sample[0].ns : from_ns;
		uint64_t to = sample[1].ns < (int64_t)to_ns ? (uint64_t)sample[1].ns : to_ns;

		use_between(&use, sample, to - from);
	}
	widen(&use, machine->lag_ns);
	return use;
}

enum machine_doing machine_doing(const struct machine_use *use)
{
	uint64_t half = use->ns / 2;

	if (use->ns == 0 || use->known_ns < use->ns - use->ns / 4)
		return MACHINE_UNKNOWN;
	if (use->run_least_ns >= use->ns - use->ns / 4)
		return MACHINE_COMPUTES;
	if (use->has_wait && use->wait_least_ns >= half)
		return MACHINE_WAITS;
	if (use->has_wait && above(use->ns, use->run_most_ns + use->wait_most_ns) >= half)
		return MACHINE_BLOCKS;
	if (use->ns - use->run_most_ns >= half)
		return MACHINE_AWAY;
	return use->run_most_ns - use->run_least_ns <= half ? MACHINE_MIXED : MACHINE_UNKNOWN;
}

/* ---- all of the window ---- */

/* What lies between two samples, or outside of them: interval i ends with sample i. */
struct interval {
	uint64_t ns, selected_ns, work_ns; /* work: of what is selected */
	uint64_t run, wait;		   /* 0 outside */
	bool known, has_wait, is_counted;
};

struct lane_walk {
	struct interval *interval; /* n of the lane, and 1 */
	uint64_t at;		   /* where the worker's last strand began */
};

static struct interval interval_of(const struct machine_lane *lane, uint64_t i,
				   const struct dag *dag, const struct select *select)
{
	int64_t window = (int64_t)dag->elapsed_ns;
	int64_t from = i ? lane->sample[i - 1].ns : 0,
		to = i < lane->n ? lane->sample[i].ns : window;
	const struct machine_sample *sample = i && i < lane->n ? &lane->sample[i - 1] : NULL;
	struct interval interval = { .known = sample != NULL };

	if (sample) {
		interval.ns = length(sample);
		interval.run = sample[1].run_ns - sample[0].run_ns;
		interval.wait = sample[1].wait_ns - sample[0].wait_ns;
		interval.has_wait = sample[0].has_wait && sample[1].has_wait;
		interval.is_counted = interval.has_wait && sample[1].is_counted;
	}
	from = from < 0 ? 0 : from > window ? window : from;
	to = to < from ? from : to > window ? window : to;
	interval.selected_ns = select_within(select, (uint64_t)from, (uint64_t)to);
	return interval;
}

/* Puts a strand's work where it lies. */
static void add_strand(const struct machine_lane *lane, struct lane_walk *walk,
		       const struct dag *dag, const struct select *select, strand_id s)
{
	uint64_t from = dag_start(dag, s), end = dag_end(dag, s), of = end - from;
	uint64_t work = dag_work(dag, s);

	while (walk->at < lane->n && lane->sample[walk->at].ns <= (int64_t)from)
		walk->at++;
	for (uint64_t i = walk->at; from < end; i++) {
		uint64_t to = end;

		if (i < lane->n && lane->sample[i].ns < (int64_t)end)
			to = (uint64_t)lane->sample[i].ns;
		walk->interval[i].work_ns += part(work, select_within(select, from, to), of);
		from = to;
	}
}

/* Sums of a worker's intervals. */
struct sums {
	uint64_t run_least, run_most, idle, unknown_work; /* idle: without work, between samples */
};

static void add_interval(struct machine_row *row, struct sums *sums,
			 const struct interval *interval, const struct interval *before,
			 const struct interval *after, uint64_t lag_ns)
{
	uint64_t work = at_most(interval->work_ns, interval->selected_ns);
	uint64_t idle = interval->selected_ns - work;
	uint64_t rest = above(interval->ns, interval->selected_ns);
	/* what belongs here and is counted behind, and the other way round */
	uint64_t late = after ? at_most(lag_ns, after->run) : lag_ns;
	uint64_t late_wait = after ? after->wait : 0;
	uint64_t early_wait = before ? above(before->ns, before->run + before->wait) : 0;

	row->work_ns += work;
	if (!interval->known) {
		row->off_most_ns += work;
		row->wait_most_ns += work;
		sums->unknown_work += work;
		return;
	}
	sums->run_least += above(interval->run, rest);
	sums->run_most += at_most(interval->run, interval->selected_ns);
	sums->idle += idle;
	uint64_t on_least = above(above(interval->run, rest + lag_ns), idle);
	uint64_t on_most = at_most(work, at_most(interval->run, interval->selected_ns) + late);
	uint64_t off_most = work - at_most(on_least, work);

	row->known_ns += interval->selected_ns;
	row->cpu_ns += part(interval->run, interval->selected_ns, interval->ns);
	row->off_least_ns += work - on_most;
	row->off_most_ns += off_most;
	if (!interval->has_wait) {
		row->wait_most_ns += off_most;
		return;
	}
	row->has_wait = true;
	row->cpu_wait_ns += part(interval->wait, interval->selected_ns, interval->ns);
	row->wait_least_ns += above(above(interval->wait, rest + early_wait), idle);
	if (!interval->is_counted) {
		row->wait_most_ns += off_most;
		return;
	}
	row->away_ns += part(interval->ns - interval->run - interval->wait, interval->selected_ns,
			     interval->ns);
	row->wait_most_ns += at_most(off_most, interval->wait + late_wait);
}

static void add_row(struct machine_row *to, const struct machine_row *row)
{
	to->known_ns += row->known_ns;
	to->cpu_ns += row->cpu_ns;
	to->cpu_wait_ns += row->cpu_wait_ns;
	to->away_ns += row->away_ns;
	to->work_ns += row->work_ns;
	to->off_least_ns += row->off_least_ns;
	to->off_most_ns += row->off_most_ns;
	to->wait_least_ns += row->wait_least_ns;
	to->wait_most_ns += row->wait_most_ns;
	to->has_wait |= row->has_wait;
}

static void finish_row(struct machine_row *row, const struct machine_lane *lane,
		       struct interval *interval, uint64_t lag_ns)
{
	struct sums sums = { 0 };

	for (uint64_t i = 0; i <= lane->n; i++)
		add_interval(row, &sums, &interval[i], i ? &interval[i - 1] : NULL,
			     i < lane->n && interval[i + 1].known ? &interval[i + 1] : NULL,
			     lag_ns);
	/* a sample that lags moves CPU time from one interval to the next, and adds none */
	uint64_t on_least = above(sums.run_least, sums.idle + lag_ns);
	uint64_t on_most = sums.run_most + lag_ns + sums.unknown_work;

	row->off_most_ns = at_most(row->off_most_ns, above(row->work_ns, on_least));
	row->off_least_ns = at_least(row->off_least_ns, above(row->work_ns, on_most));
	row->wait_most_ns = at_most(row->wait_most_ns, row->off_most_ns);
	row->wait_least_ns = at_most(row->wait_least_ns, row->wait_most_ns);
	row->off_least_ns = at_least(row->off_least_ns, row->wait_least_ns);
}

/* A worker without samples has a lane without any. */
static const struct machine_lane *lane_at(const struct machine *machine, uint32_t worker)
{
	static const struct machine_lane none;

	return worker < machine->n_lanes ? &machine->lane[worker] : &none;
}

static struct lane_walk *walks_open(const struct machine *machine, uint32_t n,
				    const struct dag *dag, const struct select *select)
{
	struct lane_walk *walk = xcalloc(n + 1ull, sizeof(*walk));

	for (uint32_t w = 0; w < n; w++) {
		const struct machine_lane *lane = lane_at(machine, w);

		walk[w].interval = xcalloc(lane->n + 1, sizeof(*walk[w].interval));
		for (uint64_t i = 0; i <= lane->n; i++)
			walk[w].interval[i] = interval_of(lane, i, dag, select);
	}
	return walk;
}

static void walks_close(struct lane_walk *walk, uint32_t n)
{
	for (uint32_t w = 0; walk && w < n; w++)
		free(walk[w].interval);
	free(walk);
}

/* What the process had of CPUs, in what is selected, beside its workers. */
static uint64_t own_ns(const struct machine *machine, const struct dag *dag,
		       const struct select *select, uint64_t workers_ns)
{
	struct select_span all = { .to_ns = dag->elapsed_ns };
	const struct select_span *span = select ? select->span : &all;
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < (select ? select->n : 1); i++)
		sum_ns += sum_at(&machine->process, span[i].to_ns) -
			  sum_at(&machine->process, span[i].from_ns);
	return above(sum_ns, workers_ns);
}

void machine_rows_build(struct machine_rows *rows, const struct machine *machine,
			const struct dag *dag, const struct select *select)
{
	uint32_t n = dag->n_slots > machine->n_lanes ? dag->n_slots : machine->n_lanes;
	uint64_t ran_ns = 0; /* of who ran tasks, workers or not */
	struct lane_walk *walk;

	if (machine->n_lanes == 0) {
		*rows = (struct machine_rows){ 0 };
		return;
	}
	walk = walks_open(machine, n, dag, select);
	*rows = (struct machine_rows){ .worker = xcalloc(dag->n_slots + 1ull,
							 sizeof(*rows->worker)) };
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (!dag_is_node(dag, s)) {
			uint32_t w = dag->strand[s].worker;

			add_strand(lane_at(machine, w), &walk[w], dag, select, s);
		}
	for (uint32_t w = 0; w < n; w++) {
		struct machine_row row = { 0 };

		finish_row(&row, lane_at(machine, w), walk[w].interval, machine->lag_ns);
		if (w >= dag->n_slots || !dag->beside[w])
			add_row(&rows->total, &row);
		if (w >= dag->n_slots || !dag->beside[w] || dag->worker_tasks[w])
			ran_ns += row.cpu_ns;
		if (w < dag->n_slots)
			rows->worker[w] = row;
	}
	rows->own_ns = own_ns(machine, dag, select, ran_ns);
	walks_close(walk, n);
}

void machine_rows_free(struct machine_rows *rows)
{
	free(rows->worker);
	*rows = (struct machine_rows){ 0 };
}

bool machine_inflates(const struct machine *machine, const struct machine_row *total,
		      const struct dag *dag)
{
	uint64_t ns = total->wait_least_ns;

	if (!total->has_wait)
		ns = machine_is_oversubscribed(machine, dag) ? total->off_least_ns : 0;
	return ns > total->work_ns / INFLATED_PARTS;
}

struct machine_on_cpu machine_on_cpu(const struct machine *machine, const struct machine_row *total,
				     const struct dag *dag)
{
	if (!machine_inflates(machine, total, dag))
		return (struct machine_on_cpu){ false, total->work_ns, total->work_ns,
						dag->n_workers };
	return (struct machine_on_cpu){ true, total->work_ns - total->off_most_ns,
					total->work_ns - total->off_least_ns,
					machine_width(machine, dag) };
}

void machine_on_cpu_add(struct machine_on_cpu *to, const struct machine_on_cpu *more)
{
	to->inflated |= more->inflated;
	to->least_ns += more->least_ns;
	to->most_ns += more->most_ns;
	to->width += more->width;
}

uint64_t machine_wait_ns(const struct machine *machine, const struct dag *dag)
{
	uint64_t ns = 0;

	for (uint32_t w = 0; w < dag->n_slots; w++)
		if (!dag->beside[w])
			ns += machine_use(machine, w, 0, dag->elapsed_ns).wait_ns;
	return ns;
}

uint64_t machine_wait_least_ns(const struct machine *machine, const struct dag *dag)
{
	uint64_t ns = 0;

	for (uint32_t w = 0; w < dag->n_slots; w++)
		if (!dag->beside[w])
			ns += machine_use(machine, w, 0, dag->elapsed_ns).wait_least_ns;
	return ns;
}

uint32_t machine_width(const struct machine *machine, const struct dag *dag)
{
	return machine_is_oversubscribed(machine, dag) ? (uint32_t)machine->cpus : dag->n_workers;
}
