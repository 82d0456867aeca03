/* SPDX-License-Identifier: MIT */
/* export.c - gathers what strands say of their tasks, and chooses what is exported. */
#include "tools/export/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/trace/operand.h"
#include "tools/base/order.h"
#include "tools/base/utf8.h"
#include "tools/base/xalloc.h"
#include "tools/dag/ids.h"
#include "tools/export/facts.h"
#include "tools/export/slices.h"
#include "tools/export/text.h"
#include "tools/export/chosen.h"
#include "tools/summary/lock_names.h"

/* ---- tasks ---- */

static void add_strand(struct export *export, uint32_t *n_children, strand_id s)
{
	const struct dag *dag = export->dag;
	const struct strand *strand = &dag->strand[s];
	struct export_task *task = &export->task[strand->task];
	const struct collapsed *collapsed = dag_collapsed(dag, s);

	if (dag->how[s] & STRAND_FIRST && strand->pred != STRAND_NONE) {
		task->created_ns = dag_end(dag, strand->pred);
		task->creator = dag->strand[strand->pred].task;
		if (task->creator != TASK_NONE)
			task->child_number = ++n_children[task->creator];
	}
	if (task->n_strands++ == 0) {
		task->begin_ns = dag_start(dag, s);
		task->first = s;
	}
	task->last = s;
	task->end_ns = dag_end(dag, s);
	task->work_ns += dag_work(dag, s);
	task->own_ns += collapsed ? collapsed->own_ns : dag_length(dag, s);
	task->n_collapsed += export_collapsed(export, s);
}

static void gather_tasks(struct export *export)
{
	const struct dag *dag = export->dag;
	FREED uint32_t *n_children = xcalloc(dag->n_tasks + 1ull, sizeof(*n_children));

	for (task_id t = 0; t < dag->n_tasks; t++) {
		const uint64_t *creator = map_find(&dag->creators, t);

		export->task[t] =
			(struct export_task){ .created_ns = EXPORT_UNKNOWN,
					      .begin_ns = EXPORT_UNKNOWN,
					      .end_ns = EXPORT_UNKNOWN,
					      .first = STRAND_NONE,
					      .last = STRAND_NONE,
					      .creator = creator ? (task_id)*creator : TASK_NONE };
	}
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (!dag_is_node(dag, s))
			add_strand(export, n_children, s);
}

/* ---- what is wanted ---- */

/* Whether the selection has it; one that never began is in no part that somebody asked for. */
static bool is_selected(const struct export *export, const struct export_task *task)
{
	const struct select *select = run_selected(export->run);

	if (task->first == STRAND_NONE)
		return !select || !select->part;
	return select_has(select, task->begin_ns, task->end_ns);
}

static int choose_kind(struct export *export, struct err *err)
{
	const struct dag *dag = export->dag;
	const char *wanted = export->cut.kind;
	uint64_t n = 0;

	for (task_id t = 0; t < dag->n_tasks; t++) {
		const struct place *code = &export->summary->rows.code[dag->task_kind[t]];

		export->task[t].kept = !wanted || strcmp(code->name, wanted) == 0;
		n += export->task[t].kept;
	}
	if (wanted && !n)
		return err_set(err, ERR_NAME,
			       "%s: has no task of kind `%s`; `report --top 0` lists the kinds",
			       export->summary->file->path, wanted);
	return 0;
}

struct candidate {
	uint64_t work_ns;
	task_id task;
};

ORDER(most_first, struct candidate, BY_MOST(work_ns) ?: BY_LEAST(task))

static void choose_top(struct export *export)
{
	const struct dag *dag = export->dag;
	FREED struct candidate *of = xmalloc((dag->n_tasks + 1ull) * sizeof(*of));
	uint32_t n = 0;

	for (task_id t = 0; t < dag->n_tasks; t++)
		if (export->task[t].kept && is_selected(export, &export->task[t]))
			of[n++] = (struct candidate){ export->task[t].work_ns, t };
	qsort(of, n, sizeof(*of), most_first);
	for (uint32_t i = export->cut.top; i < n; i++)
		export->task[of[i].task].kept = false;
}

static void choose_strands(struct export *export)
{
	const struct select *select = run_selected(export->run);
	const struct dag *dag = export->dag;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		const struct strand *strand = &dag->strand[s];

		if (dag_is_node(dag, s))
			continue;
		if (export->task[strand->task].kept && export->worker[strand->worker] &&
		    select_has(select, dag_start(dag, s), dag_end(dag, s))) {
			export->flags[s] = EXPORT_KEPT;
			export->n_strands++;
			export->n_collapsed += export_collapsed(export, s);
		} else {
			export->strands_out++;
		}
	}
}

