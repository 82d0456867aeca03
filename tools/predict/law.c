/* SPDX-License-Identifier: MIT */
/* law.c - fits of each law, and what it says elsewhere. */
#include "tools/predict/law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/predict/squares.h"

static double log2_of(double n)
{
	return n > 1 ? log2(n) : 0;
}

static double weight_of(const struct law_points *points, unsigned i)
{
	return points->weight ? points->weight[i] : 1;
}

static double term_at(unsigned term, double n)
{
	switch (term) {
	case 0:
		return 1;
	case 1:
		return log2_of(n);
	case 2:
		return n;
	case 3:
		return n * log2_of(n);
	case 4:
		return n * n;
	case 5:
		return n * n * log2_of(n);
	default:
		return n * n * n;
	}
}

unsigned law_parameters(enum law_kind kind)
{
	static const unsigned parameters[LAW_KINDS] = {
		[LAW_SUM_1] = 1,	 [LAW_SUM_2] = 2,	 [LAW_SUM_3] = 3,
		[LAW_POWER] = 2,	 [LAW_POWER_PLUS] = 3,	 [LAW_GROWTH] = 2,
		[LAW_GROWTH_PLUS] = 3,	 [LAW_POWER_GROWTH] = 3, [LAW_FACTORIAL] = 3,
		[LAW_TASKS] = 1,	 [LAW_TASKS_PLUS] = 2,	 [LAW_GROWTH_TASKS] = 3,
		[LAW_GOLDEN] = 2,	 [LAW_DOUBLE] = 2,	 [LAW_SEVEN] = 2,
		[LAW_PRODUCT_TASKS] = 3, [LAW_SERIES_2] = 2,	 [LAW_SERIES_3] = 2
	};

	return parameters[kind];
}

bool law_needs_tasks(enum law_kind kind)
{
	return kind == LAW_TASKS || kind == LAW_TASKS_PLUS || kind == LAW_GROWTH_TASKS ||
	       kind == LAW_PRODUCT_TASKS;
}

bool law_is_steep(enum law_kind kind)
{
	return kind == LAW_GOLDEN || kind == LAW_DOUBLE || kind == LAW_GROWTH ||
	       kind == LAW_GROWTH_PLUS || kind == LAW_POWER_GROWTH || kind == LAW_FACTORIAL ||
	       kind == LAW_GROWTH_TASKS || kind == LAW_PRODUCT_TASKS;
}

/* ---- sums of columns ---- */

#define POINTS_MOST SQUARES_ROWS

static bool fit_columns(struct squares_fit *fit, const struct law_points *points,
			const double (*column)[POINTS_MOST], unsigned n_columns, unsigned n_terms)
{
	double weight[POINTS_MOST];
	struct squares in = {
		.n_rows = points->count, .n_columns = n_columns, .y = points->y, .weight = weight
	};

	for (unsigned i = 0; i < points->count; i++)
		weight[i] = weight_of(points, i) / points->y[i];
	for (unsigned k = 0; k < n_columns; k++)
		in.column[k] = column[k];
	return squares_of(fit, &in, n_terms);
}

static bool fit_sum(struct law *law, const struct law_points *points, unsigned n_terms)
{
	double column[LAW_TERMS][POINTS_MOST];
	struct squares_fit fit;

	for (unsigned k = 0; k < LAW_TERMS; k++)
		for (unsigned i = 0; i < points->count; i++)
			column[k][i] = term_at(k, points->n[i]);
	if (!fit_columns(&fit, points, column, LAW_TERMS, n_terms))
		return false;
	for (unsigned k = 0; k < fit.n; k++)
		law->c[fit.column[k]] = fit.c[k];
	return true;
}

static bool fit_tasks(struct law *law, const struct law_points *points, unsigned n_terms)
{
	double column[2][POINTS_MOST];
	struct squares_fit fit;

	for (unsigned i = 0; i < points->count; i++) {
		column[0][i] = points->tasks[i];
		column[1][i] = 1;
	}
	if (!fit_columns(&fit, points, column, n_terms, n_terms))
		return false;
	for (unsigned k = 0; k < fit.n; k++)
		law->c[2 * fit.column[k]] = fit.c[k];
	return true;
}

