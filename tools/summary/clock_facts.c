/* SPDX-License-Identifier: MIT */
/* clock_facts.c - says what the trace's clock did. */
#include "tools/summary/clock_facts.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/units.h"
#include "tools/table/put.h"

#define DRIFT_TOLD_PPM 200u
#define DRIFT_MATTERS 1000u /* parts of the elapsed time: 0.1 % */

struct clock_facts clock_facts_of(const struct reader *reader, const struct dag *dag)
{
	uint64_t begin_ns = dag ? dag->begin_ns : reader_facts(reader)->first_ns;
	const struct timeline *timeline = reader_timeline(reader);
	const struct defs *defs = reader_defs(reader);

	return (struct clock_facts){ .source = defs->clock ? defs->clock : "ns",
				     .n_snapshots = defs->n_snapshots,
				     .n_jumps = timeline->n_jumps,
				     .jump_ns = timeline->jump_ns,
				     .jump_since_ns = above(timeline->jump_at_ns, begin_ns),
				     .jump_until_ns = above(timeline->jump_to_ns, begin_ns),
				     .drift_ppm = timeline->drift_ppm,
				     .drift_ns = timeline->drift_ns,
				     .cpus_off_ns = defs_meta_number(defs, "clock_cpus_off_ns"),
				     .skew_ns = dag ? dag->moved_ns : 0,
				     .skew_at_ns = dag ? above(dag->moved_at_ns, begin_ns) : 0 };
}

/* "by 10.0 s ahead between 3.20 s and 3.40 s", after "the clock jumped " or the like. */
static void put_jump(FILE *out, const struct clock_facts *clock)
{
	char by[UNITS_TIME], from[UNITS_TIME], to[UNITS_TIME];

	fprintf(out, "by %s %s between %s and %s", units_time(by, (uint64_t)llabs(clock->jump_ns)),
		clock->jump_ns > 0 ? "ahead" : "back", units_time(from, clock->jump_since_ns),
		units_time(to, clock->jump_until_ns));
}

/* Whether it was behind where it had been before. */
static bool is_set_back(const struct clock_facts *clock)
{
	return clock->jump_ns < 0 &&
	       (uint64_t)-clock->jump_ns > clock->jump_until_ns - clock->jump_since_ns;
}

void clock_put_faults(FILE *out, const struct clock_facts *clock, uint64_t elapsed_ns)
{
	if (clock->n_jumps) {
		fputs("CLOCK: the clock (", out);
		put_text(out, clock->source);
		fputs(") jumped ", out);
		if (clock->n_jumps > 1)
			fprintf(out, "%u times, once ", clock->n_jumps);
		put_jump(out, clock);
		fputs(is_set_back(clock)
			      ? "; later events have no times until the clock has caught up\n"
			      : "; times in between are estimates\n",
		      out);
	}
	if (clock->skew_ns) {
		char by[UNITS_TIME], at[UNITS_TIME];

		fprintf(out,
			"CLOCK: the clocks of two workers disagree by %s, at %s; tptrace moved "
			"events that came before their causes behind them\n",
			units_time(by, clock->skew_ns), units_time(at, clock->skew_at_ns));
	}
	if (clock->drift_ppm > DRIFT_TOLD_PPM && clock->drift_ns > elapsed_ns / DRIFT_MATTERS) {
		fputs("CLOCK: the rate of the clock (", out);
		put_text(out, clock->source);
		fprintf(out, ") changed by %u ppm during the run; times are corrected for it\n",
			clock->drift_ppm);
	}
}

void clock_put_info(FILE *out, const struct clock_facts *clock)
{
	if (clock->cpus_off_ns) {
		char by[UNITS_TIME];

		fprintf(out, "clock not tsc: counters of CPUs differ by %s\n",
			units_time(by, clock->cpus_off_ns));
	}
	fprintf(out, "clock snapshots: %u\n", clock->n_snapshots);
	fprintf(out, "clock jumps: %u", clock->n_jumps);
	if (clock->n_jumps) {
		fputs(", the largest ", out);
		put_jump(out, clock);
	}
	fputs("\nclock drift: ", out);
	if (clock->drift_ppm > DRIFT_TOLD_PPM)
		fprintf(out, "%u ppm between parts of the run\n", clock->drift_ppm);
	else
		fprintf(out, "at most %u ppm\n", DRIFT_TOLD_PPM);
}
