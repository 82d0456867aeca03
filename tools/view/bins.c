/* SPDX-License-Identifier: MIT */
/* bins.c - adds intervals to bins, each in constant time. */
#include "tools/view/bins.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"
#include "tools/view/section.h"

/* By row: leading kinds, other kinds, and then these; messages are blocked but in a job. */
enum row_class {
	OTHERS = BINS_LEADING,
	IN_RUNTIME,
	IN_BLOCKED,
	IN_TRACER,
	HELD,
	IN_MESSAGE,
	CLASSES,
	CLASSES_OF_RUN = IN_MESSAGE
};

/* Of intervals: parts of bins where they begin and end; and by how many more cover all of a bin. */
struct sums {
	double *part, *more; /* n_bins + 1, + 2 */
	uint64_t width_ns;
	uint32_t n_bins;
	bool any; /* else all are 0 */
};

struct binning {
	const struct view_run *run;
	struct sums *row; /* n_rows * CLASSES */
	uint32_t n_row_bins;
	uint64_t length_ns; /* that these cover */
	bool of_job; /* states alone, messages apart from what is blocked; no kinds, no edges */
	struct sums edge[EDGE_KINDS];
	double *room;	   /* of all sums; memory of those without any is never touched */
	uint8_t *class_of; /* by kind */
	struct pause {
		uint64_t since_ns, turn_ns;
		enum row_class state;	/* CLASSES: idle */
	} * pause;			/* by row */
	const struct tracer_span *span; /* by worker, in order of time */
	struct held {
		uint64_t at, end; /* in span[] */
	} * held;		  /* by row */
	uint32_t hint;
};

/* How many numbers the sums are made of. */
static uint64_t sums_numbers(uint32_t n_bins)
{
	return 2ull * n_bins + 3;
}

/* In `room`, which is zeroed.  The room behind them. */
static double *open_sums(struct sums *sums, uint64_t elapsed_ns, uint32_t n_bins, double *room)
{
	*sums = (struct sums){ .part = room,
			       .more = room + n_bins + 1,
			       .width_ns = elapsed_ns / n_bins + 1,
			       .n_bins = n_bins };
	return room + sums_numbers(n_bins);
}

static void add(struct sums *sums, uint64_t from_ns, uint64_t to_ns, double times)
{
	uint64_t first = from_ns / sums->width_ns, last = to_ns / sums->width_ns;

	if (from_ns >= to_ns)
		return;
	sums->any = true;
	if (first == last) {
		sums->part[first] += times * (double)(to_ns - from_ns);
		return;
	}
	sums->part[first] += times * (double)((first + 1) * sums->width_ns - from_ns);
	sums->part[last] += times * (double)(to_ns - last * sums->width_ns);
	sums->more[first + 1] += times;
	sums->more[last] -= times;
}

static void put_sums(struct section *section, const struct sums *sums)
{
	double cover = 0;

	for (uint32_t i = 0; i < sums->n_bins && !sums->any; i++)
		section_number(section, 0);
	for (uint32_t i = 0; i < sums->n_bins && sums->any; i++) {
		cover += sums->more[i];
		double ns = sums->part[i] + cover * (double)sums->width_ns;

		section_number(section, ns > 0 ? (uint64_t)llround(ns) : 0);
	}
}

/* ---- strands ---- */

static struct sums *of_row(struct binning *binning, uint32_t row, unsigned class)
{
	return &binning->row[row * (uint32_t)CLASSES + class];
}

/* What the recorder held of a pause is nothing else; `turn_ns` is the pause's, at most its end. */
static void end_held(struct binning *binning, uint32_t row, uint64_t turn_ns, uint64_t to_ns)
{
	const struct pause *pause = &binning->pause[row];
	struct held *held = &binning->held[row];

	for (; held->at < held->end && binning->span[held->at].from_ns < to_ns; held->at++) {
		const struct tracer_span *span = &binning->span[held->at];

		if (pause->state != CLASSES)
			add(of_row(binning, row, pause->state), span->from_ns,
			    at_most(span->to_ns, turn_ns), -1);
		add(of_row(binning, row, IN_RUNTIME),
		    span->from_ns > turn_ns ? span->from_ns : turn_ns, span->to_ns, -1);
		add(of_row(binning, row, IN_TRACER), span->from_ns, span->to_ns, 1);
	}
}

