/* SPDX-License-Identifier: MIT */
/* slices.c - finds out which slices can stay open, and goes through them. */
#include "tools/export/slices.h"

#include <stdlib.h>

#include "tools/base/progress.h"
#include "tools/base/xalloc.h"

/* ---- which stay open ---- */

/* The open slices of a worker, the innermost last: their newest strands. */
struct stack {
	strand_id *strand;
	uint64_t n, room;
};

struct finding_slices {
	struct export *export;
	strand_id *next;  /* by strand: its task's next one that is exported; STRAND_NONE */
	struct stack *of; /* by worker */
};

static void link_strands(struct finding_slices *find)
{
	const struct export *export = find->export;
	const struct dag *dag = export->dag;
	FREED strand_id *last = xmalloc((dag->n_tasks + 1ull) * sizeof(*last));

	for (task_id t = 0; t < dag->n_tasks; t++)
		last[t] = STRAND_NONE;
	for (strand_id s = 0; s < dag->n_strands; s++) {
		find->next[s] = STRAND_NONE;
		if (!export_has(export, s))
			continue;
		task_id task = dag->strand[s].task;

		if (last[task] != STRAND_NONE)
			find->next[last[task]] = s;
		last[task] = s;
	}
}

/* The open slice whose task goes on with that strand; the number of open ones if there is none. */
static uint64_t slice_of(const struct finding_slices *find, const struct stack *stack, strand_id s)
{
	uint64_t at = stack->n;

	while (at && find->next[stack->strand[at - 1]] != s)
		at--;
	return at ? at - 1 : stack->n;
}

/* The strand starts: what is open above its slice would end out of turn. */
static void place(struct finding_slices *find, strand_id s)
{
	struct export *export = find->export;
	const struct dag *dag = export->dag;
	uint32_t worker = dag->strand[s].worker;
	struct stack *stack = &find->of[worker];
	uint64_t at = export->flags[s] & EXPORT_GOES_ON ? slice_of(find, stack, s) : stack->n;
	strand_id next = find->next[s];

	while (stack->n > at + 1) {
		strand_id above = stack->strand[--stack->n];

		export->flags[above] &= (uint8_t)~EXPORT_PAUSES;
		export->flags[find->next[above]] &= (uint8_t)~EXPORT_GOES_ON;
	}
	if (at < stack->n)
		stack->n = at;
	if (next == STRAND_NONE || dag->strand[next].worker != worker)
		return;
	ARRAY_ADD(stack->strand, stack->n, stack->room, s);
	export->flags[s] |= EXPORT_PAUSES;
	export->flags[next] |= EXPORT_GOES_ON;
}

void slices_find(struct export *export)
{
	const struct dag *dag = export->dag;
	struct finding_slices find = {
		.export = export,
		.next = xmalloc((dag->n_strands + 1ull) * sizeof(*find.next)),
		.of = xcalloc(dag->n_slots + 1ull, sizeof(*find.of)),
	};

	link_strands(&find);

	for (strand_id s = 0; s < dag->n_strands; s++)
		if (export_has(export, s))
			place(&find, s);
	for (uint32_t w = 0; w < dag->n_slots; w++)
		free(find.of[w].strand);
	free(find.of);
	free(find.next);
}

/* ---- going through them ---- */

static enum slice_step start(struct slices *slices, strand_id s)
{
	slices->strand = s;
	slices->ns = dag_start(slices->export->dag, s);
	return slices->export->flags[s] & EXPORT_GOES_ON ? SLICE_RESUME : SLICE_ENTER;
}

static enum slice_step end(struct slices *slices, strand_id s)
{
	slices->strand = s;
	slices->ns = dag_end(slices->export->dag, s);
	return slices->export->flags[s] & EXPORT_PAUSES ? SLICE_PAUSE : SLICE_LEAVE;
}

static enum slice_step next_of_worker(struct slices *slices)
{
	if (slices->runs) {
		slices->runs = false;
		return end(slices, slices->of[slices->at++]);
	}
	if (slices->at == slices->until)
		return SLICE_OVER;
	slices->runs = true;
	return start(slices, slices->of[slices->at]);
}

static enum slice_step next_of_all(struct slices *slices)
{
	const struct export *export = slices->export;
	const struct dag *dag = export->dag;

	while (slices->at < dag->n_strands && !export_has(export, (strand_id)slices->at))
		slices->at++;
	bool any = slices->at < dag->n_strands;

	if (running_ends(&slices->running,
			 any ? dag_start(dag, (strand_id)slices->at) : UINT64_MAX))
		return end(slices, running_pop(&slices->running));
	if (!any)
		return SLICE_OVER;
	running_push(&slices->running, (strand_id)slices->at);
	return start(slices, (strand_id)slices->at++);
}

enum slice_step slices_next(struct slices *slices)
{
	return slices->of ? next_of_worker(slices) : next_of_all(slices);
}

/* Puts strands in the order of their workers. */
static void sort(struct slices *slices)
{
	const struct export *export = slices->export;
	const struct dag *dag = export->dag;

	for (strand_id s = 0; s < dag->n_strands; s++)
		if (export_has(export, s))
			slices->first[dag->strand[s].worker + 1]++;
	for (uint32_t w = 0; w < dag->n_slots; w++)
		slices->first[w + 1] += slices->first[w];
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (export_has(export, s))
			slices->of[slices->first[dag->strand[s].worker]++] = s;
	for (uint32_t w = dag->n_slots; w; w--)
		slices->first[w] = slices->first[w - 1];
	slices->first[0] = 0;
}

void slices_open(struct slices *slices, const struct export *export)
{
	*slices = (struct slices){
		.export = export,
		.of = xmalloc((export->n_strands + 1) * sizeof(*slices->of)),
		.first = xcalloc(export->dag->n_slots + 2ull, sizeof(*slices->first)),
	};
	sort(slices);
}

static void slices_worker(struct slices *slices, uint32_t worker)
{
	slices->at = slices->first[worker];
	slices->until = slices->first[worker + 1];
	slices->runs = false;
}

void slices_open_all(struct slices *slices, const struct export *export)
{
	*slices = (struct slices){ .export = export };
	running_open(&slices->running, export->dag);
}

void slices_close(struct slices *slices)
{
	free(slices->of);
	free(slices->first);
	running_close(&slices->running);
	*slices = (struct slices){ 0 };
}

void slices_each_of(struct slices *slices, uint32_t worker, slice_visit *visit, void *context)
{
	enum slice_step step;

	slices_worker(slices, worker);
	while ((step = slices_next(slices)) != SLICE_OVER) {
		visit(context, step, slices->strand, slices->ns);
		progress_add(slices->export->progress, step == SLICE_PAUSE || step == SLICE_LEAVE);
	}
}

void slices_each(const struct export *export, slice_visit *visit, void *context)
{
	AT_END(slices_close) struct slices slices;

	slices_open(&slices, export);
	for (uint32_t w = 0; w < export->dag->n_slots; w++)
		slices_each_of(&slices, w, visit, context);
}
