/* SPDX-License-Identifier: MIT */
/* moment.c - builds the last moments of a run, and prints them. */
#include "tools/top/moment.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/base/units.h"
#include "tools/base/xalloc.h"
#include "tools/table/apart.h"
#include "tools/table/fit.h"
#include "tools/summary/json_parts.h"
#include "tools/base/ratio.h"
#include "tools/base/at_most.h"

static void put_names(FILE *out, const void *of)
{
	sites_put(of, out);
}

/* Since the part's first event. */
static uint64_t since_ns(const struct run *run, uint64_t units)
{
	uint64_t ns = units ? reader_ns(run->reader, units) : 0;

	return ns > run->dag.begin_ns ? ns - run->dag.begin_ns : 0;
}

/* The last `ns` of it. */
static int select_last(struct live *live, uint64_t ns, struct err *err)
{
	struct run *run = &live->run;
	uint64_t elapsed_ns = run->dag.elapsed_ns, begin_ns = run->dag.begin_ns;
	uint64_t known_ns = since_ns(run, live->part.known_units);
	uint64_t before_ns = begin_ns - reader_ns(run->reader, live->part.begin_units);
	struct phases_wanted last = { .from_ns = elapsed_ns > ns ? elapsed_ns - ns : 0,
				      .to_ns = elapsed_ns };

	if (known_ns > last.from_ns && known_ns < last.to_ns)
		last.from_ns = known_ns;
	live->from_ns = before_ns + last.from_ns;
	live->until_ns = before_ns + last.to_ns;
	phases_free(&run->phases);
	select_free(&run->select);
	return run_select(run, &last, err);
}

static void analyse_part(struct live *live)
{
	const struct select *select = run_selected(&live->run);
	const struct dag *dag = &live->run.dag;

	pauses_find(&live->pauses, dag);

	live->facts = xcalloc(dag->n_kinds + 1ull, sizeof(*live->facts));
	ready_path_build(&live->path, dag, RUNTIMES_ALL);
	kinds_of(dag, select, live->facts);
	breakdown_build(&live->breakdown, dag, &live->path, &live->pauses, select);
	rows_build(&live->rows, &live->run, dag, live->facts, &live->breakdown);
}

static void sum_up(struct live *live)
{
	const struct course *course = &live->breakdown.course;
	double ns = 0, ready = 0;

	for (uint32_t i = 0; i < COURSE_CELLS; i++) {
		ns += course->cell[i].ns;
		ready += course->cell[i].ready;
	}
	live->ready = (ns > 0 ? ready / ns : 0) + (double)live->part.end.n_untold;
	for (uint32_t k = 0; k < live->run.dag.n_kinds; k++)
		live->n_tasks += live->facts[k].n_begun;
	/* these begin at the end of the part alone */
	live->n_tasks -= at_most(live->part.end.n_waiting - live->part.end.n_untold, live->n_tasks);
}

int live_build(struct live *live, struct follow *follow, const struct follow_wanted *wanted,
	       struct err *err)
{
	char path[40];
	int fd, error;

	*live = (struct live){ 0 };
	fd = follow_part(follow, wanted, &live->part, err);
	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	error = run_open(&live->run, path, NULL, err);
	close(fd);
	if (error)
		return error;
	if (follow->n_named != follow->n_sites)
		follow_name(follow, put_names, &live->run.sites);
	if (!error)
		error = select_last(live, wanted->ns, err);
	if (!error)
		analyse_part(live);
	if (!error)
		sum_up(live);
	return error;
}

void live_free(struct live *live)
{
	rows_free(&live->rows);
	breakdown_free(&live->breakdown);
	ready_path_free(&live->path);
	pauses_free(&live->pauses);
	free(live->facts);
	run_close(&live->run);
	*live = (struct live){ 0 };
}

#define BAR_FROM 22	/* columns before a bar */
#define KINDS_JSON 20u	/* the busiest: others together are seldom more than a few percent */
#define LINES_ABOVE 11	/* of the screen, above the kinds */
#define KIND_COLUMNS 47 /* before the name of a kind */
#define LINE_ROOM 400

static uint64_t all_ns(const struct live *live)
{
	return charge_sum(&live->breakdown.total);
}