static void end_pause(struct binning *binning, uint32_t row, uint64_t to_ns)
{
	const struct pause *pause = &binning->pause[row];
	uint64_t turn_ns = at_most(pause->turn_ns, to_ns);

	if (pause->state != CLASSES)
		add(of_row(binning, row, pause->state), pause->since_ns, turn_ns, 1);
	add(of_row(binning, row, IN_RUNTIME), turn_ns, to_ns, 1);
	end_held(binning, row, turn_ns, to_ns);
}

static enum row_class class_of(const struct binning *binning, enum state state)
{
	if (state == STATE_MESSAGE && binning->of_job)
		return IN_MESSAGE;
	return state == STATE_RUNTIME ? IN_RUNTIME : state_waits(state) ? IN_BLOCKED : CLASSES;
}

static void add_strand(struct binning *binning, strand_id s)
{
	const struct dag *dag = binning->run->dag;
	uint32_t row = binning->run->row[dag->strand[s].worker];
	uint64_t start = dag_start(dag, s), end = dag_end(dag, s), length = end - start;
	const struct collapsed *collapsed = dag_collapsed(dag, s);
	double busy = collapsed && length ? (double)collapsed->work_ns / (double)length : 1;

	end_pause(binning, row, start);
	binning->pause[row] = (struct pause){
		.since_ns = end,
		.turn_ns = UINT64_MAX,
		.state = class_of(binning, pause_state(binning->run->summary->pauses.after[s])),
	};
	add(of_row(binning, row, binning->class_of[dag_kind(dag, s)]), start, end, busy);
	if (collapsed)
		add(of_row(binning, row, IN_RUNTIME), start, end, 1 - busy);
}

static void add_ready(struct binning *binning, strand_id s)
{
	const struct dag *dag = binning->run->dag;
	strand_id direct = dag_releaser(dag, s, &binning->hint), through = direct;
	const struct collapsed *collapsed = dag_collapsed(dag, s);
	uint64_t start = dag_start(dag, s);

	if (direct != STRAND_NONE && dag_is_node(dag, direct))
		through = ready_path_released_by(dag, s, &binning->hint);
	if (through != STRAND_NONE && !released_outside(dag, s)) {
		add(&binning->edge[dag_edge_kind(dag, direct, s)], dag_end(dag, through), start, 1);
		add(of_row(binning, binning->run->row[dag->strand[through].worker], HELD),
		    dag_end(dag, through), start, 1);
	}
	if (collapsed && dag_length(dag, s)) {
		double idle = (double)(dag_length(dag, s) - collapsed->work_ns);

		for (int e = 0; e <= EDGE_CREATE_CONT; e++)
			add(&binning->edge[e], start, dag_end(dag, s),
			    ((double)collapsed->ready_ns[e] + (e == EDGE_CREATE_CONT ? idle : 0)) /
				    (double)dag_length(dag, s));
	}
}

/* A turn lies in the last pause of its worker that began before; so they go in with the strands. */
ORDER(compare_turns, struct turn, BY_LEAST(ns))

/* From the turn on what was counted as the pause's state is time in the runtime. */
static void turn(struct binning *binning, const struct turn *turn)
{
	binning->pause[binning->run->row[turn->worker]].turn_ns = turn->ns;
}

static void find_held(struct binning *binning)
{
	const struct tracer *tracer = &binning->run->summary->pauses.tracer;

	binning->span = tracer->span;
	binning->held = xcalloc(binning->run->n_rows + 1ull, sizeof(*binning->held));
	for (uint64_t i = 0; i < tracer->n; i++) {
		struct held *held = &binning->held[binning->run->row[binning->span[i].worker]];

		if (held->end == 0)
			held->at = i;
		held->end = i + 1;
	}
}

