/* SPDX-License-Identifier: MIT */
/* table.c - groups the profile and prints it. */
#include "tools/export/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plain.h"
#include "tools/export/text.h"

const char *const profile_by_name[BY_COUNT] = { "kind", "site",  "worker",
						"edge", "phase", "state" };

static void put_place(char *out, size_t room, const struct place *place)
{
	if (place->file)
		snprintf(out, room, "%s:%u", place_base(place->file), place->line);
	else if (place->module)
		snprintf(out, room, "%s", place_base(place->module));
	else
		out[0] = 0;
}

static void add_charge(struct charge *to, const struct charge *charge)
{
	to->work_ns += charge->work_ns;
	to->delay_ns += charge->delay_ns;
	to->no_work_sched_ns += charge->no_work_sched_ns;
	to->no_work_app_ns += charge->no_work_app_ns;
}

static void rows_by_kind(struct profile *profile, const struct summary *summary)
{
	for (uint32_t i = 0; i < summary->n_rows; i++) {
		const struct kind_row *kind = &summary->row[i];
		struct profile_row *row = &profile->row[profile->n++];

		snprintf(row->label, sizeof(row->label), "%s", kind->code.name);
		put_place(row->place, sizeof(row->place), &kind->code);
		row->charge = *kind->charge;
		row->n_tasks = kind->facts->n_tasks;
		row->median_ns = kind->facts->median_ns;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;
	int labels = strcmp(x->label, y->label);

	return labels ? labels : strcmp(x->place, y->place);
}

/* Kinds that are created at the same place are one row. */
static void rows_by_site(struct profile *profile, const struct summary *summary)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < summary->n_rows; i++) {
		const struct kind_row *kind = &summary->row[i];
		struct profile_row *row = &profile->row[i];

		snprintf(row->label, sizeof(row->label), "%s", kind->site.name);
		put_place(row->place, sizeof(row->place), &kind->site);
		row->charge = *kind->charge;
		row->n_tasks = kind->facts->n_tasks;
	}
	qsort(profile->row, summary->n_rows, sizeof(*profile->row), by_place);
	for (uint32_t i = 0; i < summary->n_rows; i++) {
		const struct profile_row *row = &profile->row[i];

		if (n == 0 || by_place(&profile->row[n - 1], row) != 0) {
			profile->row[n++] = *row;
			continue;
		}
		add_charge(&profile->row[n - 1].charge, &row->charge);
		profile->row[n - 1].n_tasks += row->n_tasks;
	}
	profile->n = n;
}

static void rows_by_worker(struct profile *profile, const struct summary *summary)
{
	const struct dag *dag = summary->dag;

	for (uint32_t w = 0; w <= dag->n_slots; w++) {
		struct profile_row *row = &profile->row[profile->n];
		const struct charge *charge = &summary->breakdown.worker[w];

		if (charge_sum(charge) == 0)
			continue;
		if (w < dag->n_slots)
			snprintf(row->label, sizeof(row->label), "worker %u", w);
		else
			snprintf(row->label, sizeof(row->label), "%u never seen",
				 dag->n_workers - dag->n_seen);
		row->charge = *charge;
		profile->n++;
	}
}

/* Only delay has an edge; the rest is one row. */
static void rows_by_edge(struct profile *profile, const struct summary *summary)
{
	struct profile_row *rest = &profile->row[EDGE_KINDS];

	for (int e = 0; e < EDGE_KINDS; e++) {
		snprintf(profile->row[e].label, sizeof(profile->row[e].label), "%s",
			 edge_kind_name[e]);
		profile->row[e].charge.delay_ns = summary->breakdown.delay_by_edge_ns[e];
	}
	snprintf(rest->label, sizeof(rest->label), "(no edge)");
	rest->charge = summary->breakdown.total;
	rest->charge.delay_ns = 0;
	profile->n = EDGE_KINDS + 1;
}

/* In the order in which they began first. */
static void rows_by_phase(struct profile *profile, const struct summary *summary)
{
	for (uint32_t i = 0; i < summary->phases.n; i++) {
		struct profile_row *row = &profile->row[profile->n];

		row->charge = summary->breakdown.row ? summary->breakdown.row[i]
						     : summary->breakdown.total;
		snprintf(row->label, sizeof(row->label), "%s", summary->phases.name[i]);
		if (charge_sum(&row->charge) || summary->phases.n == 1)
			profile->n++;
	}
}

static void rows_by_state(struct profile *profile, const struct summary *summary)
{
	for (int i = 0; i < STATES; i++) {
		struct profile_row *row = &profile->row[profile->n++];

		snprintf(row->label, sizeof(row->label), "%s", state_name[i]);
		row->charge = summary->breakdown.state[i];
	}
}