/* ---- shapes of known algorithms ---- */

static double known_at(enum law_kind kind, double n)
{
	if (kind == LAW_SEVEN)
		return pow(n, log2(7));
	return kind == LAW_DOUBLE ? exp2(n) : pow((1 + sqrt(5)) / 2, n);
}

/* What comes besides: the sums of matrices; else a constant. */
static double besides_at(enum law_kind kind, double n)
{
	return kind == LAW_SEVEN ? n * n : 1;
}

static bool fit_known(struct law *law, const struct law_points *points)
{
	double column[2][POINTS_MOST];
	struct squares_fit fit;

	for (unsigned i = 0; i < points->count; i++) {
		column[0][i] = known_at(law->kind, points->n[i]);
		column[1][i] = besides_at(law->kind, points->n[i]);
	}
	if (!fit_columns(&fit, points, column, 2, 2) && !fit_columns(&fit, points, column, 1, 1))
		return false;
	for (unsigned k = 0; k < fit.n; k++)
		law->c[2 * fit.column[k]] = fit.c[k];
	return true;
}

/* ---- a polynomial's first two terms ---- */

static unsigned degree_of(enum law_kind kind)
{
	return kind == LAW_SERIES_2 ? 2 : 3;
}

/* y / n^(k-1) = a n + b, by least squares of the relative error; y has to grow all the way. */
static bool fit_series(struct law *law, const struct law_points *points)
{
	double ff = 0, fg = 0, gg = 0, f1 = 0, g1 = 0, det;

	for (unsigned i = 0; i < points->count; i++) {
		double weight = weight_of(points, i);
		double g = weight * pow(points->n[i], degree_of(law->kind) - 1.) / points->y[i];
		double f = g * points->n[i];

		ff += f * f;
		fg += f * g;
		gg += g * g;
		f1 += f * weight;
		g1 += g * weight;
	}
	det = ff * gg - fg * fg;
	if (!(det > 1e-12 * ff * gg))
		return false;
	law->c[0] = (f1 * gg - g1 * fg) / det;
	law->c[1] = (g1 * ff - f1 * fg) / det;
	return law->c[0] > 0 && law->c[0] * points->n[0] + law->c[1] > 0;
}

/* ---- shapes with a fitted exponent or base ---- */

static double shape_at(enum law_kind kind, double b, double n)
{
	if (kind == LAW_PRODUCT_TASKS)
		return exp(lgamma(n + 1) - b * n);
	return kind == LAW_POWER_PLUS ? pow(n, b) : exp(b * n);
}

/* a shape(b) + c, or c tasks: the error for the best a and c. */
static double error_of(struct law *law, const struct law_points *points, double b)
{
	double column[2][POINTS_MOST], scale = 0;
	struct squares_fit fit;

	for (unsigned i = 0; i < points->count; i++)
		scale = fmax(scale, shape_at(law->kind, b, points->n[i]));
	for (unsigned i = 0; i < points->count; i++) {
		column[0][i] = shape_at(law->kind, b, points->n[i]) / scale;
		column[1][i] = law_needs_tasks(law->kind) ? points->tasks[i] : 1;
	}
	if (!fit_columns(&fit, points, column, 2, 2))
		return INFINITY;
	law->c[0] = fit.c[0] / scale;
	law->c[1] = b;
	law->c[2] = fit.c[1];
	return fit.rms;
}

#define POWER_MOST 6.
#define STEPS 60u /* over the exponents that are tried; then the best is refined */

#define SEEN .25 /* of the largest size */

/* What grows like g^n and is hardly there will be all there is: it has to be seen. */
static bool is_seen(const struct law *law, const struct law_points *points)
{
	unsigned last = points->count - 1;
	double steep = law->c[0] * shape_at(law->kind, law->c[1], points->n[last]);

	return law->kind == LAW_POWER_PLUS || steep >= SEEN * points->y[last];
}

