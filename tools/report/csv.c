/* SPDX-License-Identifier: MIT */
/* csv.c - a line for each row. */
#include "tools/report/csv.h"

#include <inttypes.h>

#include "tools/report/counter_table.h"
#include "tools/table/put.h"

/* Nothing where the trace has no samples. */
static void put_machine(FILE *out, const struct machine_row *row)
{
	fputc(',', out);
	if (row && row->known_ns)
		fprintf(out, "%" PRIu64, row->cpu_ns);
	fputc(',', out);
	if (row && row->known_ns && row->has_wait)
		fprintf(out, "%" PRIu64, row->cpu_wait_ns);
}

void csv_profile(FILE *out, const struct summary *summary, const struct profile *profile,
		 const char *path, bool header)
{
	bool counts = !path && profile_counts(profile->by);

	if (header) {
		fprintf(out, "%s%s,place,tasks,work_ns,delay_ns,no_work_sched_ns,no_work_app_ns%s",
			path ? "file," : "", profile_by_name[profile->by],
			profile->by == BY_WORKER ? ",cpu_ns,cpu_wait_ns" : "");
		if (counts)
			counters_put_csv_names(out, summary);
		fputc('\n', out);
	}
	for (uint32_t i = 0; i < profile->n; i++) {
		const struct profile_row *row = &profile->row[i];

		if (path) {
			put_quoted(out, path);
			fputc(',', out);
		}
		put_quoted(out, row->label);
		fputc(',', out);
		put_quoted(out, row->place);
		fputc(',', out);
		if (profile_counts(profile->by)) /* else a row has no tasks of its own */
			fprintf(out, "%" PRIu64, row->n_tasks);
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->charge.work_ns,
			row->charge.delay_ns, row->charge.no_work_sched_ns,
			row->charge.no_work_app_ns);
		if (profile->by == BY_WORKER)
			put_machine(out, row->machine);
		if (counts)
			counters_put_csv(out, summary, &row->counts);
		fputc('\n', out);
	}
}
