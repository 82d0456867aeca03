/* SPDX-License-Identifier: MIT */
/* overlays.c - lists of strands, each after the one before, and samples of each row. */
#include "tools/view/overlays.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"
#include "tools/view/devices.h"
#include "tools/view/section.h"

/* Strands in the order of their numbers; those that the page does not have are left out. */
static void put_list(FILE *out, const struct view_run *run, const strand_id *strand, uint64_t n,
		     const char *name)
{
	struct section section = { 0 };
	strand_id last = 0;

	for (uint64_t i = 0; i < n; i++) {
		strand_id s = keep_number(&run->keep, strand[i]);

		if (s == STRAND_NONE)
			continue;
		section_number(&section, s - last);
		last = s;
	}
	section_put(out, &section, name);
}

static void put_paths(FILE *out, const struct view_run *run)
{
	const struct drawn *drawn = &run->summary->drawn;

	put_list(out, run, drawn->path.strand, drawn->path.n, "path");
	put_list(out, run, drawn->critical.strand, drawn->critical.n, "critical");
	put_list(out, run, drawn->binding.strand, drawn->binding.n, "binding");
}

ORDER(by_number, strand_id, order_least(*x, *y))

static void put_leaps(FILE *out, const struct view_run *run)
{
	const struct distributions *of = &run->summary->distributions;
	FREED strand_id *leap = xmalloc((of->n_leaps + 1) * sizeof(*leap));

	if (of->n_leaps) {
		memcpy(leap, of->leap, of->n_leaps * sizeof(*leap));
		qsort(leap, of->n_leaps, sizeof(*leap), by_number);
	}
	put_list(out, run, leap, of->n_leaps, "leaps");
}

/* Samples of a row: how many; of each the time and the two sums since the one before, and whether
 * the kernel said how long the worker had waited. */
static void put_samples(struct section *section, const struct machine_lane *lane)
{
	struct machine_sample last = { 0 };

	section_number(section, lane->n);
	for (uint64_t i = 0; i < lane->n; i++) {
		const struct machine_sample *sample = &lane->sample[i];

		section_signed(section, sample->ns - last.ns);
		section_number(section, i ? sample->run_ns - last.run_ns : 0);
		section_number(section, i ? sample->wait_ns - last.wait_ns : 0);
		section_byte(section, sample->has_wait);
		last = *sample;
	}
}

static void put_cpu(FILE *out, const struct view_run *run)
{
	static const struct machine_lane none;
	const struct machine *machine = &run->summary->run->machine;
	struct section section = { 0 };

	for (uint32_t row = 0; row < run->n_rows; row++) {
		uint32_t worker = run->worker[row];

		put_samples(&section, worker < machine->n_lanes ? &machine->lane[worker] : &none);
	}
	section_put(out, &section, "cpu");
}

/* When the recorder held workers. */
static void put_tracer(FILE *out, const struct view_run *run)
{
	const struct tracer *tracer = &run->summary->pauses.tracer;
	struct section section = { 0 };

	for (uint64_t i = 0; i < tracer->n; i++) {
		section_number(&section, run->row[tracer->span[i].worker]);
		section_number(&section, tracer->span[i].from_ns);
		section_number(&section, tracer->span[i].to_ns - tracer->span[i].from_ns);
	}
	section_put(out, &section, "tracer");
}

void overlays_put_marks(FILE *out, const struct view_run *run)
{
	put_paths(out, run);

	put_leaps(out, run);
}

void overlays_put_rows(FILE *out, const struct view_run *run)
{
	put_cpu(out, run);

	put_tracer(out, run);
	operations_put(out, run);
}