static bool fit_plus(struct law *law, const struct law_points *points)
{
	double most = law->kind == LAW_POWER_PLUS ? POWER_MOST : 3, width = most / STEPS,
	       at = width;
	double least = INFINITY;

	for (unsigned i = 1; i <= STEPS; i++) {
		double error = error_of(law, points, i * width);

		if (error < least) {
			least = error;
			at = i * width;
		}
	}
	for (; width > 1e-9 * at && isfinite(least); width /= 2)
		for (int side = -1; side <= 1; side += 2) {
			double b = at + side * width / 2, error = error_of(law, points, b);

			if (b > 0 && error < least) {
				least = error;
				at = b;
			}
		}
	return isfinite(error_of(law, points, at)) && is_seen(law, points);
}

/* log y = log a + b f(n) + g h(n), by least squares without bounds, which 1 and f, h allow. */
static bool fit_logs(struct law *law, const struct law_points *points, bool two)
{
	double f[2], mean[2] = { 0 }, mean_y = 0, ff = 0, fh = 0, hh = 0, fy = 0, hy = 0, det;
	double all = 0;
	unsigned n = points->count;

	for (unsigned i = 0; i < n; i++)
		all += weight_of(points, i) * weight_of(points, i);

	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < n; i++) {
			double l = log(points->n[i]), y = log(points->y[i]);
			double w = weight_of(points, i) * weight_of(points, i);

			f[0] = law->kind == LAW_POWER || law->kind == LAW_POWER_GROWTH
				       ? l
				       : points->n[i];
			f[1] = law->kind == LAW_FACTORIAL ? points->n[i] * l : points->n[i];
			if (pass == 0) {
				mean[0] += w * f[0] / all;
				mean[1] += w * f[1] / all;
				mean_y += w * y / all;
				continue;
			}
			f[0] -= mean[0];
			f[1] -= mean[1];
			ff += w * f[0] * f[0];
			fh += w * f[0] * f[1];
			hh += w * f[1] * f[1];
			fy += w * f[0] * (y - mean_y);
			hy += w * f[1] * (y - mean_y);
		}
	det = two ? ff * hh - fh * fh : ff;
	if (!(det > 1e-12 * ff * (two ? hh : 1)))
		return false;
	law->c[1] = two ? (fy * hh - hy * fh) / det : fy / ff;
	law->c[2] = two ? (hy * ff - fy * fh) / det : 0;
	law->c[0] = exp(mean_y - law->c[1] * mean[0] - law->c[2] * mean[1]);
	return true;
}

#define FACTORIAL_MOST 1.05 /* 1 is n! */

/* What no program does is noise: steeper than n^6, or than n!; growth that ends. */
static bool is_plausible(const struct law *law)
{
	const double *c = law->c;

	switch (law->kind) {
	case LAW_POWER:
		return c[1] >= 0 && c[1] <= POWER_MOST;
	case LAW_GROWTH:
		return c[1] >= 0;
	case LAW_POWER_GROWTH:
		return fabs(c[1]) <= POWER_MOST && c[2] >= 0;
	default:
		return c[2] >= 0 && c[2] <= FACTORIAL_MOST;
	}
}

/* ---- counts ---- */

/* The last counts are equal, more of them than were ever equal before. */
static bool fit_cap(struct law *law, const struct law_points *points)
{
	unsigned run = 1, longest = 0, last = points->count - 1;

	for (unsigned i = 1; i < points->count; i++) {
		if (points->y[i] == points->y[i - 1]) {
			run++;
			continue;
		}
		longest = run > longest ? run : longest;
		run = 1;
	}
	law->c[0] = points->y[last];
	law->from = points->n[last + 1 - run];
	return run > 1 && run > longest;
}