static int costly_first(const void *a, const void *b)
{
	uint64_t x = charge_sum(&((const struct profile_row *)a)->charge);
	uint64_t y = charge_sum(&((const struct profile_row *)b)->charge);

	return x < y ? 1 : x > y ? -1 : by_place(a, b);
}

int profile_build(struct profile *profile, const struct summary *summary, enum profile_by by)
{
	uint32_t room =
		summary->n_rows + summary->dag->n_slots + 2 + EDGE_KINDS + STATES +
			summary->phases.n;

	*profile = (struct profile){ .by = by, .row = calloc(room, sizeof(*profile->row)) };
	if (!profile->row)
		return -ENOMEM;
	switch (by) {
	case BY_KIND:
		rows_by_kind(profile, summary);
		break;
	case BY_SITE:
		rows_by_site(profile, summary);
		qsort(profile->row, profile->n, sizeof(*profile->row), costly_first);
		break;
	case BY_WORKER:
		rows_by_worker(profile, summary);
		break;
	case BY_PHASE:
		rows_by_phase(profile, summary);
		break;
	case BY_STATE:
		rows_by_state(profile, summary);
		break;
	default:
		rows_by_edge(profile, summary);
	}
	return 0;
}

void profile_free(struct profile *profile)
{
	free(profile->row);
	*profile = (struct profile){ 0 };
}

static void put_row(FILE *out, const struct profile *profile, const struct profile_row *row,
		    uint64_t cumulative_ns)
{
	char text[5][TEXT_TIME];
	double share = cumulative_ns
			       ? 100.0 * (double)charge_sum(&row->charge) / (double)cumulative_ns
			       : 0;

	fprintf(out, " %5.1f%% %9s %9s %9s %9s", share, text_time(text[0], row->charge.work_ns),
		text_time(text[1], row->charge.delay_ns),
		text_time(text[2], row->charge.no_work_sched_ns),
		text_time(text[3], row->charge.no_work_app_ns));
	if (profile->by == BY_KIND || profile->by == BY_SITE)
		fprintf(out, " %9" PRIu64, row->n_tasks);
	if (profile->by == BY_KIND)
		fprintf(out, " %9s", text_time(text[4], row->median_ns));
	fputs("  ", out);
	text_put(out, row->label);
	fputs(row->place[0] ? "  " : "", out);
	text_put(out, row->place);
	fputc('\n', out);
}

void profile_text(FILE *out, const struct profile *profile, uint64_t cumulative_ns, uint32_t n_most)
{
	struct profile_row rest = { 0 };

	fprintf(out, " share      work     delay  nw-sched    nw-app%s%s  %s\n",
		profile->by <= BY_SITE ? "     tasks" : "",
		profile->by == BY_KIND ? "    median" : "", profile_by_name[profile->by]);
	for (uint32_t i = 0; i < profile->n; i++) {
		if (i < n_most) {
			put_row(out, profile, &profile->row[i], cumulative_ns);
			continue;
		}
		add_charge(&rest.charge, &profile->row[i].charge);
		rest.n_tasks += profile->row[i].n_tasks;
	}
	if (profile->n > n_most) {
		snprintf(rest.label, sizeof(rest.label), "(%u more)", profile->n - n_most);
		put_row(out, profile, &rest, cumulative_ns);
	}
}

/* A field of CSV [RFC 4180, 2.7]; what is not plain as on the screen. */
static void put_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (size_t n; *text; text += n ? n : plain_bad_bytes(text)) {
		n = plain_bytes(text);
		if (*text == '"')
			fputc('"', out);
		fwrite(n ? text : "?", 1, n ? n : 1, out);
	}
	fputc('"', out);
}

void profile_csv(FILE *out, const struct profile *profile, const char *path, bool header)
{
	if (header)
		fprintf(out, "%s%s,place,tasks,work_ns,delay_ns,no_work_sched_ns,no_work_app_ns\n",
			path ? "file," : "", profile_by_name[profile->by]);
	for (uint32_t i = 0; i < profile->n; i++) {
		const struct profile_row *row = &profile->row[i];

		if (path) {
			put_quoted(out, path);
			fputc(',', out);
		}
		put_quoted(out, row->label);
		fputc(',', out);
		put_quoted(out, row->place);
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			row->n_tasks, row->charge.work_ns, row->charge.delay_ns,
			row->charge.no_work_sched_ns, row->charge.no_work_app_ns);
	}
}