/* A kind's time of workers: its work, and what is charged to it besides. */
static uint64_t kind_ns(const struct live *live, const struct kind_row *row)
{
	const struct breakdown *b = &live->breakdown;

	return row->charge->work_ns + state_times_sum(&b->in_state[row->kind]);
}

static const char *runtime_of(const struct live *live)
{
	const struct defs *defs = reader_defs(live->run.reader);

	for (uint32_t r = 0; r < live->run.dag.n_runtimes && r < defs->n_runtimes; r++)
		if (live->run.dag.runtime[r].n_tasks && defs->runtime[r].name)
			return defs->runtime[r].name;
	return defs->n_runtimes && defs->runtime[0].name ? defs->runtime[0].name : "";
}

/* ---- a screen ---- */

static void put_bar(FILE *out, const char *name, uint64_t ns, uint64_t all, int width)
{
	int room = width - BAR_FROM - 1, n = 0;

	if (all)
		n = (int)((double)room * (double)ns / (double)all + 0.5);
	fprintf(out, "%-14s %5.1f%% ", name, percent(ns, all));
	for (int i = 0; i < n && i < room; i++)
		fputc('#', out);
	fputc('\n', out);
}

static void put_head_line(FILE *out, const struct live *live, const struct live_shown *shown)
{
	const char *command = defs_meta(reader_defs(live->run.reader), "command");
	char text[LINE_ROOM], time[2][UNITS_TIME];

	snprintf(text, sizeof(text), "%s  pid %d  %s, %u workers  the last %s of %s",
		 command ? command : "", shown->pid, runtime_of(live), live->run.dag.n_workers,
		 units_time(time[0], live->until_ns - live->from_ns),
		 units_time(time[1], live->until_ns));
	fit_cut(out, text, shown->width);
	fputs("\n\n", out);
}

static void put_states_line(FILE *out, const struct live *live, const struct live_shown *shown)
{
	const struct charge *state = live->breakdown.state;
	uint64_t all = all_ns(live);
	char text[LINE_ROOM];

	snprintf(text, sizeof(text),
		 "workers: %.0f%% running, %.0f%% in the runtime, %.0f%% blocked, %.0f%% idle",
		 percent(charge_sum(&state[STATE_RUNNING]), all),
		 percent(charge_sum(&state[STATE_RUNTIME]), all),
		 percent(charge_sum(&state[STATE_BLOCKED]), all),
		 percent(charge_sum(&state[STATE_IDLE]), all));
	fit_cut(out, text, shown->width);
	snprintf(text, sizeof(text),
		 "\nready: %.1f strands on average; %" PRIu64
		 " task%s created and not begun; %" PRIu64 " ran",
		 live->ready, live->part.end.n_waiting, units_s(live->part.end.n_waiting),
		 live->n_tasks);
	fputc('\n', out);
	fit_cut(out, text + 1, shown->width);
	fputs("\n\n", out);
}

static void put_kind_shares(FILE *out, const struct live *live, const struct kind_row *row)
{
	const uint64_t *in = live->breakdown.in_state[row->kind].ns;
	uint64_t all = all_ns(live), waits_ns = 0;

	for (int s = 0; s < STATES; s++)
		waits_ns += state_waits(s) ? in[s] : 0;

	fprintf(out, "%5.1f%%  %5.1f%%  %6.1f%%  %6.1f%%  %6.1f%% ",
		percent(kind_ns(live, row), all), percent(row->charge->work_ns, all),
		percent(waits_ns, all), percent(in[STATE_RUNTIME] + in[STATE_TRACER], all),
		percent(in[STATE_IDLE], all));
}

static void put_live_kinds(FILE *out, const struct live *live, const struct live_shown *shown)
{
	int most = shown->height - LINES_ABOVE - 1;
	const struct kind_row *row = live->rows.row;
	AT_END(apart_free) struct apart names = { 0 };
	char where[160];

	for (uint32_t i = 0; i < live->rows.n && (int)i < most; i++)
		apart_add(&names, row[i].code.name,
			  place_where(where, sizeof(where), &row[i].code));
	apart_fit(&names, shown->width - KIND_COLUMNS > 10 ? shown->width - KIND_COLUMNS : 10);
	for (uint32_t i = 0; i < live->rows.n && (int)i < most; i++) {
		put_kind_shares(out, live, &row[i]);
		apart_put(out, &names, i);
		fputc('\n', out);
	}
}

