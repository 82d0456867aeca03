/* SPDX-License-Identifier: MIT */
/* tables_run.c - the tables that grow with the run: tasks, strands, edges, intervals. */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/export/moments.h"
#include "tools/base/progress.h"
#include "tools/base/xalloc.h"
#include "tools/export/tables.h"

static struct value value_ns(uint64_t ns)
{
	return value_known(ns, ns != EXPORT_UNKNOWN);
}

int64_t tables_task_id(const struct export *export, task_id task)
{
	return export->id[task] ? (int64_t) export->id[task] : -1 - (int64_t)task;
}

static struct value value_task(const struct export *export, task_id task)
{
	return task == TASK_NONE ? value_known(0, false)
				 : value_of((uint64_t)tables_task_id(export, task));
}

/* ---- task ---- */

/* 0.17 of worker << 48 | 17, ?5 of -6 */
#define NAME_OF_ID "iif(id < 0, '?' || (-1 - id), (id >> 48) || '.' || (id & 281474976710655))"

#define FEW .few = true

static const struct sql_column task_column[] = {
	{ "id", .type = SQL_INTEGER },
	{ "name", .type = SQL_TEXT, .is = NAME_OF_ID },
	{ "parent", .type = SQL_INTEGER, .less = "id" },
	{ "child_number", .type = SQL_INTEGER },
	{ "kind", FEW },
	{ "created_ns", .type = SQL_INTEGER },
	{ "ready_ns", .less = "created_ns" },
	{ "begin_ns", .less = "ready_ns" },
	{ "end_ns", .less = "begin_ns" },
	{ "work_ns", .less = "end_ns", .since = "begin_ns" },
	{ "own_ns", .less = "work_ns" },
	{ "strands", FEW },
	{ "worker", FEW },
	{ "stolen", FEW },
	{ "collapsed", .type = SQL_INTEGER },
	{ "ended", FEW },
	{ "cancelled", FEW },
	{ 0 },
};

/* When a strand was ready: its releaser's end; EXPORT_UNKNOWN: nothing is known to have released
 * it. */
static uint64_t ready_ns(const struct dag *dag, strand_id s, uint32_t *hint)
{
	strand_id from = dag_releaser(dag, s, hint);

	return from == STRAND_NONE ? EXPORT_UNKNOWN : dag_end(dag, from);
}

static void put_task_row(const struct export *export, const struct rows_to *to, task_id t)
{
	const struct dag *dag = export->dag;
	const struct export_task *task = &export->task[t];
	bool begun = task->first != STRAND_NONE;
	char id[EXPORT_ID];
	uint32_t hint = 0;

	ROW(to, value_task(export, t), value_text(to->stores ? NULL : export_id(export, t, id)),
	    value_task(export, task->creator), value_of(task->child_number),
	    value_of(dag->task_kind[t]), value_ns(task->created_ns),
	    value_ns(begun ? ready_ns(dag, task->first, &hint) : EXPORT_UNKNOWN),
	    value_ns(task->begin_ns), value_ns(task->end_ns), value_of(task->work_ns),
	    value_of(task->own_ns), value_of(task->n_strands),
	    value_known(begun ? dag->strand[task->first].worker : 0, begun),
	    value_of(begun && export_move(export, task->first) == MOVE_STEAL),
	    value_of(task->n_collapsed), value_of((dag->task_state[t] & TASK_ENDED) != 0),
	    value_of((dag->task_state[t] & TASK_CANCELLED) != 0));
}

static int by_id(const void *a, const void *b, void *export)
{
	int64_t x = tables_task_id(export, *(const task_id *)a);
	int64_t y = tables_task_id(export, *(const task_id *)b);

	return x < y ? -1 : x > y;
}

static void put_tasks(const struct export *export, const struct rows_to *to)
{
	uint32_t n = export->dag->n_tasks;
	FREED task_id *task = to->stores ? xmalloc((n + 1ull) * sizeof(*task)) : NULL;

	for (task_id t = 0; task && t < n; t++)
		task[t] = t;
	if (task)
		qsort_r(task, n, sizeof(*task), by_id, (void *)export);
	for (task_id i = 0; i < n; i++) {
		task_id t = task ? task[i] : i;

		progress_add(export->progress, 1);
		if (export->task[t].kept)
			put_task_row(export, to, t);
	}
}

/* ---- strand ---- */

static const struct sql_column strand_column[] = {
	{ "id", .type = SQL_INTEGER },
	{ "task", .type = SQL_INTEGER },
	{ "worker", FEW },
	{ "start_ns", .type = SQL_INTEGER },
	{ "end_ns", .less = "start_ns" },
	{ "work_ns", .less = "end_ns", .since = "start_ns" },
	{ "ready_ns", .less = "start_ns" },
	{ "released_by", .less = "id" },
	{ "edge", .type = SQL_TEXT, FEW },
	{ "move", .type = SQL_TEXT, FEW },
	{ "ended_by", .type = SQL_TEXT, FEW },
	{ "wait_site", FEW },
	{ "object", .type = SQL_HEX },
	{ "on_ready_path", FEW },
	{ "collapsed", .type = SQL_INTEGER },
	{ "held_ns", .type = SQL_INTEGER },
	{ "pred", .type = SQL_INTEGER, .less = "released_by",
	  .hidden = true },					/* the first edge to it .. */
	{ "pred_edge", .type = SQL_TEXT, .hidden = true, FEW }, /* .. and its kind, if not `edge` */
	{ 0 },
};

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