static void add_all(struct binning *binning)
{
	const struct dag *dag = binning->run->dag;
	const struct pauses *pauses = &binning->run->summary->pauses;
	FREED struct turn *turns = xmalloc((pauses->n_turns + 1) * sizeof(*turns));
	uint64_t at = 0;

	for (uint64_t i = 0; i < pauses->n_turns; i++)
		turns[i] = pauses->turn[i];
	qsort(turns, pauses->n_turns, sizeof(*turns), compare_turns);
	for (strand_id s = 0; s < dag->n_strands; s++) {
		for (; at < pauses->n_turns && turns[at].ns <= dag_start(dag, s); at++)
			turn(binning, &turns[at]);
		if (dag_is_node(dag, s))
			continue;
		add_strand(binning, s);
		if (!binning->of_job)
			add_ready(binning, s);
	}
	for (; at < pauses->n_turns; at++)
		turn(binning, &turns[at]);
	for (uint32_t row = 0; row < binning->run->n_rows; row++)
		end_pause(binning, row, dag->elapsed_ns);
}

/* ---- components ---- */

/* The selected part of the window, cut into bins. */
static void cut(struct select *bins, const struct view_run *run, uint64_t width_ns, uint32_t n_bins)
{
	const struct select *select = &run->summary->run->select;

	bins->n_rows = n_bins;
	for (uint32_t i = 0; i < select->n; i++) {
		uint64_t from = select->span[i].from_ns, to = select->span[i].to_ns;

		while (from < to) {
			uint64_t bin = from / width_ns, end = at_most(to, (bin + 1) * width_ns);

			select_add(bins, from, end, (uint32_t)bin);
			from = end;
		}
	}
}

static void put_components(FILE *out, const struct view_run *run, const struct sums *like)
{
	const struct charge *bin = run->summary->drawn.bins.bin;
	AT_END(select_free) struct select bins = { 0 };
	AT_END(breakdown_free) struct breakdown breakdown = { 0 };
	struct section section = { 0 };

	if (!bin) {
		cut(&bins, run, like->width_ns, like->n_bins);
		breakdown_build(&breakdown, run->dag, &run->summary->drawn.path,
				&run->summary->pauses, &bins);
		bin = breakdown.row;
	}
	for (uint32_t i = 0; i < like->n_bins; i++) {
		section_number(&section, bin[i].work_ns);
		section_number(&section, bin[i].delay_ns);
		section_number(&section, bin[i].no_work_sched_ns);
		section_number(&section, bin[i].no_work_app_ns);
	}
	section_put(out, &section, "bins_components");
}

/* ---- all of it ---- */

void bins_leading(const struct summary *summary, kind_id leading[BINS_LEADING])
{
	for (uint32_t i = 0; i < BINS_LEADING; i++)
		leading[i] = KIND_NONE;
	for (uint32_t r = 0; r < summary->rows.n; r++) {
		const struct kind_row *row = &summary->rows.row[r];
		kind_id kind = row->kind;

		if (summary->dag->kind_site[kind] == SITE_UNKNOWN)
			continue; /* no kind: what is not known has no colour of its own */
		for (uint32_t i = 0; i < BINS_LEADING && kind != KIND_NONE; i++) {
			kind_id other = leading[i];

			if (other != KIND_NONE && summary->breakdown.kind[other].work_ns >=
							  summary->breakdown.kind[kind].work_ns)
				continue;
			leading[i] = kind;
			kind = other;
		}
	}
}

/* A power of two, of a length that all rows have room for. */
static uint32_t bins_by_row(const struct view_run *run)
{
	uint32_t n = drawn_bins(run->dag);

	while (n > 64 && (uint64_t)n * run->n_rows * CLASSES_OF_RUN > BINS_CELLS)
		n /= 2;
	return n;
}