bool law_fit(struct law *law, enum law_kind kind, const struct law_points *points)
{
	*law = (struct law){ .kind = kind };
	if (points->count < law_parameters(kind) + 1 || points->count > POINTS_MOST ||
	    (law_needs_tasks(kind) && !points->tasks) ||
	    (law_is_steep(kind) && points->n[points->count - 1] >= LAW_LARGEST))
		return false;
	for (unsigned i = 0; i < points->count; i++)
		if (!(points->y[i] > 0))
			return kind == LAW_CAP && fit_cap(law, points);
	switch (kind) {
	case LAW_SUM_1:
	case LAW_SUM_2:
	case LAW_SUM_3:
		return fit_sum(law, points, law_parameters(kind));
	case LAW_TASKS:
	case LAW_TASKS_PLUS:
		return fit_tasks(law, points, law_parameters(kind));
	case LAW_POWER_PLUS:
	case LAW_GROWTH_PLUS:
	case LAW_GROWTH_TASKS:
	case LAW_PRODUCT_TASKS:
		return fit_plus(law, points);
	case LAW_GOLDEN:
	case LAW_DOUBLE:
	case LAW_SEVEN:
		return fit_known(law, points);
	case LAW_SERIES_2:
	case LAW_SERIES_3:
		return fit_series(law, points);
	case LAW_CAP:
		return fit_cap(law, points);
	case LAW_ROW:
		return recur_find(&law->recur, points->n, points->y, points->count);
	default:
		return fit_logs(law, points, kind == LAW_POWER_GROWTH || kind == LAW_FACTORIAL) &&
		       is_plausible(law);
	}
}

#define ABOVE .02 /* of a law: no disturbance yet */
#define ROUNDS 8u

bool law_fit_below(struct law *law, enum law_kind kind, const struct law_points *points)
{
	double weight[POINTS_MOST];
	struct law_points weighted = *points;
	bool found = law_fit(law, kind, points);

	weighted.weight = weight;
	for (unsigned round = 0; found && round < ROUNDS; round++) {
		for (unsigned i = 0; i < points->count; i++) {
			double tasks = points->tasks ? points->tasks[i] : NAN;
			double above = log(points->y[i] / law_at(law, points->n[i], tasks));

			weight[i] = above > ABOVE ? ABOVE / above : 1;
		}
		found = law_fit(law, kind, &weighted);
	}
	return found;
}

double law_at(const struct law *law, double n, double tasks)
{
	const double *c = law->c;
	double sum = 0;

	switch (law->kind) {
	case LAW_SUM_1:
	case LAW_SUM_2:
	case LAW_SUM_3:
		for (unsigned k = 0; k < LAW_TERMS; k++)
			sum += c[k] > 0 ? c[k] * term_at(k, n) : 0;
		return sum;
	case LAW_TASKS:
	case LAW_TASKS_PLUS:
		return c[0] * tasks + c[2];
	case LAW_POWER:
	case LAW_POWER_PLUS:
		return c[0] * pow(n, c[1]) + c[2];
	case LAW_GROWTH:
	case LAW_GROWTH_PLUS:
		return c[0] * exp(c[1] * n) + c[2];
	case LAW_GROWTH_TASKS:
	case LAW_PRODUCT_TASKS:
		return c[0] * shape_at(law->kind, c[1], n) + c[2] * tasks;
	case LAW_GOLDEN:
	case LAW_DOUBLE:
	case LAW_SEVEN:
		return c[0] * known_at(law->kind, n) + c[2] * besides_at(law->kind, n);
	case LAW_SERIES_2:
	case LAW_SERIES_3:
		return (c[0] * n + c[1]) * pow(n, degree_of(law->kind) - 1.);
	case LAW_POWER_GROWTH:
		return c[0] * pow(n, c[1]) * exp(c[2] * n);
	case LAW_FACTORIAL:
		return c[0] * exp(c[1] * n + c[2] * n * log(n));
	case LAW_CAP:
		return n >= law->from ? c[0] : NAN;
	default:
		return recur_at(&law->recur, n);
	}
}

/* ---- text ---- */