#define STRAND_VALUES 18
#define STRAND_HIDDEN 2 /* of them, the last ones */

/* The first edge to the strand, in a database; and that ends its row. */
static void end_strand_row(const struct export *export, const struct rows_to *to, strand_id s,
			   struct value value[STRAND_VALUES], const char *released)
{
	strand_id from = export->dag->strand[s].pred;
	bool has = from != STRAND_NONE && has_row(export, from);
	const char *kind = has ? edge_kind_name[dag_edge_kind(export->dag, from, s)] : NULL;

	value[STRAND_VALUES - 2] = value_known(from, has);
	value[STRAND_VALUES - 1] = value_text(kind == released ? NULL : kind);
	to->row(to->context, value, STRAND_VALUES - (to->stores ? 0 : STRAND_HIDDEN));
}

static void put_node(const struct export *export, const struct rows_to *to, strand_id s)
{
	const struct value zero = value_of(0), none = value_known(0, false);
	struct value value[STRAND_VALUES] = { value_of(s),
					      none,
					      none,
					      value_ns(dag_start(export->dag, s)),
					      value_ns(dag_end(export->dag, s)),
					      zero,
					      [13] = zero,
					      zero,
					      zero };

	end_strand_row(export, to, s, value, NULL);
}

static void put_strand_row(const struct export *export, const struct rows_to *to, strand_id s,
			   bool on_path, uint32_t *hint)
{
	static const char *const word[MOVES] = {
		[MOVE_STEAL] = "steal", [MOVE_MIGRATION] = "migration"
	};
	const struct dag *dag = export->dag;
	const struct dag_wait *wait = dag_wait_of(dag, s);
	const struct dag_object *object = dag_object_of(dag, s);
	strand_id from = dag_releaser(dag, s, hint);
	bool is_known = from != STRAND_NONE;
	const char *edge = is_known ? edge_kind_name[dag_edge_kind(dag, from, s)] : NULL;
	char name[24];

	if (object)
		snprintf(name, sizeof(name), "0x%" PRIx64, object->name);
	end_strand_row(
		export, to, s,
		(struct value[STRAND_VALUES]){
			value_of(s), value_task(export, dag->strand[s].task),
			value_of(dag->strand[s].worker), value_ns(dag_start(dag, s)),
			value_ns(dag_end(dag, s)), value_of(dag_work(dag, s)),
			value_ns(is_known ? released_ready_ns(dag, s, from) : EXPORT_UNKNOWN),
			value_known(from, is_known), value_text(edge),
			value_text(word[released_move(dag, s, from)]),
			value_text(export_ended_by(export, s)),
			value_known(wait ? wait->site : 0, wait), value_text(object ? name : NULL),
			value_of(on_path), value_of(export_collapsed(export, s)),
			value_of(tracer_inside(&export->summary->pauses.tracer, s)) },
		edge);
}

static void put_strands(const struct export *export, const struct rows_to *to)
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
}

/* ---- edge ---- */

static const struct sql_column edge_column[] = {
	{ "from_strand", .type = SQL_INTEGER },
	{ "to_strand", .less = "from_strand" },
	{ "kind", .type = SQL_TEXT, FEW },
	{ 0 },
};

static void put_edge(const struct export *export, const struct rows_to *to, strand_id from,
		     strand_id s)
{
	if (from == STRAND_NONE || !has_row(export, from))
		return;
	ROW(to, value_of(from), value_of(s),
	    value_text(edge_kind_name[dag_edge_kind(export->dag, from, s)]));
}

static void put_edges(const struct export *export, const struct rows_to *to)
{
	const struct dag *dag = export->dag;
	uint32_t e = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		bool has = has_row(export, s);

		progress_add(export->progress, 1);
		if (has && !to->stores)
			put_edge(export, to, dag->strand[s].pred, s);
		for (; e < dag->n_extras && dag->extra[e].to == s; e++)
			if (has)
				put_edge(export, to, dag->extra[e].from, s);
	}
}

/* ---- interval ---- */

static const struct sql_column interval_column[] = {
	{ "worker", FEW },
	{ "state", .type = SQL_TEXT, FEW },
	{ "from_ns", .type = SQL_INTEGER },
	{ "to_ns", .less = "from_ns" },
	{ "ran_ns", .type = SQL_INTEGER, .hidden = true }, /* how long it was running before */
	{ 0 },
};

struct ran {
	uint64_t from_ns, to_ns; /* 0, 0: none */
};

