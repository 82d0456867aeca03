/* SPDX-License-Identifier: MIT */
/* summary.c - runs the analyses and gives names to what they found. */
#include "tools/export/summary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/activity.h"
#include "tools/analysis/span.h"
#include "tools/export/ends.h"
#include "tools/export/text.h"

const char *place_base(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

char *place_text(char *out, size_t room, const struct place *place)
{
	if (place->file)
		snprintf(out, room, "%s, %s:%u", place->name, place_base(place->file), place->line);
	else
		snprintf(out, room, "%s", place->name);
	return out;
}

static const char *own(struct summary *summary, char *text)
{
	char **more = realloc(summary->owned, (summary->n_owned + 1) * sizeof(*more));

	if (!more || !text) {
		free(text);
		return "?";
	}
	summary->owned = more;
	more[summary->n_owned++] = text;
	return text;
}

static struct place place_at(struct summary *summary, struct names *names, uint32_t module,
			     uint64_t address, int is_return_address)
{
	struct name name = names_in(names, module, address, is_return_address);
	struct place place = { name.function, name.file, name.line, name.module };
	char text[300];

	if (!place.name) {
		if (name.module)
			snprintf(text, sizeof(text), "%s+0x%llx", place_base(name.module),
				 (unsigned long long)name.offset);
		else
			snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
		place.name = own(summary, strdup(text));
	}
	return place;
}

static void name_row(struct summary *summary, struct names *names, struct kind_row *row)
{
	const struct defs *defs = summary->defs;
	const struct defs_site *site = NULL;
	char text[40];

	if (row->kind == 0) {
		row->code = row->site = (struct place){ "main", NULL, 0, NULL };
		return;
	}
	if (row->kind - 1 < defs->n_sites)
		site = &defs->site[row->kind - 1];
	if (row->kind == DAG_KIND_FOUND && summary->dag->n_found)
		snprintf(text, sizeof(text), "(creation not recorded)");
	else
		snprintf(text, sizeof(text), "site %u", row->kind - 1);
	row->code = (struct place){ NULL, NULL, 0, NULL };
	if (site && site->function)
		row->code = place_at(summary, names, site->function_module, site->function, 0);
	if (site && site->return_address)
		row->site = place_at(summary, names, site->return_module, site->return_address, 1);
	if (site && site->name)
		row->code.name = site->name;
	if (site && site->file) {
		row->code.file = site->file;
		row->code.line = site->line;
	}
	if (!row->code.name)
		row->code = row->site;
	if (!row->code.name)
		row->code.name = own(summary, strdup(text));
	if (!row->site.name)
		row->site = row->code;
}

static int costly_first(const void *a, const void *b)
{
	const struct kind_row *x = a, *y = b;
	uint64_t cost_x = charge_sum(x->charge), cost_y = charge_sum(y->charge);

	if (cost_x != cost_y)
		return cost_x < cost_y ? 1 : -1;
	return x->kind < y->kind ? -1 : 1;
}

static int build_rows(struct summary *summary, struct names *names)
{
	const struct dag *dag = summary->dag;

	summary->row = calloc(dag->n_kinds + 1, sizeof(*summary->row));
	if (!summary->row)
		return -ENOMEM;
	for (uint32_t k = 0; k < dag->n_kinds; k++) {
		if (summary->facts[k].n_tasks == 0 && charge_sum(&summary->breakdown.kind[k]) == 0)
			continue; /* in a part, one that only waited has its delay all the same */
		struct kind_row *row = &summary->row[summary->n_rows++];

		row->kind = k;
		row->facts = &summary->facts[k];
		row->charge = &summary->breakdown.kind[k];
		name_row(summary, names, row);
	}
	qsort(summary->row, summary->n_rows, sizeof(*summary->row), costly_first);
	return 0;
}

/* NULL if that is all of the window: the analyses are faster without. */
static const struct select *selected(const struct summary *summary)
{
	bool whole = summary->phases.n == 1 && summary->select.n == 1 && !summary->select.part &&
		     summary->select.total_ns == summary->dag->elapsed_ns;

	return whole ? NULL : &summary->select;
}

/* Over the time of its own activity, if the process has tasks of others, too. */
static int build_runtime(struct summary *summary, struct runtime_row *row)
{
	const struct select *select = selected(summary);
	struct breakdown breakdown;
	struct select own = { 0 };
	int error = 0;

	if (summary->n_runtimes > 1) {
		error = activity_select(summary->dag, row->runtime, select, &own);
		select = &own;
	}
	if (!error)
		error = breakdown_build_of(&breakdown, summary->dag, row->runtime,
					   &summary->tracer, select);
	if (!error) {
		row->total = breakdown.total;
		memcpy(row->state, breakdown.state, sizeof(row->state));
		row->n_steals = breakdown.n_steals;
		row->from_ns = own.n ? own.span[0].from_ns : 0;
		row->elapsed_ns = summary->n_runtimes > 1 ? own.total_ns
							  : summary->select.total_ns;
		breakdown_free(&breakdown);
	}
	select_free(&own);
	return error;
}

/* With only one runtime, the breakdown is its own, unless one without tasks has workers, too. */
static int build_runtimes(struct summary *summary)
{
	const struct dag *dag = summary->dag;
	int error = 0;

	for (uint32_t r = 0; r < dag->n_runtimes; r++)
		if (dag->runtime[r].n_tasks)
			summary->runtime[summary->n_runtimes++] =
				(struct runtime_row){ .runtime = r };
	for (uint32_t i = 0; i < summary->n_runtimes && !error; i++) {
		struct runtime_row *row = &summary->runtime[i];

		if (summary->n_runtimes > 1 ||
		    dag->runtime[row->runtime].n_workers != dag->n_workers) {
			error = build_runtime(summary, row);
			continue;
		}
		row->total = summary->breakdown.total;
		memcpy(row->state, summary->breakdown.state, sizeof(row->state));
		row->n_steals = summary->breakdown.n_steals;
		row->elapsed_ns = summary->select.total_ns;
	}
	return error;
}

/* Marks as the analysis has them; NULL if there is no memory. */
static struct phase_mark *marks_of(const struct reader *reader, const struct dag *dag)
{
	static const enum phase_what what[DEFS_MARKS] = {
		[DEFS_MARK_START] = PHASE_START, [DEFS_MARK_STOP] = PHASE_STOP,
		[DEFS_MARK_PHASE] = PHASE_PHASE, [DEFS_MARK_BEGIN] = PHASE_BEGIN,
		[DEFS_MARK_END] = PHASE_END,
	};
	const struct defs *defs = reader_defs(reader);
	struct phase_mark *mark = malloc((defs->n_marks + 1ull) * sizeof(*mark));

	for (uint32_t i = 0; mark && i < defs->n_marks; i++) {
		uint64_t ns = reader_ns(reader, defs->mark[i].units);

		mark[i] = (struct phase_mark){ ns > dag->begin_ns ? ns - dag->begin_ns : 0,
					       what[defs->mark[i].what], defs->mark[i].name };
	}
	return mark;
}

static int select_wanted(struct summary *summary, const struct reader *reader,
			 const struct phases_wanted *wanted, struct err *err)
{
	const char *path = summary->file->path;
	struct phase_mark *mark = marks_of(reader, summary->dag);
	int error = mark ? phases_select(&summary->phases, &summary->select, mark,
					 summary->defs->n_marks, summary->dag->elapsed_ns, wanted)
			 : -ENOMEM;

	free(mark);
	if (error)
		return err_set(err, -error, "%s: not enough memory for its analysis", path);
	if (wanted->phase && !phases_find(&summary->phases, wanted->phase))
		return err_set(err, ENODATA,
			       "%s: has no phase `%s`; `report --by phase` lists them", path,
			       wanted->phase);
	if (wanted->region && !summary->phases.region_found)
		return err_set(err, ENODATA, "%s: has no region `%s`", path, wanted->region);
	if (summary->select.part && !summary->select.total_ns)
		return err_set(err, ENODATA, "%s: nothing was recorded in that part of it", path);
	return 0;
}

static void count_tasks(struct summary *summary)
{
	const struct dag *dag = summary->dag;

	for (task_id t = 0; t < dag->n_tasks; t++) {
		uint8_t state = dag->task_state[t];

		summary->n_never += !(state & (TASK_BEGUN | TASK_CANCELLED | TASK_EMPTY));
		summary->n_unfinished +=
			state & TASK_BEGUN && !(state & TASK_ENDED) && dag->task_kind[t] != 0;
	}
}

/* Events cost what the recorder measured at its start; what workers waited for it is measured. */
static uint64_t tracer_ns(const struct summary *summary)
{
	const char *cost = defs_meta(summary->defs, "event_cost_ps");
	uint64_t ps = cost ? strtoull(cost, NULL, 10) : 0;

	if (ps > 1000000) /* a thousand ns an event: not a measurement */
		ps = 0;
	/* a hidden task: its creation, its parent's resumption, its begin and its end */
	uint64_t n_hidden = 4 * summary->dag->n_hidden_tasks + 2 * summary->dag->n_hidden_waits;
	uint64_t n_events = summary->dag->n_events + n_hidden;

	return (uint64_t)((unsigned __int128)n_events * ps / 1000) + summary->dag->held_ns;
}

static uint64_t count_strands(const struct dag *dag, const struct select *select)
{
	uint64_t n = 0;

	if (!select || !select->part)
		return dag->n_strands - dag->n_nodes + 2 * dag->n_hidden_tasks +
		       dag->n_hidden_waits;
	for (strand_id s = 0; s < dag->n_strands; s++)
		n += !dag_is_node(dag, s) && select_has(select, dag_start(dag, s), dag_end(dag, s));
	return n;
}

int summary_build(struct summary *summary, const struct reader *reader, const struct dag *dag,
		  struct names *names, const struct phases_wanted *wanted, struct err *err)
{
	const struct select *select;
	struct path path = { 0 };
	int error;

	*summary = (struct summary){ .file = reader_facts(reader),
				     .defs = reader_defs(reader),
				     .dag = dag };
	error = select_wanted(summary, reader, wanted, err);
	if (error) {
		summary_free(summary);
		return error;
	}
	select = selected(summary);
	error = path_build(&path, dag, PATH_ALL);
	if (!error)
		error = tracer_find(&summary->tracer, dag);
	if (!error)
		error = breakdown_build(&summary->breakdown, dag, &path, &summary->tracer, select);
	path_free(&path);
	if (!error)
		error = build_runtimes(summary);
	if (!error)
		error = shape_of(dag, select, &summary->shape);
	if (!error)
		error = span_of(dag, select, &summary->span_ns);
	summary->facts = calloc(dag->n_kinds + 1, sizeof(*summary->facts));
	if (!error)
		error = summary->facts ? kinds_of(dag, select, summary->facts) : -ENOMEM;
	if (!error)
		error = build_rows(summary, names);
	if (!error)
		error = teams_find(&summary->teams, dag, select);
	if (!error)
		error = findings_build(&summary->findings, dag, &summary->breakdown,
				       summary->facts);
	if (error) {
		summary_free(summary);
		return err_set(err, -error, "%s: not enough memory for its analysis",
			       reader_facts(reader)->path);
	}
	count_tasks(summary);
	ends_find(summary, reader);
	summary->elapsed_ns = summary->select.total_ns;
	summary->cumulative_ns = summary->elapsed_ns * dag->n_workers;
	summary->n_strands = count_strands(dag, select);
	for (uint32_t k = 0; k < dag->n_kinds; k++)
		summary->n_tasks += summary->facts[k].n_tasks;
	summary->n_begun = dag->n_begun + dag->n_hidden_tasks;
	summary->n_ended = dag->n_ended + dag->n_hidden_tasks;
	summary->losses = losses_of(reader, dag);
	summary->clock = clock_facts_of(reader, dag);
	summary->tracer_ns = tracer_ns(summary);
	uint64_t work = summary->breakdown.total.work_ns;

	if (summary->span_ns)
		summary->parallelism = (double)work / (double)summary->span_ns;
	summary->bound_ns = dag->n_workers ? work / dag->n_workers : 0;
	if (summary->bound_ns < summary->span_ns)
		summary->bound_ns = summary->span_ns;
	return 0;
}

const struct kind_row *summary_row(const struct summary *summary, uint32_t kind)
{
	uint32_t i = 0;

	while (i + 1 < summary->n_rows && summary->row[i].kind != kind)
		i++;
	return &summary->row[i];
}

void summary_sentences(const struct summary *summary, const struct finding *finding,
		       char what[FINDING_TEXT], char advice[FINDING_TEXT])
{
	char median[TEXT_TIME], cost[TEXT_TIME], grain[TEXT_TIME];

	if (finding->id == FINDING_SERIAL) {
		snprintf(what, FINDING_TEXT,
			 "while it ran on the ready path, other workers of %u had nothing to do",
			 summary->dag->n_workers);
		snprintf(advice, FINDING_TEXT,
			 "split it into tasks, or start it earlier, beside other work");
		return;
	}
	if (finding->id == FINDING_TRACER) {
		snprintf(what, FINDING_TEXT,
			 "workers waited for tptrace's collector, most with events of these tasks, "
			 "and others may have waited for those workers");
		snprintf(advice, FINDING_TEXT,
			 "record with a larger --buffer, or with --overflow=drop; the collector "
			 "may have been stopped, or have found no CPU");
		return;
	}
	snprintf(what, FINDING_TEXT,
		 "%llu tasks work for %s (median) and cost a free worker %s each before they start",
		 (unsigned long long)finding->n_tasks, text_time(median, finding->median_ns),
		 text_time(cost, finding->cost_ns));
	snprintf(advice, FINDING_TEXT, "make tasks of about %s: a cut-off, or more work in each",
		 text_time(grain, finding->cost_ns * FINE_GRAIN));
}

void summary_free(struct summary *summary)
{
	for (uint32_t i = 0; i < summary->n_owned; i++)
		free(summary->owned[i]);
	free(summary->owned);
	free(summary->row);
	free(summary->facts);
	findings_free(&summary->findings);
	tracer_free(&summary->tracer);
	teams_free(&summary->teams);
	breakdown_free(&summary->breakdown);
	phases_free(&summary->phases);
	select_free(&summary->select);
	*summary = (struct summary){ 0 };
}
