/* SPDX-License-Identifier: MIT */
/* scaling.c - least squares of relative errors, over one or two terms that are not negative. */
#include "tools/model/scaling.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_SHARE .01

static double moved_term(uint32_t p)
{
	return ((double)p - 1) / p;
}

static double crowded_term(uint32_t p)
{
	return (double)p - 1;
}

static double residual(const struct scaling *scaling, const double *work, double base,
		       const struct scaling_law *law)
{
	double sum = 0;

	for (uint32_t i = 0; i < scaling->n_traced; i++) {
		double off = base * scaling_of_law(law, scaling->traced[i]) / work[i] - 1;

		sum += off * off;
	}
	return sum;
}

/* base + slope x; false if either would be negative. */
static bool fit_line(const struct scaling *scaling, const double *work, double (*term)(uint32_t),
		     double *base, double *slope)
{
	double n = 0, x = 0, xx = 0, y = 0, xy = 0, det;

	for (uint32_t i = 0; i < scaling->n_traced; i++) {
		double at = term(scaling->traced[i]), weight = 1 / (work[i] * work[i]);

		n += weight;
		x += weight * at;
		xx += weight * at * at;
		y += weight * work[i];
		xy += weight * at * work[i];
	}
	det = n * xx - x * x;
	*slope = det > 0 ? (n * xy - x * y) / det : 0;
	*base = (y - *slope * x) / n;
	return *slope > 0 && *base > 0;
}

/* Both terms: for each base the best pair follows; the base is that of the line of what is left. */
static bool fit_both(const struct scaling *scaling, const double *work, double *base,
		     struct scaling_law *law)
{
	double m[3][4] = { { 0 } };

	for (uint32_t i = 0; i < scaling->n_traced; i++) {
		double row[4] = { 1, moved_term(scaling->traced[i]),
				  crowded_term(scaling->traced[i]), work[i] };

		for (int a = 0; a < 3; a++)
			for (int b = 0; b < 4; b++)
				m[a][b] += row[a] * row[b] / (work[i] * work[i]);
	}
	for (int k = 0; k < 3; k++) /* symmetric and positive: the diagonal serves as pivot */
		for (int a = 0; a < 3; a++) {
			double by = a == k || m[k][k] <= 0 ? 0 : m[a][k] / m[k][k];

			for (int b = 0; b < 4; b++)
				m[a][b] -= by * m[k][b];
		}
	if (m[0][0] <= 0 || m[1][1] <= 0 || m[2][2] <= 0)
		return false;
	*base = m[0][3] / m[0][0];
	*law = (struct scaling_law){ m[1][3] / m[1][1] / *base, m[2][3] / m[2][2] / *base };
	return *base > 0 && law->moved > 0 && law->crowded > 0;
}

static void fit_row(const struct scaling *scaling, struct scaling_row *row)
{
	double base, slope, least = INFINITY, off;
	struct scaling_law law;

	row->law = row->other = (struct scaling_law){ 0 };
	if (fit_line(scaling, row->work_ns, moved_term, &base, &slope)) {
		row->law = (struct scaling_law){ slope / base, 0 };
		least = residual(scaling, row->work_ns, base, &row->law);
	}
	if (fit_line(scaling, row->work_ns, crowded_term, &base, &slope)) {
		law = (struct scaling_law){ 0, slope / base };
		off = residual(scaling, row->work_ns, base, &law);
		row->other = law;
		if (least == INFINITY || (scaling->n_traced > 2 && off < least)) {
			row->law = law;
			least = off;
		}
	}
	if (scaling->n_traced > 3 && fit_both(scaling, row->work_ns, &base, &law) &&
	    residual(scaling, row->work_ns, base, &law) < least)
		row->law = law;
}

static bool is_in_all(const struct scaling *scaling, const struct scaling_row *row)
{
	for (uint32_t i = 0; i < scaling->n_traced; i++)
		if (row->work_ns[i] < LEAST_SHARE * scaling->row[0].work_ns[i] ||
		    row->work_ns[i] <= 0)
			return false;
	return true;
}

void scaling_fit(struct scaling *scaling)
{
	for (uint32_t i = 0; i < scaling->n_rows; i++) {
		struct scaling_row *row = &scaling->row[i];

		row->is_known = is_in_all(scaling, row);
		if (row->is_known)
			fit_row(scaling, row);
	}
}

void scaling_free(struct scaling *scaling)
{
	for (uint32_t i = 0; i < scaling->n_rows; i++) {
		free(scaling->row[i].name);
		free(scaling->row[i].work_ns);
	}
	free(scaling->row);
	free(scaling->row_of);
	free(scaling->traced);
	*scaling = (struct scaling){ 0 };
}
