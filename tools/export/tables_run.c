/* SPDX-License-Identifier: MIT */
/* tables_run.c - the tables that grow with the run: tasks, strands, edges, intervals. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "tools/export/moments.h"
#include "tools/base/progress.h"
#include "tools/export/tables.h"

static void put_time(const struct rows_to *to, uint64_t ns)
{
	if (ns == EXPORT_UNKNOWN)
		to->null(to->context);
	else
		to->integer(to->context, (int64_t)ns);
}

int64_t tables_task_id(const struct export *export, task_id task)
{
	return export->id[task] ? (int64_t) export->id[task] : -1 - (int64_t)task;
}

static void put_task_id(const struct export *export, const struct rows_to *to, task_id task)
{
	if (task == TASK_NONE)
		to->null(to->context);
	else
		to->integer(to->context, tables_task_id(export, task));
}

static void put_strand_id(const struct rows_to *to, strand_id s)
{
	if (s == STRAND_NONE)
		to->null(to->context);
	else
		to->integer(to->context, s);
}

/* ---- task ---- */

static const struct sql_column task_column[] = {
	{ "id", SQL_INTEGER },	      { "name", SQL_TEXT },
	{ "parent", SQL_INTEGER },    { "child_number", SQL_INTEGER },
	{ "kind", SQL_INTEGER },      { "created_ns", SQL_INTEGER },
	{ "ready_ns", SQL_INTEGER },  { "begin_ns", SQL_INTEGER },
	{ "end_ns", SQL_INTEGER },    { "work_ns", SQL_INTEGER },
	{ "own_ns", SQL_INTEGER },    { "strands", SQL_INTEGER },
	{ "worker", SQL_INTEGER },    { "stolen", SQL_INTEGER },
	{ "collapsed", SQL_INTEGER }, { "ended", SQL_INTEGER },
	{ "cancelled", SQL_INTEGER }, { NULL, SQL_INTEGER },
};

/* When a strand was ready: its releaser's end; EXPORT_UNKNOWN: nothing is known to have released
 * it. */
static uint64_t ready_ns(const struct dag *dag, strand_id s, uint32_t *hint)
{
	strand_id from = dag_releaser(dag, s, hint);

	return from == STRAND_NONE ? EXPORT_UNKNOWN : dag_end(dag, from);
}

static void put_begun(const struct export *export, const struct rows_to *to,
		      const struct export_task *task)
{
	const struct dag *dag = export->dag;
	uint32_t hint = 0;

	put_time(to, ready_ns(dag, task->first, &hint));
	put_time(to, task->begin_ns);
	put_time(to, task->end_ns);
	to->integer(to->context, (int64_t)task->work_ns);
	to->integer(to->context, (int64_t)task->own_ns);
	to->integer(to->context, task->n_strands);
	to->integer(to->context, dag->strand[task->first].worker);
	to->integer(to->context, export_move(export, task->first) == MOVE_STEAL);
	to->integer(to->context, (int64_t)task->n_collapsed);
}

static void put_never_begun(const struct rows_to *to)
{
	for (int i = 0; i < 3; i++)
		to->null(to->context);
	for (int i = 0; i < 3; i++)
		to->integer(to->context, 0);
	to->null(to->context);
	to->integer(to->context, 0);
	to->integer(to->context, 0);
}

static int put_tasks(const struct export *export, const struct rows_to *to)
{
	const struct dag *dag = export->dag;
	char id[EXPORT_ID];

	for (task_id t = 0; t < dag->n_tasks; t++) {
		const struct export_task *task = &export->task[t];

		progress_add(export->progress, 1);
		if (!task->kept)
			continue;
		put_task_id(export, to, t);
		to->text(to->context, export_id(export, t, id));
		put_task_id(export, to, task->creator);
		to->integer(to->context, task->child_number);
		to->integer(to->context, dag->task_kind[t]);
		put_time(to, task->created_ns);
		if (task->first != STRAND_NONE)
			put_begun(export, to, task);
		else
			put_never_begun(to);
		to->integer(to->context, (dag->task_state[t] & TASK_ENDED) != 0);
		to->integer(to->context, (dag->task_state[t] & TASK_CANCELLED) != 0);
		to->end_row(to->context);
	}
	return 0;
}

/* ---- strand ---- */

static const struct sql_column strand_column[] = {
	{ "id", SQL_INTEGER },	      { "task", SQL_INTEGER },
	{ "worker", SQL_INTEGER },    { "start_ns", SQL_INTEGER },
	{ "end_ns", SQL_INTEGER },    { "work_ns", SQL_INTEGER },
	{ "ready_ns", SQL_INTEGER },  { "released_by", SQL_INTEGER },
	{ "edge", SQL_TEXT },	      { "move", SQL_TEXT },
	{ "ended_by", SQL_TEXT },     { "wait_site", SQL_INTEGER },
	{ "object", SQL_TEXT },	      { "on_ready_path", SQL_INTEGER },
	{ "collapsed", SQL_INTEGER }, { "held_ns", SQL_INTEGER },
	{ NULL, SQL_INTEGER },
};

static void put_release(const struct export *export, const struct rows_to *to, strand_id s,
			uint32_t *hint)
{
	static const char *const word[MOVES] = {
		[MOVE_STEAL] = "steal", [MOVE_MIGRATION] = "migration"
	};
	strand_id from = dag_releaser(export->dag, s, hint);

	put_time(to, from == STRAND_NONE ? EXPORT_UNKNOWN : dag_end(export->dag, from));
	put_strand_id(to, from);
	to->text(to->context,
		 from == STRAND_NONE ? NULL : edge_kind_name[dag_edge_kind(export->dag, from, s)]);
	to->text(to->context, word[released_move(export->dag, s, from)]);
}

