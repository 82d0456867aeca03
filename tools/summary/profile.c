/* SPDX-License-Identifier: MIT */
/* profile.c - groups the profile. */
#include "tools/summary/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"
#include "tools/dag/width.h"
#include "tools/summary/path_rows.h"

const char *const profile_by_name[BY_COUNT] = { "kind",	     "site",  "path",  "worker",
						"edge",	     "phase", "state", "lock",
						"wait",	     "grain", "code",  "stretch",
						"operation", "data",  "rank",  "host" };

/* By kind; NULL: the trace has no counters. */
static struct counts counts_of(const struct counts *counts, kind_id kind)
{
	return counts ? counts[kind] : (struct counts){ 0 };
}

void profile_add(struct profile_row *to, const struct profile_row *row)
{
	charge_add(&to->charge, &row->charge);
	state_times_add(&to->state, &row->state);
	to->n_tasks += row->n_tasks;
	to->cpu_ns += row->cpu_ns;
	counted_add(&to->counts, &row->counts);
}

static void rows_by_kind(struct profile *profile, const struct summary *summary)
{
	const struct sampled *sampled = &summary->sampled;

	for (uint32_t i = 0; i < summary->rows.n; i++) {
		const struct kind_row *kind = &summary->rows.row[i];
		struct profile_row *row = &profile->row[profile->n++];

		snprintf(row->label, sizeof(row->label), "%s", kind->code.name);
		place_where(row->place, sizeof(row->place), &kind->code);
		row->charge = *kind->charge;
		row->state = summary->breakdown.in_state[kind->kind];
		row->n_tasks = kind->facts->n_tasks;
		row->cpu_ns = sampled->code.kind_n
				      ? sampled->code.kind_n[kind->kind] * sampled->period_ns
				      : 0;
		row->counts = counts_of(summary->counts, kind->kind);
		row->median_ns = kind->facts->median_ns;
		row->max_ns = kind->facts->max_ns;
		row->max_at_ns =
			kind->facts->n_begun > 1 ? kind->facts->max_at_ns : KINDS_NOT_THERE;
	}
}

/* A place that creates tasks. */
struct site_row {
	const struct kind_row *kind;
	uint64_t offset; /* of the call in its module; 0: not known */
	struct counts counts;
};

ORDER(by_site_place, struct site_row, place_compare(&x->kind->site, &y->kind->site) ?:
      BY_LEAST(offset))

/* Copies of a call that a compiler made have one line, and are told apart by where they are. */
static void name_site(struct profile_row *row, const struct site_row *site, bool is_copy)
{
	size_t n;

	snprintf(row->label, sizeof(row->label), "%s", site->kind->site.name);
	place_where(row->place, sizeof(row->place), &site->kind->site);
	n = strlen(row->place);
	if (is_copy && site->kind->site.file)
		snprintf(row->place + n, sizeof(row->place) - n, " +0x%" PRIx64, site->offset);
}

/* Whether they are copies of one call; what no call created, as a root, is none. */
static bool are_copies(const struct site_row *a, const struct site_row *b)
{
	return by_site_place(a, b) != 0 && place_compare(&a->kind->site, &b->kind->site) == 0 &&
	       a->offset && b->offset;
}

static void add_sites(struct profile *profile, const struct site_row *site, uint32_t n,
		      const struct breakdown *breakdown)
{
	for (uint32_t i = 0; i < n; i++) {
		bool another = i == 0 || by_site_place(&site[i - 1], &site[i]) != 0;
		bool is_copy = (i > 0 && are_copies(&site[i - 1], &site[i])) ||
			       (i + 1 < n && are_copies(&site[i], &site[i + 1]));
		struct profile_row *row = &profile->row[another ? profile->n++ : profile->n - 1];

		if (another || is_copy)
			name_site(row, &site[i], is_copy);
		profile_add(row, &(struct profile_row){
					 .charge = *site[i].kind->charge,
					 .state = breakdown->in_state[site[i].kind->kind],
					 .n_tasks = site[i].kind->facts->n_tasks,
					 .counts = site[i].counts,
				 });
	}
}

static void rows_by_site(struct profile *profile, const struct summary *summary)
{
	const struct run *run = summary->run;
	const struct dag *dag = run->by_site.n_kinds ? &run->by_site : &run->dag;
	const struct breakdown *breakdown;
	const struct rows *rows = summary_sites(summary, &breakdown);
	const struct counts *counts =
		rows == &summary->rows ? summary->counts : summary->by_site.counts;
	FREED struct site_row *site = xcalloc(rows->n + 1ull, sizeof(*site));

	for (uint32_t i = 0; i < rows->n; i++)
		site[i] =
			(struct site_row){ &rows->row[i],
					   rows_site_offset(run, dag->kind_site[rows->row[i].kind]),
					   counts_of(counts, rows->row[i].kind) };
	qsort(site, rows->n, sizeof(*site), by_site_place);
	add_sites(profile, site, rows->n, breakdown);
}