static size_t put_sum(const struct law *law, const char *unit, char *out, size_t room)
{
	static const char *const name[LAW_TERMS] = { "",     " log n",	   " n",  " n log n",
						     " n^2", " n^2 log n", " n^3" };
	size_t n = 0;

	for (unsigned k = LAW_TERMS; k-- > 0;)
		if (law->c[k] > 0 && n < room)
			n += (size_t)snprintf(out + n, room - n, "%s%.4g%s%s", n ? " + " : "",
					      law->c[k], unit, name[k]);
	return n;
}

static void put_recur(const struct recur *recur, char *out, size_t room)
{
	double m = pow(recur->step, recur->back);
	size_t n;

	if (recur->back) {
		snprintf(out, room, "%.4g f(n / %.4g) %+.4g n %+.4g", m, m, recur->b, recur->d);
		return;
	}
	n = (size_t)snprintf(out, room, recur->is_ratio ? "%.4g f(n / %.4g)" : "%.4g f(n - %.4g)",
			     recur->a, recur->step);

	if (recur->b != 0 && n < room)
		n += (size_t)snprintf(
			out + n, room - n,
			recur->is_ratio ? " %+.4g f(n / %.4g)" : " %+.4g f(n - %.4g)", recur->b,
			recur->is_ratio ? recur->step * recur->step : 2 * recur->step);
	if (recur->d != 0 && n < room)
		snprintf(out + n, room - n, " %+.4g", recur->d);
}

void law_text(const struct law *law, const char *unit, char *out, size_t room)
{
	const double *c = law->c;
	char plus[64] = "";

	if (c[2] > 0 && law->kind != LAW_POWER_GROWTH && law->kind != LAW_FACTORIAL)
		snprintf(plus, sizeof(plus), " + %.4g%s%s", c[2], unit,
			 law_needs_tasks(law->kind) && law->kind != LAW_TASKS_PLUS ? " x tasks"
										   : "");
	switch (law->kind) {
	case LAW_SUM_1:
	case LAW_SUM_2:
	case LAW_SUM_3:
		put_sum(law, unit, out, room);
		break;
	case LAW_TASKS:
	case LAW_TASKS_PLUS:
		snprintf(out, room, "%.4g%s x tasks%s", c[0], unit, plus);
		break;
	case LAW_POWER:
	case LAW_POWER_PLUS:
		snprintf(out, room, "%.4g%s n^%.4g%s", c[0], unit, c[1], plus);
		break;
	case LAW_GROWTH:
	case LAW_GROWTH_PLUS:
	case LAW_GROWTH_TASKS:
		snprintf(out, room, "%.4g%s x %.5g^n%s", c[0], unit, exp(c[1]), plus);
		break;
	case LAW_POWER_GROWTH:
		snprintf(out, room, "%.4g%s n^%.4g x %.5g^n", c[0], unit, c[1], exp(c[2]));
		break;
	case LAW_FACTORIAL:
		snprintf(out, room, "%.4g%s x %.5g^n n^(%.4g n)", c[0], unit, exp(c[1]), c[2]);
		break;
	case LAW_GOLDEN:
	case LAW_DOUBLE:
		snprintf(out, room, "%.4g%s x %s^n%s", c[0], unit,
			 law->kind == LAW_DOUBLE ? "2" : "1.618", plus);
		break;
	case LAW_SEVEN:
		snprintf(out, room, "%.4g%s n^2.807%s%s", c[0], unit, plus, *plus ? " n^2" : "");
		break;
	case LAW_PRODUCT_TASKS:
		snprintf(out, room, "%.4g%s x n! %.5g^n%s", c[0], unit, exp(-c[1]), plus);
		break;
	case LAW_SERIES_2:
	case LAW_SERIES_3:
		snprintf(out, room, "%.4g%s n^%u %c %.4g%s%s", c[0], unit, degree_of(law->kind),
			 c[1] < 0 ? '-' : '+', fabs(c[1]), unit,
			 law->kind == LAW_SERIES_2 ? " n" : " n^2");
		break;
	case LAW_CAP:
		snprintf(out, room, "%.15g from n = %.6g on", c[0], law->from);
		break;
	default:
		put_recur(&law->recur, out, room);
	}
}
