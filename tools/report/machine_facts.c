/* SPDX-License-Identifier: MIT */
/* machine_facts.c - prints what the machine gave to the workers. */
#include "tools/report/machine_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tools/base/units.h"
#include "tools/base/xalloc.h"
#include "tools/table/put.h"
#include "tools/base/ratio.h"

#define OFF_TOLD_PARTS 20u /* 5 % of the work had no CPU */

static const struct machine *machine_of(const struct summary *summary)
{
	return &summary->run->machine;
}

char *machine_say_width(char *out, size_t room, const struct summary *summary)
{
	const struct machine *machine = machine_of(summary);
	int n = 0;

	out[0] = 0;
	if (!machine->cpus)
		return out;
	n = snprintf(out, room, "%" PRIu64, machine->cpus);
	if (machine_is_bound(machine))
		n += snprintf(out + n, room - (size_t)n, " of %" PRIu64, machine->affinity);
	else if (machine->cores > machine->cpus)
		n += snprintf(out + n, room - (size_t)n, " of %" PRIu64, machine->cores);
	snprintf(out + n, room - (size_t)n, " core%s%s%s",
		 machine->cpus == 1 && machine->cores < 2 ? "" : "s",
		 machine_is_bound(machine) ? ", by affinity" : "",
		 machine_is_oversubscribed(machine, summary->dag) ? ": oversubscribed" : "");
	return out;
}

char *machine_say_wait(char *out, size_t room, const struct summary *summary, uint32_t n_shown)
{
	const struct machine_row *total = &summary->machine.total;

	out[0] = 0;
	for (uint32_t i = 0; i < n_shown; i++)
		if (finding_is_of_machine(&summary->findings.finding[i]))
			return out;
	if (total->has_wait)
		snprintf(out, room, "CPU wait %.0f %%",
			 percent(total->cpu_wait_ns, summary->cumulative_ns));
	return out;
}

void machine_put_warnings(FILE *out, const struct summary *summary)
{
	const struct machine_row *total = &summary->machine.total;
	char text[2][UNITS_TIME];

	if (total->has_wait) /* findings say it */
		return;
	if (machine_inflates(machine_of(summary), total, summary->dag))
		fprintf(out,
			"CPU WAIT: not recorded, but likely: there are %u workers and %" PRIu64
			" CPU%s\n",
			summary->dag->n_workers, machine_of(summary)->cpus,
			units_s(machine_of(summary)->cpus));
	if (total->off_least_ns > total->work_ns / OFF_TOLD_PARTS)
		fprintf(out,
			"at least %s of %s of work had no CPU; work and span are times by the "
			"clock\n",
			units_time(text[0], total->off_least_ns),
			units_time(text[1], total->work_ns));
}

void machine_put_span(FILE *out, const struct machine_on_cpu *on_cpu, const struct least *least,
		      uint64_t n_workers, uint64_t bound_ns)
{
	char text[UNITS_TIME];

	if (!on_cpu->inflated) {
		fprintf(out,
			"  span %s, parallelism %.1f; no run on %" PRIu64
			" worker%s is shorter than %s\n",
			TIME_TEXT(least->span_ns), ratio(least->work_ns, least->span_ns), n_workers,
			units_s(n_workers), units_time(text, bound_ns));
		return;
	}
	fprintf(out, "  span %s with waits for a CPU: the parallelism is unknown; ",
		units_time(text, least->span_ns));
	fprintf(out, "work on a CPU at most %s", units_time(text, on_cpu->most_ns));
	if (bound_ns) /* else the waits may have been all of it */
		fprintf(out, "; no run on %" PRIu64 " CPU%s is shorter than %s", on_cpu->width,
			units_s(on_cpu->width), units_time(text, bound_ns));
	fputc('\n', out);
}

void machine_put_info(FILE *out, const struct defs *defs)
{
	const char *source = defs_meta(defs, "cpu_times");
	/* of each worker: its last sample, and the last that has a wait */
	FREED const struct defs_cpu *(*last)[2] = xcalloc(WIRE_WORKERS, sizeof(*last));
	uint64_t run_ns = 0, wait_ns = 0;
	uint32_t n_workers = 0, n_waits = 0;
	char text[UNITS_TIME];

	for (uint32_t i = 0; i < defs->n_cpus; i++) {
		const struct defs_cpu *cpu = &defs->cpu[i];

		for (unsigned waits = 0; waits <= cpu->has_wait; waits++) {
			const struct defs_cpu **of = &last[cpu->worker][waits];

			if (!*of || cpu->units >= (*of)->units)
				*of = cpu;
		}
	}
	for (uint32_t i = 0; i < WIRE_WORKERS; i++) {
		n_workers += last[i][0] != NULL;
		run_ns += last[i][0] ? last[i][0]->run_ns : 0;
		n_waits += last[i][1] != NULL;
		wait_ns += last[i][1] ? last[i][1]->wait_ns : 0;
	}
	fprintf(out, "CPU samples: %u of %u worker%s", defs->n_cpus, n_workers, units_s(n_workers));
	fputs(source ? ", from " : "", out);
	put_text(out, source ? source : "");
	fprintf(out,
		"\nCPU time: %s\nCPU wait: ", n_workers ? units_time(text, run_ns) : "unknown");
	fprintf(out, "%s\n", n_waits ? units_time(text, wait_ns) : "unknown");
}

static void put_known(struct json *to, const char *key, uint64_t value, bool known)
{
	json_number(to, key, known ? value : JSON_UNKNOWN);
}

void machine_put_json(struct json *to, const struct summary *summary)
{
	const struct machine *machine = machine_of(summary);
	const struct machine_row *total = &summary->machine.total;
	double quota = machine->quota_milli ? (double)machine->quota_milli / 1000 : (double)NAN;

	json_open(to, "machine", '{');
	put_known(to, "cpus", machine->cpus, machine->cpus);
	put_known(to, "cores", machine->cores, machine->cores);
	put_known(to, "affinity", machine->affinity, machine->affinity);
	json_real(to, "quota", "%.3f", quota);
	json_number(to, "threads", summary->dag->n_seen);
	json_bool(to, "oversubscribed", machine_is_oversubscribed(machine, summary->dag));
	json_bool(to, "inflated", machine_inflates(machine, total, summary->dag));
	put_known(to, "cpu_ns", total->cpu_ns, total->known_ns);
	put_known(to, "cpu_wait_ns", total->cpu_wait_ns, total->known_ns && total->has_wait);
	json_number(to, "known_ns", total->known_ns);
	put_known(to, "work_off_cpu_least_ns", total->off_least_ns, total->known_ns);
	put_known(to, "work_off_cpu_most_ns", total->off_most_ns, total->known_ns);
	put_known(to, "work_cpu_wait_least_ns", total->wait_least_ns, total->known_ns);
	put_known(to, "work_cpu_wait_most_ns", total->wait_most_ns, total->known_ns);
	json_close(to, '}');
}