static void rows_by_path(struct profile *profile, const struct summary *summary)
{
	AT_END(path_rows_free) struct path_rows rows;

	path_rows_build(&rows, summary);

	free(profile->row);
	profile->row = xcalloc(rows.n + 1ull, sizeof(*profile->row));
	for (uint32_t i = 0; i < rows.n; i++) {
		struct profile_row *row = &profile->row[profile->n++];
		uint32_t path = rows.row[i];

		path_text(row->label, sizeof(row->label), &rows, path);
		place_where(row->place, sizeof(row->place), path_code(&rows, path));
		row->charge = rows.by.breakdown.kind[path];
		row->n_tasks = rows.by.facts[path].n_tasks;
		row->counts = counts_of(rows.by.counts, path);
		row->median_ns = rows.by.facts[path].median_ns;
	}
	profile->n_guessed = rows.paths.n_guessed;
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
			snprintf(row->label, sizeof(row->label), "%u %s",
				 dag->n_workers - dag->n_seen,
				 width_never(dag) ? "never seen" : "shared");
		row->charge = *charge;
		if (summary->machine.worker && w < dag->n_slots)
			row->machine = &summary->machine.worker[w];
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
	for (uint32_t i = 0; i < summary->run->phases.n; i++) {
		struct profile_row *row = &profile->row[profile->n];

		row->charge = summary->breakdown.row ? summary->breakdown.row[i]
						     : summary->breakdown.total;
		snprintf(row->label, sizeof(row->label), "%s", summary->run->phases.name[i]);
		if (charge_sum(&row->charge) || summary->run->phases.n == 1)
			profile->n++;
	}
}

static void add_state(struct profile *profile, const char *state, const char *what,
		      const struct charge *charge)
{
	struct profile_row *row = &profile->row[profile->n++];

	snprintf(row->label, sizeof(row->label), "%s%s%s", state, what ? ": " : "",
		 what ? what : "");
	row->charge = *charge;
}

/* The runtime's state by kind of call. */
static void rows_by_state(struct profile *profile, const struct summary *summary)
{
	const struct breakdown *b = &summary->breakdown;

	for (int i = 0; i < STATES; i++) {
		if (i != STATE_RUNTIME) {
			if (state_seen(b->state, i))
				add_state(profile, state_name[i], NULL, &b->state[i]);
			continue;
		}
		for (int c = 0; c < CALLS; c++)
			if (charge_sum(&b->call[c]))
				add_state(profile, state_name[i], call_name[c], &b->call[c]);
	}
}

static int by_words(const struct profile_row *x, const struct profile_row *y)
{
	return strcmp(x->label, y->label) ?: strcmp(x->place, y->place);
}

ORDER(by_charge, struct profile_row, order_most(charge_sum(&x->charge), charge_sum(&y->charge)) ?:
      by_words(x, y))

uint64_t profile_states_sum(const struct profile_row *row)
{
	return row->charge.work_ns + state_times_sum(&row->state);
}

ORDER(by_states, struct profile_row, order_most(profile_states_sum(x), profile_states_sum(y)) ?:
      by_words(x, y))

void profile_sort_by_states(struct profile *profile)
{
	qsort(profile->row, profile->n, sizeof(*profile->row), by_states);
}

void profile_build(struct profile *profile, const struct summary *summary, enum profile_by by)
{
	const struct breakdown *breakdown;
	uint32_t room = summary_sites(summary, &breakdown)->n + summary->dag->n_slots + 2 +
			EDGE_KINDS + STATES + CALLS + summary->run->phases.n;

	*profile = (struct profile){ .by = by, .row = xcalloc(room, sizeof(*profile->row)) };
	switch (by) {
	case BY_KIND:
		rows_by_kind(profile, summary);
		profile->n_guessed = summary->run->n_guessed;
		break;
	case BY_SITE:
		rows_by_site(profile, summary);
		profile->n_guessed = summary->run->by_site.n_kinds ? summary->run->n_guessed_by_site
								   : summary->run->n_guessed;
		qsort(profile->row, profile->n, sizeof(*profile->row), by_charge);
		break;
	case BY_PATH:
		rows_by_path(profile, summary);
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
	case BY_EDGE:
		rows_by_edge(profile, summary);
		break;
	default: /* a table: report_tables.h */
		break;
	}
}

void profile_free(struct profile *profile)
{
	free(profile->row);
	*profile = (struct profile){ 0 };
}
