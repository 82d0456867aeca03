/* SPDX-License-Identifier: MIT */
/* law.c - fits of each law, and what it says elsewhere. */
#include "tools/predict/law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/predict/squares.h"

/*
 * Counts of which each follows from those before: c(i) = a c(i-1) + b c(i-2) + d, or,
 * of sizes in equal ratios, c(n) = m c(n / m) + b n + d, m being some power of the ratio.
 *
 * Tasks that make tasks are counted so: fib by n, n + 1, n + 2, ..; a division into halves by n,
 * 2n, 4n, ..; one into sixteen parts, down to a cut-off, by the second rule.  Sizes have to be at
 * equal distances, or in equal ratios.  Such a rule counts only if it holds exactly, for at least
 * two counts that it was not made from.
 */

#define PROOFS 2u /* counts that a rule must tell besides those that it was made from */
#define NEAR 1e-9
#define MOST_STEPS 4096
#define EXACT_MOST 9007199254740992. /* 2^53 */

static bool near(double x, double y)
{
	return fabs(x - y) <= NEAR * fmax(fabs(x), fabs(y));
}

/* How many of the last sizes are at equal distances, or ratios. */
static unsigned lattice(const double *n, unsigned count, bool is_ratio, double *step)
{
	unsigned i = count - 1;

	*step = is_ratio ? n[i] / n[i - 1] : n[i] - n[i - 1];
	while (i > 0 && near(is_ratio ? n[i] / n[i - 1] : n[i] - n[i - 1], *step))
		i--;
	return count - i;
}

/* Solves A x = y of that many rows by elimination; false if it cannot be. */
static bool solve(double a[3][4], unsigned rows, double *x)
{
	for (unsigned k = 0; k < rows; k++) {
		unsigned best = k;
		double room[4];

		for (unsigned i = k + 1; i < rows; i++)
			best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
		if (fabs(a[best][k]) < NEAR)
			return false;
		memcpy(room, a[k], sizeof(room));
		memcpy(a[k], a[best], sizeof(room));
		memcpy(a[best], room, sizeof(room));
		for (unsigned i = k + 1; i < rows; i++)
			for (unsigned j = 4; j-- > k;)
				a[i][j] -= a[k][j] * (a[i][k] / a[k][k]);
	}
	for (unsigned k = rows; k-- > 0;) {
		x[k] = a[k][3];
		for (unsigned j = k + 1; j < rows; j++)
			x[k] -= a[k][j] * x[j];
		x[k] /= a[k][k];
	}
	return true;
}

/* Factors of exact rules of counts are whole numbers, nearly always; rounding blurs them. */
static double whole(double x)
{
	return fabs(x - round(x)) < 1e-4 ? round(x) : x;
}

static double next_of(const struct recur *recur, double last, double before)
{
	return recur->a * last + recur->b * before + recur->d;
}

/* Whether the rule tells all of the counts from the third on. */
static bool holds(const struct recur *recur, const double *y, unsigned count)
{
	for (unsigned i = 2; i < count; i++)
		if (fabs(next_of(recur, y[i - 1], y[i - 2]) - y[i]) > 1e-6 * fmax(1, y[i]))
			return false;
	return true;
}

/* The rule with or without b and d that the last counts make. */
static bool make(struct recur *recur, const double *y, unsigned count, bool b, bool d)
{
	unsigned unknown = 1u + b + d;
	double a[3][4] = { { 0 } }, x[3] = { 0 };

	if (count < 2 + unknown + PROOFS)
		return false;
	for (unsigned i = 0; i < unknown; i++) {
		const double *at = &y[count - 1 - i];

		a[i][0] = at[-1];
		if (b)
			a[i][1] = at[-2];
		if (d)
			a[i][1 + b] = 1;
		a[i][3] = at[0];
	}
	if (!solve(a, unknown, x))
		return false;
	recur->a = whole(x[0]);
	recur->b = b ? whole(x[1]) : 0;
	recur->d = d ? whole(x[1 + b]) : 0;
	return holds(recur, y, count);
}

/* ---- c(n) = m c(n / m) + b n + d ---- */

static double divided(const struct recur *recur, double part, double n)
{
	return pow(recur->step, recur->back) * part + recur->b * n + recur->d;
}

/* b and d from the last two counts; the others are proofs. */
static bool divides(struct recur *recur, const double *n, const double *y, unsigned count,
		    unsigned back)
{
	double m = pow(recur->step, back), left[2];

	if (count < back + 2 + PROOFS)
		return false;
	for (unsigned i = 0; i < 2; i++)
		left[i] = y[count - 1 - i] - m * y[count - 1 - i - back];
	recur->back = back;
	recur->b = (left[0] - left[1]) / (n[count - 1] - n[count - 2]);
	recur->d = whole(left[0] - recur->b * n[count - 1]);
	if (recur->b < 0)
		return false;
	for (unsigned i = back; i < count; i++)
		if (fabs(divided(recur, y[i - back], n[i]) - y[i]) > 1e-6 * fmax(1, y[i]))
			return false;
	for (unsigned i = 0; i < back; i++)
		recur->row[i] = y[count - 1 - i];
	return true;
}