struct intervals {
	const struct rows_to *to;
	struct ran *ran; /* by slot: running last, which is in no row yet; in a database */
};

static void put_interval(const struct rows_to *to, uint32_t worker, enum state state,
			 uint64_t from_ns, uint64_t to_ns, uint64_t ran_ns)
{
	const struct value value[] = { value_of(worker), value_text(state_name[state]),
				       value_ns(from_ns), value_ns(to_ns), value_of(ran_ns) };

	to->row(to->context, value, to->stores ? 5 : 4);
}

/* Where another state follows at once, it has what was running in its row. */
static void put_ran(const struct intervals *of, uint32_t worker, uint64_t next_ns)
{
	struct ran *ran = &of->ran[worker];

	if (ran->to_ns && ran->to_ns != next_ns) {
		put_interval(of->to, worker, STATE_RUNNING, ran->from_ns, ran->to_ns, 0);
		*ran = (struct ran){ 0 };
	}
}

static void on_state(void *context, uint32_t worker, enum state state, uint64_t from_ns,
		     uint64_t to_ns)
{
	const struct intervals *of = context;
	struct ran *ran = &of->ran[worker];

	put_ran(of, worker, state == STATE_RUNNING ? UINT64_MAX : from_ns);
	if (of->to->stores && state == STATE_RUNNING) {
		*ran = (struct ran){ from_ns, to_ns };
		return;
	}
	put_interval(of->to, worker, state, from_ns, to_ns, ran->to_ns - ran->from_ns);
	*ran = (struct ran){ 0 };
}

static void put_intervals(const struct export *export, const struct rows_to *to)
{
	FREED struct ran *ran = xcalloc(export->dag->n_slots + 1ull, sizeof(*ran));
	struct intervals intervals = { to, ran };

	moments_tell(export,
		     &(struct moments){ .context = &intervals, .state = on_state });
	for (uint32_t w = 0; w < export->dag->n_slots; w++)
		put_ran(&intervals, w, UINT64_MAX);
}

/* ---- operation, data: on the program's word ---- */

static bool is_kept(const struct export *export, task_id task)
{
	return task < export->dag->n_tasks && export->task[task].kept;
}

static const struct sql_column operation_column[] = {
	{ "task", .type = SQL_INTEGER },
	{ "worker", FEW },
	{ "site", FEW },
	{ "begin_ns", .type = SQL_INTEGER },
	{ "end_ns", .less = "begin_ns" },
	{ "bytes", .type = SQL_INTEGER },
	{ 0 },
};

static void put_operations(const struct export *export, const struct rows_to *to)
{
	for (uint64_t i = 0; i < export->dag->n_operations; i++) {
		const struct dag_operation *its = &export->dag->operation[i];

		if (its->task != TASK_NONE && !is_kept(export, its->task))
			continue;
		ROW(to, value_task(export, its->task), value_of(its->worker), value_of(its->site),
		    value_of(its->begin_ns), value_of(its->end_ns), value_of(its->bytes));
	}
}

static const struct sql_column data_column[] = {
	{ "task", .type = SQL_INTEGER },     { "object", .type = SQL_HEX },
	{ "access", .type = SQL_TEXT, FEW }, { "node", FEW },
	{ "bytes", .type = SQL_INTEGER },    { 0 },
};

static void put_data(const struct export *export, const struct rows_to *to)
{
	for (uint64_t i = 0; i < export->dag->n_data; i++) {
		const struct dag_data *its = &export->dag->data[i];
		char object[24];

		if (!is_kept(export, its->task))
			continue;
		snprintf(object, sizeof(object), "0x%" PRIx64, its->object);
		ROW(to, value_task(export, its->task), value_text(object),
		    value_text(its->access ? data_access_name[its->access] : NULL),
		    value_known(its->node - 1ull, its->node), value_of(its->bytes));
	}
}

#define EDGES_OF_STRANDS                                                                           \
	" UNION ALL SELECT pred + coalesce(released_by + id, 0), id,"                              \
	" (SELECT coalesce(pred_edge, edge) FROM strand_few_stored AS f WHERE f.id = few)"         \
	" FROM strand_stored WHERE pred IS NOT NULL"
#define INTERVALS_RUNNING                                                                          \
	" UNION ALL SELECT (SELECT worker FROM interval_few_stored AS f WHERE f.id = few),"        \
	" 'running', from_ns - ran_ns, from_ns FROM interval_stored WHERE ran_ns > 0"

const struct export_table tables_of_run[TABLES_OF_RUN] = {
	{ "task", task_column, .put = put_tasks },
	{ "strand", strand_column, .put = put_strands },
	{ "edge", edge_column, .put = put_edges, .more = EDGES_OF_STRANDS },
	{ "interval", interval_column, .put = put_intervals, .more = INTERVALS_RUNNING },
	{ "operation", operation_column, .put = put_operations },
	{ "data", data_column, .put = put_data },
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
