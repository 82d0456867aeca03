/* SPDX-License-Identifier: MIT */
/* columns.c - one loop over the strands, a column each. */
#include "tools/view/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	COLLAPSED,
	COLUMNS
};
static const char *const column_name[COLUMNS] = { "start", "length",   "row",  "task",
						  "pred",  "releaser", "edge", "how",
						  "after", "turn",     "wait", "collapsed" };

struct packing {
	const struct view_run *run;
	const struct dag *dag;
	struct section column[COLUMNS];
	strand_id *last_of;  /* by task: its last strand so far */
	task_id *last_on;    /* by row: the task that it ran last */
	uint64_t *end_on;    /* by row: when its last strand ended */
	struct turn *turn;   /* by worker, in order of time */
	uint64_t *next_turn; /* by worker, in turn[] */
	uint64_t last_ns;
	uint32_t hint;
};

static int by_worker(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static int sort_turns(struct packing *packing)
{
	const struct pauses *pauses = &packing->run->summary->pauses;
	uint64_t at = 0;

	packing->turn = malloc((pauses->n_turns + 1) * sizeof(*packing->turn));
	packing->next_turn = calloc(packing->dag->n_slots + 1ull, sizeof(*packing->next_turn));
	if (!packing->turn || !packing->next_turn)
		return -ENOMEM;
	if (pauses->n_turns)
		memcpy(packing->turn, pauses->turn, pauses->n_turns * sizeof(*packing->turn));
	qsort(packing->turn, pauses->n_turns, sizeof(*packing->turn), by_worker);
	for (uint32_t w = 0; w < packing->dag->n_slots; w++) {
		packing->next_turn[w] = at;
		while (at < pauses->n_turns && packing->turn[at].worker == w)
			at++;
	}
	return 0;
}

/* How long after the strand's end its worker turns; its turns come in the order of its strands. */
static uint64_t turn_after(struct packing *packing, strand_id s)
{
	uint32_t worker = packing->dag->strand[s].worker;

	return packing->turn[packing->next_turn[worker]++].ns - dag_end(packing->dag, s);
}

/* 0: as guessed; 1: none; else how far before s, and 1 more. */
static void put_from(struct packing *packing, enum column column, strand_id s, strand_id from,
		     strand_id guess)
{
	struct section *section = &packing->column[column];

	if (from == guess)
		section_number(section, 0);
	else if (from == STRAND_NONE)
		section_number(section, 1);
	else
		section_number(section, (uint64_t)s - from + 1);
}

static void put_edges(struct packing *packing, strand_id s, strand_id number)
{
	const struct dag *dag = packing->dag;
	const struct strand *strand = &dag->strand[s];
	strand_id direct = dag_releaser(dag, s, &packing->hint), through = direct;
	strand_id pred = keep_number(&packing->run->keep, strand->pred);
	strand_id guess = STRAND_NONE;
	uint8_t edge = EDGE_KINDS;

	if (strand->task != TASK_NONE) {
		guess = packing->last_of[strand->task];
		packing->last_of[strand->task] = number;
	}
	if (direct != STRAND_NONE && dag_is_node(dag, direct))
		through = ready_path_released_by(dag, s, &packing->hint);
	if (direct != STRAND_NONE)
		edge = (uint8_t)dag_edge_kind(dag, direct, s);
	if (!dag_is_node(dag, s))
		edge |= (uint8_t)(released_move(dag, s, direct) << 3);
	put_from(packing, PRED, number, pred, guess);
	put_from(packing, RELEASER, number, keep_number(&packing->run->keep, through), pred);
	section_byte(&packing->column[EDGE], edge);
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

static void put_strand(struct packing *packing, strand_id s, strand_id number)
{
	const struct dag *dag = packing->dag;
	const struct strand *strand = &dag->strand[s];
	struct section *column = packing->column;
	uint32_t row = packing->run->row[strand->worker];
	uint8_t after = packing->run->summary->pauses.after[s];
	uint64_t turn_ns =
		dag_is_node(dag, s) || !(after & PAUSE_TURNS) ? 0 : turn_after(packing, s);

	if (number == STRAND_NONE)
		return;
	put_start(packing, s, row);
	section_number(&column[LENGTH], dag_length(dag, s));
	section_number(&column[ROW], row);
	if (dag_is_node(dag, s)) {
		section_number(&column[TASK], 0);
	} else {
		int64_t task = strand->task, last = packing->last_on[row];

		section_number(&column[TASK], 1 + ((uint64_t)(task - last) << 1 ^
						   (uint64_t)((task - last) >> 63)));
		packing->last_on[row] = strand->task;
	}
	put_edges(packing, s, number);
	section_byte(&column[HOW], dag->how[s]);
	section_byte(&column[AFTER], after);
	if (after & PAUSE_TURNS && !dag_is_node(dag, s))
		section_number(&column[TURN], turn_ns);
	section_number(&column[WAIT], dag->wait_of[s]);
	if (dag_collapsed(dag, s))
		put_collapsed(packing, dag_collapsed(dag, s));
}

static int put_strands(FILE *out, const struct view_run *run)
{
	const struct dag *dag = run->dag;
	struct packing packing = { .run = run, .dag = dag };
	int error = sort_turns(&packing);

	packing.last_of = malloc((dag->n_tasks + 1ull) * sizeof(*packing.last_of));
	packing.last_on = calloc(run->n_rows + 1ull, sizeof(*packing.last_on));
	packing.end_on = calloc(run->n_rows + 1ull, sizeof(*packing.end_on));
	if (error || !packing.last_of || !packing.last_on || !packing.end_on) {
		error = -ENOMEM;
		goto out;
	}
	memset(packing.last_of, 0xff, (dag->n_tasks + 1ull) * sizeof(*packing.last_of));
	for (strand_id s = 0; s < dag->n_strands; s++)
		put_strand(&packing, s, keep_number(&run->keep, s));
	for (int c = 0; c < COLUMNS && !error; c++)
		error = section_put(out, &packing.column[c], column_name[c]);
out:
	for (int c = 0; c < COLUMNS; c++)
		section_free(&packing.column[c]);
	free(packing.turn);
	free(packing.next_turn);
	free(packing.last_of);
	free(packing.last_on);
	free(packing.end_on);
	return error;
}

/* Those between strands that the page has.  `from`: how far before `to`; of further ones with the
 * same `to`, how far behind the last: children that are joined together ran one after the other. */
static int put_extras(FILE *out, const struct view_run *run)
{
	struct section to = { 0 }, from = { 0 };
	strand_id last = 0, last_from = STRAND_NONE;
	int error;

	for (uint32_t e = 0; e < run->dag->n_extras; e++) {
		strand_id at = keep_number(&run->keep, run->dag->extra[e].to);
		strand_id before = keep_number(&run->keep, run->dag->extra[e].from);

		if (at == STRAND_NONE || before == STRAND_NONE)
			continue;
		section_number(&to, at - last);
		if (at == last && last_from != STRAND_NONE)
			section_signed(&from, (int64_t)before - last_from);
		else
			section_number(&from, at - before);
		last = at;
		last_from = before;
	}
	error = section_put(out, &to, "extra_to");
	if (!error)
		error = section_put(out, &from, "extra_from");
	section_free(&from);
	return error;
}

static int put_tasks(FILE *out, const struct dag *dag)
{
	struct section kind = { 0 }, state = { 0 }, creator = { 0 };
	int64_t last = 0;
	int error;

	for (task_id t = 0; t < dag->n_tasks; t++) {
		const uint64_t *parent = table_find(&dag->creators, t);

		section_signed(&kind, (int64_t)dag->task_kind[t] - last);
		last = dag->task_kind[t];
		section_byte(&state, dag->task_state[t]);
		section_number(&creator, parent ? *parent + 1 : 0);
	}
	error = section_put(out, &kind, "task_kind");
	if (!error)
		error = section_put(out, &state, "task_state");
	if (!error)
		error = section_put(out, &creator, "task_creator");
	section_free(&state);
	section_free(&creator);
	return error;
}

/* When the recorder held workers. */
static int put_tracer(FILE *out, const struct view_run *run)
{
	const struct tracer *tracer = &run->summary->pauses.tracer;
	struct section section = { 0 };

	for (uint64_t i = 0; i < tracer->n; i++) {
		section_number(&section, run->row[tracer->span[i].worker]);
		section_number(&section, tracer->span[i].from_ns);
		section_number(&section, tracer->span[i].to_ns - tracer->span[i].from_ns);
	}
	return section_put(out, &section, "tracer");
}

/* What the strands counted, a column for each counter: counter0, .. */
static int put_counters(FILE *out, const struct view_run *run)
{
	const struct dag *dag = run->dag;
	int error = 0;

	for (uint32_t c = 0; c < dag->n_counters && !error; c++) {
		struct section section = { 0 };
		char name[32];

		if (!dag->count[c])
			continue;
		for (strand_id s = 0; s < dag->n_strands; s++)
			if (keep_number(&run->keep, s) != STRAND_NONE)
				section_number(&section, dag->count[c][s]);
		snprintf(name, sizeof(name), "counter%u", c);
		error = section_put(out, &section, name);
	}
	return error;
}

int columns_put(FILE *out, const struct view_run *run)
{
	int error = put_strands(out, run);

	if (!error)
		error = put_extras(out, run);
	if (!error)
		error = put_tasks(out, run->dag);
	if (!error)
		error = put_tracer(out, run);
	if (!error)
		error = put_counters(out, run);
	return error;
}