static bool find_division(struct recur *recur, const double *n, const double *y, unsigned count)
{
	for (unsigned back = 1; back <= RECUR_BACK; back++)
		if (divides(recur, n, y, count, back))
			return true;
	recur->back = 0;
	return false;
}

static double next_division(struct recur *recur, double n)
{
	double next = divided(recur, recur->row[recur->back - 1], n);

	memmove(&recur->row[1], &recur->row[0], (recur->back - 1) * sizeof(recur->row[0]));
	return recur->row[0] = next;
}

/* ---- both ---- */

static bool find_on(struct recur *recur, const double *n, const double *y, unsigned count,
		    bool is_ratio)
{
	unsigned some = lattice(n, count, is_ratio, &recur->step);

	y += count - some;
	recur->is_ratio = is_ratio;
	recur->n = n[count - 1];
	recur->last = y[some - 1];
	recur->before = y[some - 2];
	if (y[0] == recur->last) /* a constant is no rule */
		return false;
	return make(recur, y, some, false, false) || make(recur, y, some, false, true) ||
	       make(recur, y, some, true, false) || make(recur, y, some, true, true) ||
	       (is_ratio && find_division(recur, n + count - some, y, some));
}

bool recur_find(struct recur *recur, const double *n, const double *y, unsigned count)
{
	*recur = (struct recur){ 0 };
	if (count < 3)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (y[i] != round(y[i]) || y[i] > EXACT_MOST)
			return false;
	return find_on(recur, n, y, count, false) || find_on(recur, n, y, count, true);
}

double recur_at(const struct recur *recur, double n)
{
	double steps = recur->is_ratio ? log(n / recur->n) / log(recur->step)
				       : (n - recur->n) / recur->step;
	double last = recur->last, before = recur->before;
	struct recur row = *recur;

	if (fabs(steps - round(steps)) > 1e-6 || steps > MOST_STEPS || steps < -0.5)
		return NAN;
	for (int i = 0; i < (int)round(steps); i++) {
		double next = recur->back ? next_division(&row, recur->n * pow(recur->step, i + 1))
					  : next_of(recur, last, before);

		before = last;
		last = next;
	}
	return last <= EXACT_MOST ? round(last) : last;
}

#define POINTS_MOST SQUARES_ROWS
#define POWER_MOST 6.
#define GROWTH_MOST 3. /* the logarithm of g */

/* What a law has of n^b log^k n, g^n and n!. */
struct shape {
	unsigned k;
	bool has_b, has_g, has_product;
	double least, most; /* of b; of the logarithm of g, if there is one */
};

static const struct shape shape_of[LAW_KINDS] = {
	[LAW_POWER] = { .has_b = true, .most = POWER_MOST },
	[LAW_POWER_LOG] = { .k = 1, .has_b = true, .most = POWER_MOST },
	[LAW_POWER_LOG2] = { .k = 2, .has_b = true, .most = POWER_MOST },
	[LAW_GROWTH] = { .has_g = true, .most = GROWTH_MOST },
	[LAW_POWER_GROWTH] = { .has_b = true, .has_g = true, .most = GROWTH_MOST },
	[LAW_PRODUCT] = { .has_g = true, .has_product = true, .least = -GROWTH_MOST },
};

unsigned law_parameters(enum law_kind kind, enum law_besides besides)
{
	if (kind == LAW_CAP || kind == LAW_ROW)
		return 0;
	return 1u + shape_of[kind].has_b + shape_of[kind].has_g + (besides != LAW_ALONE);
}

bool law_needs_tasks(enum law_kind kind, enum law_besides besides)
{
	return kind == LAW_TASKS || besides == LAW_PER_TASK;
}

bool law_is_steep(enum law_kind kind)
{
	return shape_of[kind].has_g;
}

static double weight_of(const struct law_points *points, unsigned i)
{
	return points->weight ? points->weight[i] : 1;
}

/* The logarithm of what is not fitted. */
static double fixed_at(const struct shape *shape, double n)
{
	double logs = shape->k ? shape->k * log(n > 1 ? log2(n) : 0) : 0;

	return logs + (shape->has_product ? lgamma(n + 1) : 0);
}

/* Of the law without a and c. */
static double shape_at(const struct law *law, double n, double tasks)
{
	if (law->kind == LAW_TASKS)
		return tasks;
	return exp(law->b * log(n) + law->g * n + fixed_at(&shape_of[law->kind], n));
}

