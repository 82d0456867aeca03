/* SPDX-License-Identifier: MIT */
/* scaling_put.c - a row for all work, and one for each of the kinds that have most of it. */
#include "tools/model/scaling.h"

#include <stddef.h>

#define ROWS_SHOWN 8u
#define CPU_WAIT .05 /* so much is worth a line */

static const char *law_name(const struct scaling_row *row)
{
	if (!row->is_known)
		return "as all";
	if (row->law.moved > 0 && row->law.crowded > 0)
		return "both";
	if (row->law.moved > 0)
		return "moved";
	return row->law.crowded > 0 ? "crowded" : "none";
}

static const struct scaling_law *law_of(const struct scaling *scaling,
					const struct scaling_row *row)
{
	return row->is_known ? &row->law : &scaling->row[0].law;
}

static void put_law(FILE *out, const struct scaling *scaling, const struct scaling_row *row,
		    const uint32_t *workers, uint32_t n)
{
	fprintf(out, "%-24.24s %-8s", row->name ? row->name : "all work", law_name(row));
	for (uint32_t i = 0; i < n; i++)
		fprintf(out, " %6.2f ", scaling_of_law(law_of(scaling, row), workers[i]));
	fputc('\n', out);
}

/* The known row with the most work below that; NULL. */
static const struct scaling_row *next_row(const struct scaling *scaling, double below)
{
	const struct scaling_row *most = NULL;

	for (uint32_t i = 1; i < scaling->n_rows; i++) {
		const struct scaling_row *row = &scaling->row[i];

		if (row->is_known && row->work_ns[0] < below &&
		    (!most || row->work_ns[0] > most->work_ns[0]))
			most = row;
	}
	return most;
}

static void put_traced(FILE *out, const struct scaling *scaling)
{
	for (uint32_t i = 0; i < scaling->n_traced; i++)
		fprintf(out, "%s%u",
			i == 0			     ? ""
			: i + 1 == scaling->n_traced ? " and "
						     : ", ",
			scaling->traced[i]);
}

/* What two numbers of workers leave open. */
static void put_open(FILE *out, const struct scaling *scaling, uint32_t n_workers)
{
	const struct scaling_row *all = &scaling->row[0];

	if (scaling->n_traced > 2 || all->other.crowded <= 0)
		return;
	fprintf(out,
		"two numbers of workers do not tell what moves, (P-1)/P, from what is crowded, "
		"P-1:\nif all was crowded, all work is %.2f times as much on %u workers; a trace "
		"on a third number tells\n",
		scaling_of_law(&all->other, n_workers), n_workers);
}

void scaling_screen(FILE *out, const struct scaling *scaling, const uint32_t *workers, uint32_t n)
{
	const struct scaling_row *row;
	double below = 1e300;
	uint32_t farthest = 0;

	fputs("\nwork, over that on one worker: traces on ", out);
	put_traced(out, scaling);
	fputs(" workers (* extrapolated)\n", out);
	fprintf(out, "%-24s %-8s", "kind", "law");
	for (uint32_t i = 0; i < n; i++) {
		bool far = scaling_is_far(scaling, workers[i]);

		fprintf(out, " %6u%s", workers[i], far ? "*" : " ");
		if (far && workers[i] > farthest)
			farthest = workers[i];
	}
	fputc('\n', out);
	put_law(out, scaling, &scaling->row[0], workers, n);
	for (uint32_t i = 0; i < ROWS_SHOWN && (row = next_row(scaling, below)); i++) {
		put_law(out, scaling, row, workers, n);
		below = row->work_ns[0];
	}
	if (farthest)
		put_open(out, scaling, farthest);
	if (scaling->cpu_wait > CPU_WAIT)
		fprintf(out,
			"workers waited for CPUs for up to %.0f %% of a trace's time, which looks "
			"like work: these figures tell little; record on an idle machine\n",
			100 * scaling->cpu_wait);
}

static void put_json_row(struct json *to, const struct scaling *scaling,
			 const struct scaling_row *row, const uint32_t *workers, uint32_t n)
{
	const struct scaling_law *law = law_of(scaling, row);

	json_open(to, NULL, '{');
	json_text(to, "kind", row->name);
	json_text(to, "law", law_name(row));
	JSON_REALS(to, "%.9g", { "moved", law->moved }, { "crowded", law->crowded },
		   { "if_crowded", row->other.crowded });
	json_open(to, "work_ns", '[');
	for (uint32_t i = 0; i < scaling->n_traced; i++)
		json_real(to, NULL, "%.0f", row->work_ns[i]);
	json_close(to, ']');
	json_open(to, "stretch", '[');
	for (uint32_t i = 0; i < n; i++)
		json_real(to, NULL, "%.6f", scaling_of_law(law, workers[i]));
	json_close(to, ']');
	json_close(to, '}');
}

void scaling_json(struct json *to, const struct scaling *scaling, const uint32_t *workers,
		  uint32_t n)
{
	json_open(to, "stretch", '{');
	json_open(to, "traced", '[');
	for (uint32_t i = 0; i < scaling->n_traced; i++)
		json_number(to, NULL, scaling->traced[i]);
	json_close(to, ']');
	json_real(to, "cpu_wait", "%.6f", scaling->cpu_wait);
	json_open(to, "extrapolated", '[');
	for (uint32_t i = 0; i < n; i++)
		json_bool(to, NULL, scaling_is_far(scaling, workers[i]));
	json_close(to, ']');
	json_open(to, "kinds", '[');
	for (uint32_t i = 0; i < scaling->n_rows; i++)
		put_json_row(to, scaling, &scaling->row[i], workers, n);
	json_close(to, ']');
	json_close(to, '}');
}
