/* SPDX-License-Identifier: MIT */
/* columns.c - one loop over the strands, a column each; data.js reads them in the same order. */
#include "tools/view/columns.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"
#include "tools/view/left.h"
#include "tools/view/devices.h"
#include "tools/view/section.h"

enum column {
	START,
	LENGTH,
	ROW,
	TASK,
	PRED,
	RELEASER,
	EDGE,
	HOW,
	AFTER,
	TURN,
	WAIT,
	JOINS,
	COLLAPSED,
	STRAND_ID,
	COLUMNS
};
static const char *const column_name[COLUMNS] = { "start",     "length",   "row",  "task",
						  "pred",      "releaser", "edge", "how",
						  "after",     "turn",	   "wait", "joins",
						  "collapsed", "strand_id" };

struct packing {
	const struct view_run *run;
	const struct dag *dag;
	struct section column[COLUMNS];
	strand_id *last_of;  /* by task of the page: its last strand so far */
	task_id *last_on;    /* by row: the task that it ran last */
	uint64_t *end_on;    /* by row: when its last strand ended */
	struct turn *turn;   /* by worker, in order of time */
	uint64_t *next_turn; /* by worker, in turn[] */
	uint64_t last_ns;
	strand_id last_id;
	uint32_t hint;
	strand_id *from; /* what joins a strand, in order; room for so many */
	uint64_t room;
	uint32_t next_extra; /* of the dag */
};

ORDER(by_worker, struct turn, BY_LEAST(worker) ?: BY_LEAST(ns))

static void sort_turns(struct packing *packing)
{
	const struct pauses *pauses = &packing->run->summary->pauses;
	uint64_t at = 0;

	packing->turn = xmalloc((pauses->n_turns + 1) * sizeof(*packing->turn));
	packing->next_turn = xcalloc(packing->dag->n_slots + 1ull, sizeof(*packing->next_turn));
	if (pauses->n_turns)
		memcpy(packing->turn, pauses->turn, pauses->n_turns * sizeof(*packing->turn));
	qsort(packing->turn, pauses->n_turns, sizeof(*packing->turn), by_worker);
	for (uint32_t w = 0; w < packing->dag->n_slots; w++) {
		packing->next_turn[w] = at;
		while (at < pauses->n_turns && packing->turn[at].worker == w)
			at++;
	}
}

/* How long after the strand's end its worker turns; its turns come in the order of its strands. */
static uint64_t turn_after(struct packing *packing, strand_id s)
{
	uint32_t worker = packing->dag->strand[s].worker;

	return packing->turn[packing->next_turn[worker]++].ns - dag_end(packing->dag, s);
}

/* 0: the one that is likely; 1: none; else how far before s, and 1 more. */
static void put_from(struct packing *packing, enum column column, strand_id s, strand_id from,
		     strand_id likely)
{
	struct section *section = &packing->column[column];

	if (from == likely)
		section_number(section, 0);
	else if (from == STRAND_NONE)
		section_number(section, 1);
	else
		section_number(section, (uint64_t)s - from + 1);
}

/* A strand's predecessor is likely the one before of its task, and its releaser that one. */
static void put_edges(struct packing *packing, strand_id s, strand_id number, task_id task)
{
	const struct dag *dag = packing->dag;
	const struct keep *keep = &packing->run->keep;
	strand_id direct = dag_releaser(dag, s, &packing->hint), through = direct;
	strand_id pred = keep_number(keep, dag->strand[s].pred);
	strand_id before = STRAND_NONE;
	uint8_t edge = EDGE_KINDS;

	if (task != TASK_NONE) {
		before = packing->last_of[task];
		packing->last_of[task] = number;
	}
	if (direct != STRAND_NONE && dag_is_node(dag, direct))
		through = ready_path_released_by(dag, s, &packing->hint);
	if (direct != STRAND_NONE)
		edge = (uint8_t)dag_edge_kind(dag, direct, s);
	if (!dag_is_node(dag, s))
		edge |= (uint8_t)(released_move(dag, s, direct) << 3);
	put_from(packing, PRED, number, pred, before);
	put_from(packing, RELEASER, number, keep_number(keep, through), pred);
	section_byte(&packing->column[EDGE], edge);
}

