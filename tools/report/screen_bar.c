/* SPDX-License-Identifier: MIT */
/* screen_bar.c - draws bars. */
#include "tools/report/screen_bar.h"

#include "tools/base/units.h"
#include "tools/base/ratio.h"

#define BAR_CELLS 30

static void put_bar(FILE *out, double share)
{
	int n = (int)(share * BAR_CELLS + 0.5);

	for (int i = 0; i < n; i++)
		fputc('#', out);
	fputc('\n', out);
}

void screen_put_component(FILE *out, const char *name, uint64_t ns, uint64_t of_ns)
{
	char text[UNITS_TIME];
	double share = ratio(ns, of_ns);

	fprintf(out, "  %-18s %9s %5.1f%%  ", name, units_time(text, ns), 100 * share);
	put_bar(out, share);
}

void screen_put_charge(FILE *out, const struct charge *charge, uint64_t of_ns)
{
	screen_put_component(out, "work", charge->work_ns, of_ns);
	screen_put_component(out, "delay", charge->delay_ns, of_ns);
	screen_put_component(out, "no-work-sched", charge->no_work_sched_ns, of_ns);
	screen_put_component(out, "no-work-app", charge->no_work_app_ns, of_ns);
}