static double besides_at(const struct law *law, double tasks)
{
	return law->besides == LAW_PER_TASK ? tasks : law->besides == LAW_CONSTANT;
}

/* ---- alone ---- */

/* Of log y, without what is not fitted, the moments about the means of log n and n. */
struct moments {
	double mean[3], of[3][3];
};

static void find_moments(struct moments *moments, const struct shape *shape,
			 const struct law_points *points)
{
	double all = 0;

	*moments = (struct moments){ 0 };
	for (unsigned i = 0; i < points->count; i++)
		all += weight_of(points, i) * weight_of(points, i);
	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < points->count; i++) {
			double n = points->n[i], w = weight_of(points, i) * weight_of(points, i);
			double at[3] = { log(n), n, log(points->y[i]) - fixed_at(shape, n) };

			for (int j = 0; j < 3; j++)
				if (pass == 0)
					moments->mean[j] += w * at[j] / all;
			for (int j = 0; pass && j < 3; j++)
				for (int k = 0; k < 3; k++)
					moments->of[j][k] += w * (at[j] - moments->mean[j]) *
							     (at[k] - moments->mean[k]);
		}
}

/* b within 0 and n^6, of what has g^n besides from -6 on; nothing with g shrinks, nor outgrows n!.
 */
static bool is_plausible(struct law *law)
{
	const struct shape *shape = &shape_of[law->kind];

	if (shape->has_b && shape->has_g)
		return fabs(law->b) <= POWER_MOST && law->g >= 0;
	if (law->kind == LAW_POWER)
		law->b = fmax(law->b, 0); /* a constant, with noise */
	return shape->has_g ? law->g >= shape->least && law->g <= shape->most
			    : law->b >= shape->least && law->b <= shape->most;
}

/* Of two points, which always fit, b is the nearest whole number. */
static bool has_whole_power(const struct law *law, const struct law_points *points)
{
	const struct shape *shape = &shape_of[law->kind];

	return law->besides == LAW_ALONE && shape->has_b && !shape->has_g && points->count == 2;
}

static bool fit_alone(struct law *law, const struct law_points *points)
{
	const struct shape *shape = &shape_of[law->kind];
	struct moments moments;
	const double(*of)[3] = moments.of, *mean = moments.mean;
	double det;

	find_moments(&moments, shape, points);
	det = of[0][0] * of[1][1] - of[0][1] * of[0][1];
	if (!isfinite(mean[2]) || !(of[1][1] > 0))
		return false;
	if (shape->has_b && shape->has_g) {
		if (!(det > 1e-12 * of[0][0] * of[1][1]))
			return false;
		law->b = (of[0][2] * of[1][1] - of[1][2] * of[0][1]) / det;
		law->g = (of[1][2] * of[0][0] - of[0][2] * of[0][1]) / det;
	} else if (shape->has_b) {
		law->b = of[0][2] / of[0][0];
		law->b = has_whole_power(law, points) ? round(law->b) : law->b;
	} else {
		law->g = of[1][2] / of[1][1];
	}
	if (!is_plausible(law))
		return false;
	law->a = exp(mean[2] - law->b * mean[0] - law->g * mean[1]);
	return true;
}

/* ---- with something besides ---- */

/* a shape(x) + c, or c tasks: the error for the best a and c. */
static double error_of(struct law *law, const struct law_points *points, double x)
{
	double column[2][POINTS_MOST], weight[POINTS_MOST], scale = 0;
	struct squares in = { .n_rows = points->count,
			      .n_columns = law->besides == LAW_ALONE ? 1 : 2,
			      .column = { column[0], column[1] },
			      .y = points->y,
			      .weight = weight };
	struct squares_fit fit;

	*(shape_of[law->kind].has_g ? &law->g : &law->b) = x;
	for (unsigned i = 0; i < points->count; i++) {
		double tasks = points->tasks ? points->tasks[i] : NAN;

		column[0][i] = shape_at(law, points->n[i], tasks);
		column[1][i] = besides_at(law, tasks);
		weight[i] = weight_of(points, i) / points->y[i];
		scale = fmax(scale, column[0][i]);
	}
	for (unsigned i = 0; i < points->count; i++)
		column[0][i] /= scale;
	if (!squares_of(&fit, &in, in.n_columns))
		return INFINITY;
	law->a = fit.c[0] / scale;
	law->c = in.n_columns > 1 ? fit.c[1] : 0;
	return fit.rms;
}

#define SEEN .25 /* of the largest size */

/* What grows like g^n and is hardly there will be all there is: it has to be seen. */
static bool is_seen(const struct law *law, const struct law_points *points)
{
	unsigned last = points->count - 1;

	return !law_is_steep(law->kind) ||
	       law->a * shape_at(law, points->n[last], NAN) >= SEEN * points->y[last];
}

#define STEPS 24u /* over the exponents that are tried; then the best is refined */

