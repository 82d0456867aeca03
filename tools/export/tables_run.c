/* SPDX-License-Identifier: MIT */
/* tables_run.c - the tables that grow with the run: tasks, strands, edges, intervals. */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/export/moments.h"
#include "tools/base/progress.h"
#include "tools/base/xalloc.h"
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

/* 0.17 of worker << 48 | 17, ?5 of -6 */
#define NAME_OF_ID "iif(id < 0, '?' || (-1 - id), (id >> 48) || '.' || (id & 281474976710655))"

static const struct sql_column task_column[] = {
	{ "id", .type = SQL_INTEGER },
	{ "name", .type = SQL_TEXT, .is = NAME_OF_ID },
	{ "parent", .type = SQL_INTEGER, .less = "id" },
	{ "child_number", .type = SQL_INTEGER },
	{ "kind", .type = SQL_INTEGER },
	{ "created_ns", .type = SQL_INTEGER },
	{ "ready_ns", .less = "created_ns" },
	{ "begin_ns", .less = "ready_ns" },
	{ "end_ns", .less = "begin_ns" },
	{ "work_ns", .less = "end_ns", .since = "begin_ns" },
	{ "own_ns", .less = "work_ns" },
	{ "strands", .type = SQL_INTEGER },
	{ "worker", .type = SQL_INTEGER },
	{ "stolen", .type = SQL_INTEGER },
	{ "collapsed", .type = SQL_INTEGER },
	{ "ended", .type = SQL_INTEGER },
	{ "cancelled", .type = SQL_INTEGER },
	{ 0 },
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

static void put_task_row(const struct export *export, const struct rows_to *to, task_id t)
{
	const struct dag *dag = export->dag;
	const struct export_task *task = &export->task[t];
	char id[EXPORT_ID];

	put_task_id(export, to, t);
	to->text(to->context, to->stores ? NULL : export_id(export, t, id));
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
	{ "worker", .type = SQL_INTEGER },
	{ "start_ns", .type = SQL_INTEGER },
	{ "end_ns", .less = "start_ns" },
	{ "work_ns", .less = "end_ns", .since = "start_ns" },
	{ "ready_ns", .less = "start_ns" },
	{ "released_by", .less = "id" },
	{ "edge", .type = SQL_WORD },
	{ "move", .type = SQL_WORD },
	{ "ended_by", .type = SQL_WORD },
	{ "wait_site", .type = SQL_INTEGER },
	{ "object", .type = SQL_HEX },
	{ "on_ready_path", .type = SQL_INTEGER },
	{ "collapsed", .type = SQL_INTEGER },
	{ "held_ns", .type = SQL_INTEGER },
	{ "pred", .type = SQL_INTEGER, .less = "released_by",
	  .hidden = true },				   /* the first edge to it .. */
	{ "pred_edge", .type = SQL_WORD, .hidden = true }, /* .. and its kind, if not `edge` */
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

/* The first edge to the strand, in a database; and that ends its row. */
static void end_strand_row(const struct export *export, const struct rows_to *to, strand_id s,
			   const char *released)
{
	strand_id from = export->dag->strand[s].pred;
	const char *kind;

	if (to->stores && from != STRAND_NONE && has_row(export, from)) {
		kind = edge_kind_name[dag_edge_kind(export->dag, from, s)];
		to->integer(to->context, from);
		to->text(to->context, kind == released ? NULL : kind);
	} else if (to->stores) {
		to->null(to->context);
		to->null(to->context);
	}
	to->end_row(to->context);
}

/* Returns the kind of the edge; NULL: none. */
static const char *put_release(const struct export *export, const struct rows_to *to, strand_id s,
			       uint32_t *hint)
{
	static const char *const word[MOVES] = {
		[MOVE_STEAL] = "steal", [MOVE_MIGRATION] = "migration"
	};
	strand_id from = dag_releaser(export->dag, s, hint);

	const char *kind =
		from == STRAND_NONE ? NULL : edge_kind_name[dag_edge_kind(export->dag, from, s)];

	put_time(to,
		 from == STRAND_NONE ? EXPORT_UNKNOWN : released_ready_ns(export->dag, s, from));
	put_strand_id(to, from);
	to->text(to->context, kind);
	to->text(to->context, word[released_move(export->dag, s, from)]);
	return kind;
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
	end_strand_row(export, to, s, NULL);
}

static void put_strand_row(const struct export *export, const struct rows_to *to, strand_id s,
			   bool on_path, uint32_t *hint)
{
	const struct dag *dag = export->dag;
	const char *released;

	to->integer(to->context, s);
	put_task_id(export, to, dag->strand[s].task);
	to->integer(to->context, dag->strand[s].worker);
	put_time(to, dag_start(dag, s));
	put_time(to, dag_end(dag, s));
	to->integer(to->context, (int64_t)dag_work(dag, s));
	released = put_release(export, to, s, hint);
	put_end(export, to, s);
	to->integer(to->context, on_path);
	to->integer(to->context, (int64_t)export_collapsed(export, s));
	to->integer(to->context, (int64_t)tracer_inside(&export->summary->pauses.tracer, s));
	end_strand_row(export, to, s, released);
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
	{ "kind", .type = SQL_WORD },
	{ 0 },
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
	{ "worker", .type = SQL_INTEGER },
	{ "state", .type = SQL_WORD },
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
	to->integer(to->context, worker);
	to->text(to->context, state_name[state]);
	put_time(to, from_ns);
	put_time(to, to_ns);
	if (to->stores)
		to->integer(to->context, (int64_t)ran_ns);
	to->end_row(to->context);
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
	{ "worker", .type = SQL_INTEGER },
	{ "site", .type = SQL_INTEGER },
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
		put_task_id(export, to, its->task);
		to->integer(to->context, its->worker);
		to->integer(to->context, its->site);
		to->integer(to->context, (int64_t)its->begin_ns);
		to->integer(to->context, (int64_t)its->end_ns);
		to->integer(to->context, (int64_t)its->bytes);
		to->end_row(to->context);
	}
}

static const struct sql_column data_column[] = {
	{ "task", .type = SQL_INTEGER },
	{ "object", .type = SQL_HEX },
	{ "access", .type = SQL_WORD },
	{ "node", .type = SQL_INTEGER },
	{ "bytes", .type = SQL_INTEGER },
	{ 0 },
};

static void put_data(const struct export *export, const struct rows_to *to)
{
	for (uint64_t i = 0; i < export->dag->n_data; i++) {
		const struct dag_data *its = &export->dag->data[i];
		char object[24];

		if (!is_kept(export, its->task))
			continue;
		snprintf(object, sizeof(object), "0x%" PRIx64, its->object);
		put_task_id(export, to, its->task);
		to->text(to->context, object);
		to->text(to->context, its->access ? data_access_name[its->access] : NULL);
		if (its->node)
			to->integer(to->context, its->node - 1);
		else
			to->null(to->context);
		to->integer(to->context, (int64_t)its->bytes);
		to->end_row(to->context);
	}
}

#define EDGES_OF_STRANDS                                                                           \
	" UNION ALL SELECT pred + coalesce(released_by + id, 0), id,"                              \
	" (SELECT text FROM word WHERE word.id = coalesce(pred_edge, edge))"                       \
	" FROM strand_stored WHERE pred IS NOT NULL"
#define INTERVALS_RUNNING                                                                          \
	" UNION ALL SELECT worker, 'running', from_ns - ran_ns, from_ns"                           \
	" FROM interval_stored WHERE ran_ns > 0"

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