static void put_end(const struct export *export, const struct rows_to *to, strand_id s)
{
	const struct dag_wait *wait = dag_wait_of(export->dag, s);
	const struct dag_object *object = dag_object_of(export->dag, s);
	char name[24];

	to->text(to->context, export_ended_by(export, s));
	if (wait)
		to->integer(to->context, wait->site);
	else
		to->null(to->context);
	if (object)
		snprintf(name, sizeof(name), "0x%" PRIx64, object->name);
	to->text(to->context, object ? name : NULL);
}

static void put_node(const struct export *export, const struct rows_to *to, strand_id s)
{
	to->integer(to->context, s);
	to->null(to->context);
	to->null(to->context);
	put_time(to, dag_start(export->dag, s));
	put_time(to, dag_end(export->dag, s));
	to->integer(to->context, 0);
	for (int i = 0; i < 7; i++)
		to->null(to->context);
	for (int i = 0; i < 3; i++)
		to->integer(to->context, 0);
	to->end_row(to->context);
}

static void put_strand_row(const struct export *export, const struct rows_to *to, strand_id s,
			   bool on_path, uint32_t *hint)
{
	const struct dag *dag = export->dag;

	to->integer(to->context, s);
	put_task_id(export, to, dag->strand[s].task);
	to->integer(to->context, dag->strand[s].worker);
	put_time(to, dag_start(dag, s));
	put_time(to, dag_end(dag, s));
	to->integer(to->context, (int64_t)dag_work(dag, s));
	put_release(export, to, s, hint);
	put_end(export, to, s);
	to->integer(to->context, on_path);
	to->integer(to->context, (int64_t)export_collapsed(export, s));
	to->integer(to->context, (int64_t)tracer_inside(&export->summary->pauses.tracer, s));
	to->end_row(to->context);
}

/* Whether the strand is exported as a row: barriers are where all tasks are. */
static bool has_row(const struct export *export, strand_id s)
{
	const struct export_cut *cut = &export->cut;

	if (!dag_is_node(export->dag, s))
		return export_has(export, s);
	return !cut->workers && !cut->kind && !cut->top &&
	       select_has(run_selected(export->run), dag_start(export->dag, s),
			  dag_start(export->dag, s));
}

static int put_strands(const struct export *export, const struct rows_to *to)
{
	const struct ready_path *path = &export->path;
	uint32_t hint = 0, at = 0;

	for (strand_id s = 0; s < export->dag->n_strands; s++) {
		bool on_path = at < path->n && path->strand[at] == s;

		at += on_path;
		progress_add(export->progress, 1);
		if (!has_row(export, s))
			continue;
		if (dag_is_node(export->dag, s))
			put_node(export, to, s);
		else
			put_strand_row(export, to, s, on_path, &hint);
	}
	return 0;
}

/* ---- edge ---- */

static const struct sql_column edge_column[] = {
	{ "from_strand", SQL_INTEGER },
	{ "to_strand", SQL_INTEGER },
	{ "kind", SQL_TEXT },
	{ NULL, SQL_INTEGER },
};

static void put_edge(const struct export *export, const struct rows_to *to, strand_id from,
		     strand_id s)
{
	if (from == STRAND_NONE || !has_row(export, from))
		return;
	to->integer(to->context, from);
	to->integer(to->context, s);
	to->text(to->context, edge_kind_name[dag_edge_kind(export->dag, from, s)]);
	to->end_row(to->context);
}

static int put_edges(const struct export *export, const struct rows_to *to)
{
	const struct dag *dag = export->dag;
	uint32_t e = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		bool has = has_row(export, s);

		progress_add(export->progress, 1);
		if (has)
			put_edge(export, to, dag->strand[s].pred, s);
		for (; e < dag->n_extras && dag->extra[e].to == s; e++)
			if (has)
				put_edge(export, to, dag->extra[e].from, s);
	}
	return 0;
}

/* ---- interval ---- */

static const struct sql_column interval_column[] = {
	{ "worker", SQL_INTEGER }, { "state", SQL_TEXT }, { "from_ns", SQL_INTEGER },
	{ "to_ns", SQL_INTEGER },  { NULL, SQL_INTEGER },
};

static void on_state(void *context, uint32_t worker, enum state state, uint64_t from_ns,
		     uint64_t to_ns)
{
	const struct rows_to *to = context;

	to->integer(to->context, worker);
	to->text(to->context, state_name[state]);
	put_time(to, from_ns);
	put_time(to, to_ns);
	to->end_row(to->context);
}

static int put_intervals(const struct export *export, const struct rows_to *to)
{
	struct moments of = { .context = (void *)to, .state = on_state };

	return moments_tell(export, &of);
}

const struct export_table tables_of_run[] = {
	{ "task", task_column, .put = put_tasks },
	{ "strand", strand_column, .put = put_strands },
	{ "edge", edge_column, .put = put_edges },
	{ "interval", interval_column, .put = put_intervals },
	{ 0 },
};

void tables_stage(const struct export *export, const struct export_table *table)
{
	uint64_t n = table->put == put_tasks				    ? export->dag->n_tasks
		     : table->put == put_strands || table->put == put_edges ? export->dag->n_strands
									    : 0;
	char what[40];

	snprintf(what, sizeof(what), "writing table %s", table->name);
	progress_stage(export->progress, what, n);
}