ORDER(by_number, strand_id, order_least(*x, *y))

/* Those that the page has of the strands that join s, in order; how many. */
static uint32_t joins_of(struct packing *packing, strand_id s)
{
	const struct dag *dag = packing->dag;
	uint32_t n = 0, *at = &packing->next_extra;

	for (; *at < dag->n_extras && dag->extra[*at].to <= s; ++*at) {
		strand_id from = keep_number(&packing->run->keep, dag->extra[*at].from);

		if (dag->extra[*at].to < s || from == STRAND_NONE)
			continue;
		ARRAY_ADD(packing->from, n, packing->room, from);
	}
	SORT(packing->from, n, by_number);
	return n;
}

/* How many; how far the first is before s, and how far each other behind the one before. */
static void put_joins(struct packing *packing, strand_id s, strand_id number)
{
	struct section *section = &packing->column[JOINS];
	uint32_t n;

	if (!(packing->dag->how[s] & STRAND_EXTRA))
		return;
	n = joins_of(packing, s);
	section_number(section, n);
	for (uint32_t k = 0; k < n; k++)
		section_number(section, k ? packing->from[k] - packing->from[k - 1]
					  : number - packing->from[k]);
}

static void put_collapsed(struct packing *packing, const struct collapsed *collapsed)
{
	struct section *section = &packing->column[COLLAPSED];
	uint64_t ready_ns = 0;

	for (int e = 0; e <= EDGE_CREATE_CONT; e++)
		ready_ns += collapsed->ready_ns[e];
	section_number(section, collapsed->own_ns);
	section_number(section, collapsed->work_ns);
	section_number(section, collapsed->span_ns);
	section_number(section, collapsed->path_ns);
	section_number(section, ready_ns);
	section_number(section, collapsed->n_tasks);
}

/* After the strand before on its row; a node, after the strand before of all. */
static void put_start(struct packing *packing, strand_id s, uint32_t row)
{
	const struct dag *dag = packing->dag;
	uint64_t *before = dag_is_node(dag, s) ? &packing->last_ns : &packing->end_on[row];

	section_signed(&packing->column[START], (int64_t)(dag_start(dag, s) - *before));
	packing->last_ns = dag_start(dag, s);
	if (!dag_is_node(dag, s))
		packing->end_on[row] = dag_end(dag, s);
}

/* 0: a node; else how far from the task that the row ran last, and 1 more. */
static void put_task(struct packing *packing, uint32_t row, task_id task)
{
	int64_t further = (int64_t)task - packing->last_on[row];

	if (task == TASK_NONE) {
		section_number(&packing->column[TASK], 0);
		return;
	}
	section_number(&packing->column[TASK],
		       1 + ((uint64_t)further << 1 ^ (uint64_t)(further >> 63)));
	packing->last_on[row] = task;
}

static void put_strand(struct packing *packing, strand_id s, strand_id number)
{
	const struct dag *dag = packing->dag;
	const struct strand *strand = &dag->strand[s];
	struct section *column = packing->column;
	uint32_t row = packing->run->row[strand->worker];
	task_id task = keep_task(&packing->run->keep, strand->task);
	uint8_t after = packing->run->summary->pauses.after[s];
	uint64_t turn_ns =
		dag_is_node(dag, s) || !(after & PAUSE_TURNS) ? 0 : turn_after(packing, s);

	if (number == STRAND_NONE)
		return;
	put_start(packing, s, row);
	section_number(&column[LENGTH], dag_length(dag, s));
	section_number(&column[ROW], row);
	put_task(packing, row, task);
	section_byte(&column[HOW], dag->how[s]);
	put_edges(packing, s, number, task);
	section_byte(&column[AFTER], after);
	if (after & PAUSE_TURNS && !dag_is_node(dag, s))
		section_number(&column[TURN], turn_ns);
	section_number(&column[WAIT], dag_wait_number(dag, s));
	put_joins(packing, s, number);
	if (dag_collapsed(dag, s))
		put_collapsed(packing, dag_collapsed(dag, s));
	if (packing->run->keep.number)
		section_number(&column[STRAND_ID], s - packing->last_id);
	packing->last_id = s;
}

