/* SPDX-License-Identifier: MIT */
/* overlays.c - lists of strands, each after the one before, and samples of each row. */
#include "tools/view/overlays.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/strand_paths.h"
#include "tools/base/order.h"
#include "tools/view/section.h"

/* Strands in the order of their numbers; those that the page does not have are left out. */
static int put_list(FILE *out, const struct view_run *run, const strand_id *strand, uint64_t n,
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
	return section_put(out, &section, name);
}

static int put_paths(FILE *out, const struct view_run *run)
{
	struct strand_path critical = { 0 }, binding = { 0 };
	int error = put_list(out, run, run->path.strand, run->path.n, "path");

	if (!error)
		error = critical_path_build(&critical, run->dag);
	if (!error)
		error = binding_path_build(&binding, run->dag);
	if (!error)
		error = put_list(out, run, critical.strand, critical.n, "critical");
	if (!error)
		error = put_list(out, run, binding.strand, binding.n, "binding");
	strand_path_free(&critical);
	strand_path_free(&binding);
	return error;
}

static int by_number(const void *a, const void *b)
{
	return order_least(*(const strand_id *)a, *(const strand_id *)b);
}

static int put_leaps(FILE *out, const struct view_run *run)
{
	const struct distributions *of = &run->summary->distributions;
	strand_id *leap = malloc((of->n_leaps + 1) * sizeof(*leap));
	int error;

	if (!leap)
		return -ENOMEM;
	if (of->n_leaps) {
		memcpy(leap, of->leap, of->n_leaps * sizeof(*leap));
		qsort(leap, of->n_leaps, sizeof(*leap), by_number);
	}
	error = put_list(out, run, leap, of->n_leaps, "leaps");
	free(leap);
	return error;
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

static int put_cpu(FILE *out, const struct view_run *run)
{
	static const struct machine_lane none;
	const struct machine *machine = &run->summary->run->machine;
	struct section section = { 0 };

	for (uint32_t row = 0; row < run->n_rows; row++) {
		uint32_t worker = run->worker[row];

		put_samples(&section, worker < machine->n_lanes ? &machine->lane[worker] : &none);
	}
	return section_put(out, &section, "cpu");
}

int overlays_put(FILE *out, const struct view_run *run)
{
	int error = put_paths(out, run);

	if (!error)
		error = put_leaps(out, run);
	if (!error)
		error = put_cpu(out, run);
	return error;
}
