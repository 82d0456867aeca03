/* SPDX-License-Identifier: MIT */
/* screen_components.c - where elapsed x P went, by component; runtimes, teams, path and span. */
#include <inttypes.h>

#include "tools/base/units.h"
#include "tools/report/machine_facts.h"
#include "tools/table/put.h"
#include "tools/report/screen_bar.h"
#include "tools/report/screen_parts.h"
#include "tools/base/ratio.h"

static void put_breakdown(FILE *out, const struct summary *summary)
{
	char text[UNITS_TIME];

	fprintf(out, "  elapsed x %-8u %9s 100.0%%\n", summary->dag->n_workers,
		units_time(text, summary->cumulative_ns));
	screen_put_charge(out, &summary->breakdown.total, summary->cumulative_ns);
	if (charge_sum(&summary->breakdown.state[STATE_TRACER]))
		screen_put_component(out, "  held by tptrace",
				     charge_sum(&summary->breakdown.state[STATE_TRACER]),
				     summary->cumulative_ns);
}

/* Of each runtime, if there are several; what ran beside it does not count. */
void screen_put_runtimes(FILE *out, const struct summary *summary)
{
	if (summary->n_runtimes < 2)
		return;
	fprintf(out, "\n  %-16s %5s %9s %7s %7s %13s %11s %9s %9s\n", "runtime", "P", "elapsed",
		"work", "delay", "no-work-sched", "no-work-app", "tasks", "steals");
	for (uint32_t i = 0; i < summary->n_runtimes; i++) {
		const struct runtime_row *row = &summary->runtime[i];
		const struct dag_runtime *facts = &summary->dag->runtime[row->runtime];
		const char *name = summary->defs->runtime[row->runtime].name;
		uint64_t all = charge_sum(&row->total);
		char text[UNITS_TIME];

		fputs("  ", out);
		put_padded(out, name ? name : "?", 16);
		fprintf(out,
			" %5u %9s %6.1f%% %6.1f%% %12.1f%% %10.1f%% %9" PRIu64 " %9" PRIu64 "\n",
			facts->n_workers, units_time(text, row->elapsed_ns),
			percent(row->total.work_ns, all), percent(row->total.delay_ns, all),
			percent(row->total.no_work_sched_ns, all),
			percent(row->total.no_work_app_ns, all), facts->n_tasks,
			row->n_moves[MOVE_STEAL]);
	}
}

#define TEAMS_MOST 4u
#define TEAMS_TOLD 100u /* a hundredth of elapsed */
#define WHERE_TEXT 240

/* P is what the largest team had. */
void screen_put_teams(FILE *out, const struct summary *summary)
{
	const struct teams *teams = &summary->teams;
	char text[UNITS_TIME], times[UNITS_TIMES], where[WHERE_TEXT];

	for (uint32_t i = 0; i < teams->n && i < TEAMS_MOST; i++) {
		const struct team_row *row = &teams->row[i];

		if (row->elapsed_ns < summary->elapsed_ns / TEAMS_TOLD)
			return;
		place_text(where, sizeof(where), &rows_find(&summary->rows, row->kind)->code);
		fputs(i ? "  " : "\n  ", out);
		put_text(out, where);
		fprintf(out, ": asked for %u", row->least);
		if (row->most > row->least)
			fprintf(out, " to %u", row->most);
		fprintf(out, " of %u workers, %s, %s in all\n", row->n_workers,
			units_times(times, row->n_times), units_time(text, row->elapsed_ns));
	}
}

static void put_path(FILE *out, const struct summary *summary)
{
	const struct breakdown *b = &summary->breakdown;
	char text[4][UNITS_TIME];

	fprintf(out, "  ready path: %s work, %s scheduler delay, %s busy delay\n",
		units_time(text[0], b->path_work_ns),
		units_time(text[1], b->path_scheduler_delay_ns),
		units_time(text[2], b->path_busy_delay_ns));
	machine_put_span(out, &summary->on_cpu, &summary->least, summary->dag->n_workers,
			 summary->bound_ns);
	fprintf(out, "  delay by edge:");
	for (int e = 0; e < EDGE_KINDS; e++)
		if (b->delay_by_edge_ns[e])
			fprintf(out, " %s %s", edge_kind_name[e],
				units_time(text[0], b->delay_by_edge_ns[e]));
	fprintf(out, "%s\n", b->total.delay_ns ? "" : " none");
}

void screen_put_components(FILE *out, const struct summary *summary)
{
	put_breakdown(out, summary);
	fprintf(out, "\n");
	put_path(out, summary);
}