static void put_strands(FILE *out, const struct view_run *run)
{
	const struct dag *dag = run->dag;
	struct packing packing = { .run = run, .dag = dag };

	sort_turns(&packing);

	packing.end_on = xcalloc(run->n_rows + 1ull, sizeof(*packing.end_on));
	packing.last_on = xcalloc(run->n_rows + 1ull, sizeof(*packing.last_on));
	packing.last_of = xmalloc((run->keep.n_tasks + 1ull) * sizeof(*packing.last_of));
	memset(packing.last_of, 0xff, (run->keep.n_tasks + 1ull) * sizeof(*packing.last_of));
	for (strand_id s = 0; s < dag->n_strands; s++)
		put_strand(&packing, s, keep_number(&run->keep, s));
	sections_pack(packing.column, COLUMNS);
	for (int c = 0; c < COLUMNS; c++)
		section_put(out, &packing.column[c], column_name[c]);
	for (int c = 0; c < COLUMNS; c++)
		section_free(&packing.column[c]);
	free(packing.turn);
	free(packing.next_turn);
	free(packing.last_of);
	free(packing.last_on);
	free(packing.from);
	free(packing.end_on);
}

/* The parent's number on the page, and 1 more; 0: none, or what strands say. */
static uint64_t creator_of(const struct view_run *run, task_id task)
{
	const uint64_t *creator = map_find(&run->dag->creators, task);
	task_id parent = creator ? keep_task(&run->keep, (task_id)*creator) : TASK_NONE;

	return parent == TASK_NONE ? 0 : parent + 1ull;
}

static void put_tasks(FILE *out, const struct view_run *run)
{
	struct section kind = { 0 }, state = { 0 }, creator = { 0 }, id = { 0 };
	const struct dag *dag = run->dag;
	task_id last_id = 0;
	int64_t last = 0;

	for (task_id t = 0; t < dag->n_tasks; t++) {
		if (keep_task(&run->keep, t) == TASK_NONE)
			continue;
		section_signed(&kind, (int64_t)dag->task_kind[t] - last);
		last = dag->task_kind[t];
		section_byte(&state, dag->task_state[t]);
		section_number(&creator, creator_of(run, t));
		if (!run->keep.task)
			continue;
		section_number(&id, t - last_id);
		last_id = t;
	}
	section_put(out, &kind, "task_kind");
	section_put(out, &state, "task_state");
	section_put(out, &creator, "task_creator");
	section_put(out, &id, "task_id");
}

/* What the strands counted, a column for each counter: counter0, .. */
static void put_counters(FILE *out, const struct view_run *run)
{
	const struct dag *dag = run->dag;

	for (uint32_t c = 0; c < dag->n_counters; c++) {
		struct section section = { 0 };
		char name[32];

		if (!dag->count[c])
			continue;
		for (strand_id s = 0; s < dag->n_strands; s++)
			if (keep_number(&run->keep, s) != STRAND_NONE)
				section_number(&section, dag->count[c][s]);
		snprintf(name, sizeof(name), "counter%u", c);
		section_put(out, &section, name);
	}
}

void columns_put(FILE *out, const struct view_run *run)
{
	put_strands(out, run);
	left_put(out, run);
	put_tasks(out, run);
	put_counters(out, run);
	operations_put_data(out, run);
}