/* A task is exported if a strand of it is; one that never began, unless there is a cut. */
static void settle_tasks(struct export *export)
{
	const struct dag *dag = export->dag;
	uint8_t *any = export->flags;
	bool idle = !export->cut.workers && !export->cut.top;

	for (task_id t = 0; t < dag->n_tasks; t++)
		if (export->task[t].first != STRAND_NONE || !idle ||
		    !is_selected(export, &export->task[t]))
			export->task[t].kept = false;
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (any[s] & EXPORT_KEPT)
			export->task[dag->strand[s].task].kept = true;
	for (task_id t = 0; t < dag->n_tasks; t++)
		export->n_tasks += export->task[t].kept;
	export->tasks_out = dag->n_tasks - export->n_tasks;
}

static int choose(struct export *export, struct err *err)
{
	int error = chosen_workers(export, err) ?: choose_kind(export, err);

	if (error)
		return error;
	if (export->cut.top)
		choose_top(export);
	choose_strands(export);
	settle_tasks(export);
	slices_find(export);
	return 0;
}

/* ---- names ---- */

static void name_kinds(struct export *export)
{
	const struct dag *dag = export->dag;
	char where[300];

	for (kind_id k = 0; k < dag->n_kinds; k++) {
		const struct place *code = &export->summary->rows.code[k];
		FREED char *raw = NULL;

		place_where(where, sizeof(where), code);
		raw = xasprintf("%s%s%s", code->name, where[0] ? " " : "", where);
		export->name[k] = text_utf8(raw);
	}
}

const char *export_name(const struct export *export, strand_id s, char out[EXPORT_NAME])
{
	const char *name = export->name[dag_kind(export->dag, s)];
	uint64_t n = export_collapsed(export, s);

	if (!n)
		return name;
	snprintf(out, EXPORT_NAME, "%.*s (%" PRIu64 " tasks collapsed)",
		 (int)utf8_part(name, EXPORT_NAME - 50), name, n);
	return out;
}

const char *export_id(const struct export *export, task_id task, char out[EXPORT_ID])
{
	uint64_t id = export->id[task];

	if (id)
		snprintf(out, EXPORT_ID, "%u.%" PRIu64, id_worker(id), id_n(id));
	else
		snprintf(out, EXPORT_ID, "?%u", task);
	return out;
}

const char *export_ended_by(const struct export *export, strand_id s)
{
	static const char *const word[STRAND_ENDED_BY + 1] = {
		[WIRE_CREATE] = "create", [WIRE_FORK] = "fork",	    [WIRE_WAIT] = "wait",
		[WIRE_YIELD] = "yield",	  [WIRE_SIGNAL] = "signal", [WIRE_END] = "end",
	};
	const struct dag_wait *wait = dag_wait_of(export->dag, s);
	const char *found = word[export->dag->how[s] & STRAND_ENDED_BY];

	if (wait && wait->what)
		return wait_name(wait->what);
	return found ? found : "end of the trace";
}

enum move export_move(const struct export *export, strand_id s)
{
	uint32_t hint = 0;

	return released_move(export->dag, s, dag_releaser(export->dag, s, &hint));
}

/* ---- open and close ---- */

static void allocate(struct export *export)
{
	const struct dag *dag = export->dag;

	export->task = xmalloc((dag->n_tasks + 1ull) * sizeof(*export->task));
	export->flags = xcalloc(dag->n_strands + 1ull, sizeof(*export->flags));
	export->worker = xcalloc(dag->n_slots + 1ull, sizeof(*export->worker));
	export->name = xcalloc(dag->n_kinds + 1ull, sizeof(*export->name));
	export->id = ids_by_task(dag->ids, dag->n_tasks);
	ready_path_build(&export->path, dag, RUNTIMES_ALL);
}

int export_open(struct export *export, const struct summary *summary, const struct export_cut *cut,
		struct err *err)
{
	int error;

	*export = (struct export){
		.run = summary->run, .dag = summary->dag, .summary = summary, .cut = *cut
	};
	allocate(export);
	gather_tasks(export);
	name_kinds(export);
	error = choose(export, err);
	if (error)
		export_close(export);
	else
		facts_gather(export);
	return error;
}

void export_close(struct export *export)
{
	for (kind_id k = 0; export->name && k < export->dag->n_kinds; k++)
		free(export->name[k]);
	free(export->name);
	facts_free(export);
	ready_path_free(&export->path);
	free(export->task);
	free(export->id);
	free(export->flags);
	free(export->worker);
	*export = (struct export){ 0 };
}