static bool fit_besides(struct law *law, const struct law_points *points)
{
	const struct shape *shape = &shape_of[law->kind];
	double width = (shape->most - shape->least) / STEPS, at = shape->least;
	double least = INFINITY;

	for (unsigned i = 1; i <= STEPS; i++) {
		double x = shape->least + i * width, error = error_of(law, points, x);

		if (error < least) {
			least = error;
			at = x;
		}
	}
	for (; width > 1e-9 * fabs(at) && isfinite(least); width /= 2)
		for (int side = -1; side <= 1; side += 2) {
			double x = at + side * width / 2, error = error_of(law, points, x);

			if (x > shape->least && x <= shape->most && error < least) {
				least = error;
				at = x;
			}
		}
	return isfinite(error_of(law, points, at)) && is_seen(law, points);
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
	law->a = points->y[last];
	law->from = points->n[last + 1 - run];
	return run > 1 && run > longest;
}

static bool fit_once(struct law *law, const struct law_points *points)
{
	bool has_both = shape_of[law->kind].has_b && shape_of[law->kind].has_g;

	for (unsigned i = 0; i < points->count; i++)
		if (!(points->y[i] > 0))
			return law->kind == LAW_CAP && fit_cap(law, points);
	switch (law->kind) {
	case LAW_CAP:
		return fit_cap(law, points);
	case LAW_ROW:
		return recur_find(&law->recur, points->n, points->y, points->count);
	case LAW_TASKS:
		return law->besides != LAW_PER_TASK && isfinite(error_of(law, points, 0));
	default:
		return law->besides == LAW_ALONE ? fit_alone(law, points)
						 : !has_both && fit_besides(law, points);
	}
}

#define ABOVE .02 /* of a law: no disturbance yet */
#define ROUNDS 8u

bool law_fit(struct law *law, enum law_kind kind, enum law_besides besides, bool below,
	     const struct law_points *points)
{
	double weight[POINTS_MOST];
	struct law_points weighted = *points;
	bool found;

	*law = (struct law){ .kind = kind, .besides = besides };
	if (points->count < law_parameters(kind, besides) + !has_whole_power(law, points) ||
	    points->count > POINTS_MOST || (law_needs_tasks(kind, besides) && !points->tasks) ||
	    (law_is_steep(kind) && points->n[points->count - 1] >= LAW_LARGEST))
		return false;
	found = fit_once(law, points);
	weighted.weight = weight;
	for (unsigned round = 0; below && found && round < ROUNDS; round++) {
		for (unsigned i = 0; i < points->count; i++) {
			double tasks = points->tasks ? points->tasks[i] : NAN;
			double above = log(points->y[i] / law_at(law, points->n[i], tasks));

			weight[i] = above > ABOVE ? ABOVE / above : 1;
		}
		found = fit_once(law, &weighted);
	}
	return found;
}

double law_at(const struct law *law, double n, double tasks)
{
	if (law->kind == LAW_CAP)
		return n >= law->from ? law->a : NAN;
	if (law->kind == LAW_ROW)
		return recur_at(&law->recur, n);
	return law->a * shape_at(law, n, tasks) +
	       (law->c > 0 ? law->c * besides_at(law, tasks) : 0);
}

/* ---- text ---- */

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

#define ROUNDED 5e-5 /* of an exponent, as it is printed */

static void put_shape(const struct law *law, const char *unit, char *out, size_t room)
{
	static const char *const logs[] = { "", " log n", " log^2 n" };
	const struct shape *shape = &shape_of[law->kind];
	char power[32] = "", growth[32] = "";

	if (law->kind == LAW_TASKS)
		snprintf(power, sizeof(power), " x tasks");
	else if (fabs(law->b - 1) < ROUNDED)
		snprintf(power, sizeof(power), " n");
	else if (fabs(law->b) > ROUNDED)
		snprintf(power, sizeof(power), " n^%.4g", law->b);
	if (shape->has_g)
		snprintf(growth, sizeof(growth), " x %s%.5g^n", shape->has_product ? "n! " : "",
			 exp(law->g));
	snprintf(out, room, "%.4g%s%s%s%s", law->a, unit, power, logs[shape->k], growth);
}

void law_text(const struct law *law, const char *unit, char *out, size_t room)
{
	size_t n;

	if (law->kind == LAW_CAP) {
		snprintf(out, room, "%.15g from n = %.6g on", law->a, law->from);
		return;
	}
	if (law->kind == LAW_ROW) {
		put_recur(&law->recur, out, room);
		return;
	}
	put_shape(law, unit, out, room);
	n = strlen(out);
	if (law->c > 0)
		snprintf(out + n, room - n, " + %.4g%s%s", law->c, unit,
			 law->besides == LAW_PER_TASK ? " x tasks" : "");
}