static void open(struct binning *binning)
{
	const struct view_run *run = binning->run;
	uint32_t n = run->n_rows * (uint32_t)CLASSES, n_edge_bins = drawn_bins(run->dag);
	kind_id leading[BINS_LEADING];
	double *room;

	binning->row = xcalloc(n + 1ull, sizeof(*binning->row));
	binning->pause = xcalloc(run->n_rows + 1ull, sizeof(*binning->pause));
	binning->class_of = xmalloc(run->dag->n_kinds + 1ull);
	room = binning->room = xcalloc(n * sums_numbers(binning->n_row_bins) +
					       EDGE_KINDS * sums_numbers(n_edge_bins),
				       sizeof(*room));
	for (uint32_t i = 0; i < n; i++)
		room = open_sums(&binning->row[i], binning->length_ns, binning->n_row_bins, room);
	for (int e = 0; e < EDGE_KINDS; e++)
		room = open_sums(&binning->edge[e], run->dag->elapsed_ns, n_edge_bins, room);
	for (uint32_t row = 0; row < run->n_rows; row++)
		binning->pause[row] = (struct pause){ .turn_ns = UINT64_MAX, .state = CLASSES };
	bins_leading(run->summary, leading);
	for (kind_id k = 0; k < run->dag->n_kinds; k++)
		binning->class_of[k] = OTHERS;
	for (uint8_t i = 0; i < BINS_LEADING && !binning->of_job; i++)
		if (leading[i] != KIND_NONE)
			binning->class_of[leading[i]] = i;
	find_held(binning);
}

static void close(struct binning *binning)
{
	free(binning->room);
	free(binning->row);
	free(binning->pause);
	free(binning->class_of);
	free(binning->held);
}

/* In the order of the page's classes. */
static void put_page_rows(struct section *section, const struct binning *binning)
{
	for (uint32_t row = 0; row < binning->run->n_rows; row++)
		for (unsigned class = 0; class < CLASSES_OF_RUN; class ++)
			put_sums(section, &binning->row[row * (uint32_t)CLASSES + class]);
}

void bins_put(FILE *out, const struct view_run *run)
{
	AT_END(close) struct binning binning = { .run = run, .n_row_bins = bins_by_row(run) };
	struct section rows = { 0 }, edges = { 0 };

	binning.length_ns = run->dag->elapsed_ns;
	open(&binning);
	add_all(&binning);

	put_page_rows(&rows, &binning);
	for (int e = 0; e < EDGE_KINDS; e++)
		put_sums(&edges, &binning.edge[e]);
	section_put(out, &rows, "bins_rows");
	section_put(out, &edges, "bins_ready");
	put_components(out, run, &binning.edge[0]);
}

/* ---- a process of a job ---- */

/* Calls of MPI behind the window: the process has no more tasks, and waits for others. */
static void add_behind(struct binning *binning)
{
	const struct dag *dag = binning->run->dag;

	for (uint64_t i = 0; i < dag->n_messages; i++) {
		const struct dag_message *message = &dag->message[i];
		uint32_t row = message->strand == STRAND_NONE
				       ? 0
				       : binning->run->row[dag->strand[message->strand].worker];

		if (message->is_cut && (!i || message->begin_ns != message[-1].begin_ns))
			add(of_row(binning, row, IN_MESSAGE),
			    at_least(message->begin_ns, dag->elapsed_ns), message->end_ns, 1);
	}
}

uint64_t bins_states_ns(const struct view_run *run)
{
	uint64_t ns = run->dag->elapsed_ns;

	for (uint64_t i = 0; i < run->dag->n_messages; i++)
		ns = at_least(run->dag->message[i].end_ns, ns);
	return ns;
}

void bins_put_states(FILE *out, const struct view_run *run, uint32_t n_bins)
{
	static const enum row_class states[BINS_STATES] = { OTHERS, IN_MESSAGE, IN_BLOCKED,
							    IN_RUNTIME, IN_TRACER };
	AT_END(close) struct binning binning = { .run = run, .n_row_bins = n_bins };
	struct section rows = { 0 };

	binning.length_ns = bins_states_ns(run);
	binning.of_job = true;
	open(&binning);
	add_all(&binning);

	if (run->n_rows)
		add_behind(&binning);
	for (uint32_t row = 0; row < run->n_rows; row++)
		for (unsigned i = 0; i < BINS_STATES; i++)
			put_sums(&rows, of_row(&binning, row, states[i]));
	section_put(out, &rows, "states");
}