void live_screen(FILE *out, const struct live *live, const struct live_shown *shown)
{
	const struct charge *total = &live->breakdown.total;
	uint64_t all = all_ns(live);

	put_head_line(out, live, shown);
	put_bar(out, "work", total->work_ns, all, shown->width);
	put_bar(out, "delay", total->delay_ns, all, shown->width);
	put_bar(out, "no-work-sched", total->no_work_sched_ns, all, shown->width);
	put_bar(out, "no-work-app", total->no_work_app_ns, all, shown->width);
	put_states_line(out, live, shown);
	fputs(" share    work  blocked  runtime  starved  kind\n", out);
	put_live_kinds(out, live, shown);
}

/* ---- a line ---- */

void live_line(FILE *out, const struct live *live, const struct live_shown *shown)
{
	const struct charge *total = &live->breakdown.total;
	const struct charge *state = live->breakdown.state;
	uint64_t all = all_ns(live);
	char time[UNITS_TIME], where[160];

	fprintf(out,
		"pid %d at %s: work %.1f%% delay %.1f%% no-work-sched %.1f%% no-work-app %.1f%%",
		shown->pid, units_time(time, live->until_ns), percent(total->work_ns, all),
		percent(total->delay_ns, all), percent(total->no_work_sched_ns, all),
		percent(total->no_work_app_ns, all));
	fprintf(out, "; runtime %.1f%% blocked %.1f%% idle %.1f%%; ready %.1f",
		percent(charge_sum(&state[STATE_RUNTIME]), all),
		percent(charge_sum(&state[STATE_BLOCKED]), all),
		percent(charge_sum(&state[STATE_IDLE]), all), live->ready);
	if (live->rows.n) {
		const struct kind_row *row = &live->rows.row[0];

		fprintf(out, "; %.1f%% ", percent(kind_ns(live, row), all));
		fit_cut(out, row->code.name, LINE_ROOM);
		fputc(' ', out);
		fit_cut(out, place_where(where, sizeof(where), &row->code), LINE_ROOM);
	}
	fputc('\n', out);
}

/* ---- for scripts ---- */

static void put_kind_json(struct json *to, const struct live *live, const struct kind_row *row)
{
	const uint64_t *in = live->breakdown.in_state[row->kind].ns;

	json_open(to, NULL, '{');
	json_text(to, "name", row->code.name);
	json_text(to, "file", row->code.file);
	json_number(to, "line", row->code.line);
	json_text(to, "module", row->code.module);
	json_number(to, "tasks", row->facts->n_begun);
	json_put_charge(to, row->charge);
#define PUT_STATE(state, key, ...) json_number(to, key, in[STATE_##state]);
	STATES_OF_TASKS(PUT_STATE)
	json_close(to, '}');
}

void live_json(FILE *out, const struct live *live, const struct live_shown *shown)
{
	struct json json, *to = &json;

	json_begin(to, out);
	json_number(to, "pid", (uint64_t)shown->pid);
	json_text(to, "state", "recording");
	json_text(to, "runtime", runtime_of(live));
	JSON_NUMBERS(to, { "workers", live->run.dag.n_workers }, { "from_ns", live->from_ns },
		     { "until_ns", live->until_ns }, { "cumulative_ns", all_ns(live) });
	json_put_charge(to, &live->breakdown.total);
	json_open(to, "states", '{');
	for (int i = 0; i < STATES; i++) {
		json_open(to, state_name[i], '{');
		json_put_charge(to, &live->breakdown.state[i]);
		json_close(to, '}');
	}
	json_close(to, '}');
	json_real(to, "ready", "%.3f", live->ready);
	JSON_NUMBERS(to, { "not_begun", live->part.end.n_waiting }, { "tasks", live->n_tasks });
	json_open(to, "kinds", '[');
	for (uint32_t i = 0; i < live->rows.n && i < KINDS_JSON; i++)
		put_kind_json(to, live, &live->rows.row[i]);
	json_close(to, ']');
	JSON_NUMBERS(to, { "events", live->part.n_events });
	json_bool(to, "whole", live->part.whole);
	json_number(to, "own_cpu_ns", shown->own_cpu_ns);
	json_end(to);
}
