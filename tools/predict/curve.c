/* SPDX-License-Identifier: MIT */
/* curve.c - tries all laws on held-out sizes. */
#include "tools/predict/curve.h"

#include <math.h>

#define OF_A_PARAMETER .25 /* of the error, */
#define AT_LEAST .002	   /* and this besides */
#define NEARLY_TIMES 1.25  /* the winner's cost, */
#define NEARLY_PLUS .005   /* and this besides: survives */
#define WORSE_THAN_ANY 3.  /* logarithm of an error of 20 times */

/* The last n of the points that come before the end. */
static struct law_points part_of(const struct law_points *points, unsigned end, unsigned n)
{
	unsigned from = n && n < end ? end - n : 0;

	return (struct law_points){ .n = points->n + from,
				    .y = points->y + from,
				    .tasks = points->tasks ? points->tasks + from : NULL,
				    .tasks_error = points->tasks_error,
				    .count = end - from };
}

static double error_at(const struct law *law, const struct law_points *points, unsigned i)
{
	double told = law_at(law, points->n[i], points->tasks ? points->tasks[i] : NAN);

	if (!(told > 0) || !isfinite(told))
		return WORSE_THAN_ANY;
	return fmin(fabs(log(told / points->y[i])), WORSE_THAN_ANY);
}

static bool fit(struct law *law, enum law_kind kind, const struct law_points *points, bool below)
{
	return below ? law_fit_below(law, kind, points) : law_fit(law, kind, points);
}

/* How a law is fitted. */
struct way {
	enum law_kind kind;
	unsigned n; /* to that many of the largest sizes; 0: all */
	bool below;
};

/* The mean error at sizes held out, so that one that was disturbed decides little; INFINITY if the
 * law needs all. */
static double held_out_of(const struct way *way, const struct law_points *points, unsigned most)
{
	double sum = 0;
	unsigned count = 0;

	for (unsigned held = 1; held <= most; held++) {
		unsigned end = points->count - held;
		struct law_points train = part_of(points, end, way->n);
		struct law law;

		if (!fit(&law, way->kind, &train, way->below))
			break;
		for (unsigned i = end; i < points->count; i++) {
			sum += error_at(&law, points, i);
			count++;
		}
	}
	return count ? sum / count : INFINITY;
}

static double rms_of(const struct law *law, const struct law_points *points)
{
	double sum = 0;

	for (unsigned i = 0; i < points->count; i++) {
		double error = error_at(law, points, i);

		sum += error * error;
	}
	return sqrt(sum / points->count);
}

/* Keeps the cheapest ones, in order; of a kind the better one. */
static void keep(struct curve *curve, const struct curve_choice *choice)
{
	unsigned at = 0, end;

	while (at < curve->n_best && curve->best[at].cost <= choice->cost)
		if (curve->best[at++].law.kind == choice->law.kind)
			return;
	for (end = at; end < curve->n_best; end++)
		if (curve->best[end].law.kind == choice->law.kind)
			break;
	if (end == curve->n_best) {
		if (at == CURVE_SURVIVORS)
			return;
		if (curve->n_best < CURVE_SURVIVORS)
			curve->n_best++;
		end = curve->n_best - 1;
	}
	for (; end > at; end--)
		curve->best[end] = curve->best[end - 1];
	curve->best[at] = *choice;
}

static void try_way(struct curve *curve, const struct way *way, const struct law_points *points)
{
	unsigned parameters = law_parameters(way->kind) + (way->n > 0) + way->below;
	struct law_points train = part_of(points, points->count, way->n);
	struct curve_choice choice = { .n_points = train.count, .below = way->below };

	choice.held_out = held_out_of(way, points, curve->n_held_out);
	if (!isfinite(choice.held_out) || !fit(&choice.law, way->kind, &train, way->below))
		return;
	if (law_needs_tasks(way->kind))
		choice.held_out = hypot(choice.held_out, points->tasks_error);
	curve->n_tried++;
	choice.rms = rms_of(&choice.law, &train);
	choice.cost = choice.held_out * (1 + OF_A_PARAMETER * parameters) + AT_LEAST * parameters;
	keep(curve, &choice);
}

/* To all sizes and to `half` of them, unless that is 0; counts are not disturbed. */
static void try_law(struct curve *curve, enum law_kind kind, const struct law_points *points,
		    unsigned half, bool is_count)
{
	for (int below = 0; below <= !is_count; below++) {
		struct way way = { .kind = kind, .below = below };

		try_way(curve, &way, points);
		way.n = half;
		if (half)
			try_way(curve, &way, points);
	}
}

/* Rules that hold exactly stand before all others. */
static void try_rule(struct curve *curve, enum law_kind kind, const struct law_points *points)
{
	struct curve_choice choice = { .n_points = points->count, .cost = -1 };

	curve->n_tried++;
	if (curve->exact || !law_fit(&choice.law, kind, points))
		return;
	curve->exact = true;
	keep(curve, &choice);
}

static void drop_worse(struct curve *curve)
{
	unsigned first = curve->exact ? 1 : 0;

	while (curve->n_best > first + 1 &&
	       curve->best[curve->n_best - 1].cost >
		       NEARLY_TIMES * curve->best[first].cost + NEARLY_PLUS)
		curve->n_best--;
}

bool curve_fit(struct curve *curve, const struct law_points *points, bool is_count)
{
	struct law_points above;
	unsigned zeros = 0, half;

	*curve = (struct curve){ 0 };
	while (zeros < points->count && points->y[zeros] <= 0)
		zeros++;
	curve->none = zeros == points->count;
	if (curve->none)
		return true;
	above = part_of(points, points->count, points->count - zeros);
	if (above.count < CURVE_LEAST)
		return false;
	half = above.count / 2 > 4 ? above.count / 2 : 4;
	curve->n_held_out = (above.count - 1) / 2;
	if (curve->n_held_out > CURVE_HELD_OUT)
		curve->n_held_out = CURVE_HELD_OUT;
	if (is_count) {
		try_rule(curve, LAW_CAP, &above);
		try_rule(curve, LAW_ROW, &above);
	}
	for (unsigned kind = 0; kind < LAW_CAP; kind++)
		try_law(curve, (enum law_kind)kind, &above, half < above.count ? half : 0,
			is_count);
	drop_worse(curve);
	return curve->n_best > 0;
}

const struct curve_choice *curve_choice_at(const struct curve *curve, double n)
{
	for (unsigned i = 0; i + 1 < curve->n_best; i++)
		if (isfinite(law_at(&curve->best[i].law, n, 1)))
			return &curve->best[i];
	return &curve->best[curve->n_best - 1];
}

bool curve_is_exact(const struct curve *curve, double n)
{
	return (curve->none && !curve->unknown) ||
	       (!curve->none && curve->exact && curve_choice_at(curve, n) == &curve->best[0]);
}

double curve_at(const struct curve *curve, double n, double tasks, double *low, double *high)
{
	const struct curve_choice *choice;
	double at = 0, least, most;

	if (curve->none) {
		least = most = 0;
	} else {
		choice = curve_choice_at(curve, n);
		least = most = at = law_at(&choice->law, n, tasks);
		for (unsigned i = 0; !curve_is_exact(curve, n) && i < curve->n_best; i++) {
			double other = law_at(&curve->best[i].law, n, tasks);

			least = other < least ? other : least;
			most = other > most ? other : most;
		}
	}
	if (low)
		*low = least;
	if (high)
		*high = most;
	return at;
}
