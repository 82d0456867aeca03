/* SPDX-License-Identifier: MIT */
/* wait_table.c - a line for each place, and one for each kind of task that it waited for last. */
#include "tools/report/wait_table.h"

#include <inttypes.h>

#include "tools/base/units.h"
#include "tools/report/fit.h"
#include "tools/report/lock_names.h"
#include "tools/report/put.h"

#define NUMBERS 34 /* columns of numbers, .. */
#define MOST 9	   /* .. and of the longest, where there is room for names beside it */
#define NAME_WIDE 35
#define TEXT 300

/* How the table is laid out. */
struct layout {
	FILE *out;
	const struct summary *summary;
	int name; /* columns */
	bool most;
};

static void put_last(const struct layout *layout, const struct wait_kind *last)
{
	const struct place *place = &rows_find(&layout->summary->rows, last->kind)->code;
	char time[UNITS_TIME], name[TEXT], where[TEXT];

	snprintf(name, sizeof(name), "  last: %s", place->name);
	fit_name(layout->out, name, place_where(where, sizeof(where), place), layout->name);
	fprintf(layout->out, "%8s%8" PRIu64 "%9s\n", "", last->n, units_time(time, last->ns));
}

static void put_wait(const struct layout *layout, const struct wait_site *site)
{
	struct place place = rows_site(layout->summary->run, site->site);
	char time[3][UNITS_TIME], where[TEXT];

	fit_name(layout->out, wait_name(site->what),
		 place.name ? place_text(where, sizeof(where), &place) : "", layout->name);
	fprintf(layout->out, "%8" PRIu64 "%8" PRIu64 "%9s", site->n, site->n_waited,
		units_time(time[0], site->wait_ns));
	if (layout->most)
		fprintf(layout->out, "%9s", units_time(time[1], site->max_ns));
	fprintf(layout->out, "%9s\n", units_time(time[2], site->idle_ns));
	for (uint32_t i = 0; i < site->n_kinds && i < WAIT_KINDS; i++)
		put_last(layout, &site->last[i]);
}

void wait_table(FILE *out, const struct summary *summary, const struct look *look)
{
	struct layout layout = { out, summary, (int)look->width - NUMBERS, false };
	const struct wait_sites *waits = &summary->waits;

	if (waits->n == 0) {
		fputs(" no task waited for tasks\n", out);
		return;
	}
	layout.most = layout.name - MOST >= NAME_WIDE;
	layout.name -= layout.most ? MOST : 0;
	fprintf(out, "%-*s%8s%8s%9s%s%9s\n", layout.name, "wait", "times", "waited", "in",
		layout.most ? "      max" : "", "idle");
	for (uint32_t i = 0; i < waits->n && i < look->n_most; i++)
		put_wait(&layout, &waits->site[i]);
	if (waits->n > look->n_most)
		fprintf(out, "(%u more)\n", waits->n - look->n_most);
}

void wait_csv(FILE *out, const struct summary *summary, const char *path, bool header)
{
	char where[200];

	if (header)
		fprintf(out, "%swait,place,times,waited,wait_ns,max_ns,idle_ns\n",
			path ? "file," : "");
	for (uint32_t i = 0; i < summary->waits.n; i++) {
		const struct wait_site *site = &summary->waits.site[i];
		struct place place = rows_site(summary->run, site->site);

		if (path) {
			put_quoted(out, path);
			fputc(',', out);
		}
		put_quoted(out, wait_name(site->what));
		fputc(',', out);
		put_quoted(out, place.name ? place_text(where, sizeof(where), &place) : "");
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			site->n, site->n_waited, site->wait_ns, site->max_ns, site->idle_ns);
	}
}
