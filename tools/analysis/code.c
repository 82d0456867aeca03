/* SPDX-License-Identifier: MIT */
/* code.c - one loop over the samples, with the strand that each worker began last. */
#include "tools/analysis/code.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/map.h"
#include "tools/base/order.h"

struct walk {
	struct code *code;
	const struct dag *dag;
	const struct pauses *pauses;
	const struct select *select;
	const struct code_stacks *stacks;
	strand_id next;
	strand_id *last; /* by worker: began last; STRAND_NONE: none has */
	uint8_t *spot;	 /* by worker: of its last sample */
	struct map cells;
};

static int by_time(const void *a, const void *b)
{
	const struct code_sample *x = a, *y = b;

	return order_least(code_sample_ns(x), code_sample_ns(y))
		       ?: order_least(x->worker, y->worker)
		       ?: order_least(x->stack, y->stack);
}

static bool runs(const struct walk *walk, uint32_t worker, uint64_t ns)
{
	strand_id s = walk->last[worker];

	return s != STRAND_NONE && ns < dag_end(walk->dag, s);
}

/* Counts it by what other workers do. */
static void count_others(const struct walk *walk, struct code_cell *cell, uint32_t worker,
			 uint64_t ns)
{
	bool beside = false, together = false;

	for (uint32_t w = 0; w < walk->dag->n_slots; w++)
		if (w != worker && runs(walk, w, ns)) {
			beside = true;
			together |= cell->spot && walk->spot[w] == cell->spot;
		}
	cell->n_beside += beside;
	cell->n_together += together;
}

static void begin_strands(struct walk *walk, uint64_t ns)
{
	const struct dag *dag = walk->dag;

	for (; walk->next < dag->n_strands && dag_start(dag, walk->next) <= ns; walk->next++)
		if (!dag_is_node(dag, walk->next))
			walk->last[dag->strand[walk->next].worker] = walk->next;
}

static kind_id kind_at(const struct walk *walk, strand_id s, uint32_t stack)
{
	uint32_t told = stack < walk->stacks->n && dag_collapsed(walk->dag, s)
				? walk->stacks->kind[stack]
				: 0;

	return told ? told - 1 : dag_kind(walk->dag, s);
}

/* Its cell, which may move when the next one is asked for; NULL without memory. */
static struct code_cell *cell_of(struct walk *walk, kind_id kind, enum state state, uint32_t stack)
{
	struct code *code = walk->code;
	uint64_t who = kind == CODE_NO_KIND ? state : (uint64_t)kind + STATES;
	uint64_t *number = map_put(&walk->cells, who << 32 | stack);

	if (!number || (!*number && !array_grow(&code->cell, &code->room, code->n_cells + 1ull,
						sizeof(*code->cell))))
		return NULL;
	if (!*number) {
		code->cell[code->n_cells++] =
			(struct code_cell){ .kind = kind,
					    .state = (uint8_t)state,
					    .in_kernel = stack & CODE_IN_KERNEL,
					    .stack = stack & ~CODE_IN_KERNEL };
		*number = code->n_cells;
	}
	return &code->cell[*number - 1];
}

static int put_sample(struct walk *walk, const struct code_sample *sample)
{
	uint64_t ns = code_sample_ns(sample);
	strand_id s = walk->last[sample->worker];
	bool running = runs(walk, sample->worker, ns);
	kind_id kind = running ? kind_at(walk, s, sample->stack & ~CODE_IN_KERNEL) : CODE_NO_KIND;
	enum state state = running	      ? STATE_RUNNING
			   : s != STRAND_NONE ? pause_state(walk->pauses->after[s])
					      : STATE_IDLE;
	struct code_cell *cell = cell_of(walk, kind, state, sample->stack);

	if (!cell)
		return -ENOMEM;
	if (cell->stack < walk->stacks->n)
		cell->spot = walk->stacks->spot[cell->stack];
	walk->spot[sample->worker] = cell->spot;
	if (sample->asleep_us) {
		cell->n_asleep++;
		cell->asleep_ns += UINT64_C(1000) * sample->asleep_us;
		return 0;
	}
	cell->n++;
	count_others(walk, cell, sample->worker, ns);
	walk->code->n++;
	if (running)
		walk->code->kind_n[kind]++;
	return 0;
}

static int place_samples(struct walk *walk, const struct code_sample *sample, uint64_t n)
{
	int error = 0;

	for (uint32_t w = 0; w < walk->dag->n_slots; w++)
		walk->last[w] = STRAND_NONE;
	for (uint64_t i = 0; i < n && !error; i++) {
		uint64_t ns = code_sample_ns(&sample[i]);

		begin_strands(walk, ns);
		if (sample[i].worker < walk->dag->n_slots && ns <= walk->dag->elapsed_ns &&
		    (!walk->select || select_within(walk->select, ns, ns + 1)))
			error = put_sample(walk, &sample[i]);
	}
	return error;
}

int code_build(struct code *code, const struct dag *dag, const struct pauses *pauses,
	       const struct select *select, struct code_sample *sample, uint64_t n,
	       const struct code_stacks *stacks)
{
	struct walk walk = {
		.code = code, .dag = dag, .pauses = pauses, .select = select, .stacks = stacks
	};
	int error = -ENOMEM;

	*code = (struct code){ 0 };
	if (!n)
		return 0;
	code->kind_n = calloc(dag->n_kinds + 1ull, sizeof(*code->kind_n));
	walk.last = malloc((dag->n_slots + 1ull) * sizeof(*walk.last));
	walk.spot = calloc(dag->n_slots + 1ull, sizeof(*walk.spot));
	if (code->kind_n && walk.last && walk.spot) {
		qsort(sample, n, sizeof(*sample), by_time);
		error = place_samples(&walk, sample, n);
	}
	free(walk.last);
	free(walk.spot);
	map_free(&walk.cells);
	if (error)
		code_free(code);
	return error;
}

void code_free(struct code *code)
{
	free(code->cell);
	free(code->kind_n);
	*code = (struct code){ 0 };
}
