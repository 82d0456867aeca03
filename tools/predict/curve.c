/* SPDX-License-Identifier: MIT */
/* curve.c - tries all laws on held-out sizes. */
#include "tools/predict/curve.h"

#include <math.h>

#include "tools/base/at_most.h"

#define OF_A_PARAMETER .25 /* of the error, */
#define AT_LEAST .002	   /* and this besides */
#define OF_A_BEND 10.	   /* of the error, for the logarithm of a bend upwards, */
#define BEND_FREE .05	   /* over this */
#define SAME 1e-6	   /* of what two laws say */
#define NEARLY_TIMES 2.	   /* the least cost: survives */
#define EXACT 1e-6	   /* error that counts as none: others do not survive beside that */
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

/* How a law is fitted. */
struct way {
	enum law_kind kind;
	enum law_besides besides;
	unsigned n; /* to that many of the largest sizes; 0: all */
	bool below;
};

static bool fit_way(struct law *law, const struct way *way, const struct law_points *points)
{
	return law_fit(law, way->kind, way->besides, way->below, points);
}

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

		if (!fit_way(&law, way, &train))
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

/* Whether two laws say the same of the first, a middle and the last size. */
static bool are_same(const struct law *a, const struct law *b, const struct law_points *points)
{
	for (unsigned k = 0; k < 3; k++) {
		unsigned i = k * (points->count - 1) / 2;
		double tasks = points->tasks ? points->tasks[i] : NAN;
		double one = law_at(a, points->n[i], tasks), other = law_at(b, points->n[i], tasks);

		if (!(fabs(one - other) <= SAME * fabs(one)))
			return false;
	}
	return true;
}

static void take_out(struct curve *curve, unsigned at)
{
	curve->n_best--;
	for (; at < curve->n_best; at++)
		curve->best[at] = curve->best[at + 1];
}

/* Keeps the cheapest ones, in order; of laws that say the same one. */
static void keep(struct curve *curve, const struct curve_choice *choice,
		 const struct law_points *points)
{
	unsigned at = 0;

	for (unsigned i = curve->n_best; i-- > 0;)
		if (are_same(&curve->best[i].law, &choice->law, points)) {
			if (curve->best[i].cost <= choice->cost)
				return;
			take_out(curve, i);
		}
	while (at < curve->n_best && curve->best[at].cost <= choice->cost)
		at++;
	if (at == CURVE_SURVIVORS)
		return;
	if (curve->n_best < CURVE_SURVIVORS)
		curve->n_best++;
	for (unsigned end = curve->n_best - 1; end > at; end--)
		curve->best[end] = curve->best[end - 1];
	curve->best[at] = *choice;
}

/*
 * By how much a law grows faster in the step ahead of the largest size than in the last step, which
 * is that of the sizes held out: the logarithm of the ratio.  A step of what grows like g^n is a
 * difference of n, else a ratio; tasks go on as they grew.
 */
static double bend_of(const struct law *law, const struct law_points *points, unsigned held)
{
	unsigned last = points->count - 1, before = last - held;
	double end = points->n[last], back = points->n[before], last_step, next_step;
	double tasks = points->tasks ? points->tasks[last] : 1;
	double fewer = points->tasks ? points->tasks[before] : 1;
	double ahead = law_is_steep(law->kind) ? 2 * end - back : end * end / back;

	if (law->kind == LAW_TASKS)
		return 0;
	next_step = log(law_at(law, ahead, tasks * tasks / fewer) / law_at(law, end, tasks));
	last_step = log(law_at(law, end, tasks) / law_at(law, back, fewer));
	return next_step > 0 && last_step > 0 ? fmax(0, log(next_step / last_step) - BEND_FREE) : 0;
}

static void try_way(struct curve *curve, const struct way *way, const struct law_points *points)
{
	struct law_points train = part_of(points, points->count, way->n);
	/* A size that is left out counts as a parameter: one of its own would explain it. */
	unsigned parameters = law_parameters(way->kind, way->besides) +
			      (points->count - train.count) + way->below;
	struct curve_choice choice = { .n_points = train.count, .below = way->below };

	choice.held_out = held_out_of(way, points, curve->n_held_out);
	if (!isfinite(choice.held_out) || !fit_way(&choice.law, way, &train))
		return;
	if (law_needs_tasks(way->kind, way->besides))
		choice.held_out = hypot(choice.held_out, points->tasks_error);
	curve->n_tried++;
	choice.rms = rms_of(&choice.law, &train);
	choice.cost = choice.held_out * (1 + OF_A_PARAMETER * parameters) *
			      (1 + OF_A_BEND * bend_of(&choice.law, points, curve->n_held_out)) +
		      AT_LEAST * parameters;
	keep(curve, &choice, points);
}

/* To all sizes and to `half` of them, unless that is 0; counts are not disturbed. */
static void try_law(struct curve *curve, struct way way, const struct law_points *points,
		    unsigned half, bool is_count)
{
	for (int below = 0; below <= !is_count; below++) {
		way.below = below;
		way.n = 0;
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
	if (curve->exact || !law_fit(&choice.law, kind, LAW_ALONE, false, points))
		return;
	curve->exact = true;
	keep(curve, &choice, points);
}

/* Nothing is as good as what is exact. */
static bool is_nearly(const struct curve_choice *choice, const struct curve_choice *best)
{
	return choice->cost <= NEARLY_TIMES * best->cost &&
	       (best->held_out > EXACT || choice->held_out <= EXACT);
}

/* Keeps those that are nearly as good as the best, and gives each its share. */
static void share_out(struct curve *curve)
{
	unsigned first = curve->exact ? 1 : 0, kept = first;
	double all = 0;

	for (unsigned i = first; i < curve->n_best; i++)
		if (is_nearly(&curve->best[i], &curve->best[first])) {
			curve->best[kept++] = curve->best[i];
			all += pow(curve->best[i].cost, -2);
		}
	curve->n_best = kept;
	for (unsigned i = first; i < kept; i++)
		curve->best[i].share = pow(curve->best[i].cost, -2) / all;
}

unsigned curve_half(unsigned n_sizes)
{
	return (unsigned)at_most(n_sizes, n_sizes / 2 > 4 ? n_sizes / 2 : 4);
}

static bool is_one(const double *count, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		if (count[i] != count[0])
			return false;
	return true;
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
	half = curve_half(above.count);
	curve->n_held_out = (above.count - 1) / 2;
	if (curve->n_held_out > CURVE_HELD_OUT)
		curve->n_held_out = CURVE_HELD_OUT;
	if (is_count) {
		try_rule(curve, LAW_CAP, &above);
		try_rule(curve, LAW_ROW, &above);
	}
	if (above.tasks && is_one(above.tasks, above.count))
		above.tasks = NULL; /* c tasks and a constant are the same */
	for (unsigned i = 0; i < LAW_CAP * LAW_BESIDES; i++)
		try_law(curve, (struct way){ i / LAW_BESIDES, i % LAW_BESIDES, 0, false }, &above,
			half < above.count ? half : 0, is_count);
	share_out(curve);
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

/* All that do not say anything of n left out. */
static double mean_at(const struct curve *curve, double n, double tasks, double *low, double *high)
{
	double sum = 0, shares = 0;

	*low = INFINITY;
	*high = 0;
	for (unsigned i = 0; i < curve->n_best; i++) {
		const struct curve_choice *choice = &curve->best[i];
		double told = law_at(&choice->law, n, tasks);

		if (!(choice->share > 0 && told > 0 && isfinite(told)))
			continue;
		*low = fmin(*low, told);
		*high = fmax(*high, told);
		sum += choice->share * log(told);
		shares += choice->share;
	}
	if (!(shares > 0))
		*low = 0;
	return shares > 0 ? exp(sum / shares) : 0;
}

double curve_at(const struct curve *curve, double n, double tasks, double *low, double *high)
{
	double at = 0, least = 0, most = 0;

	if (curve_is_exact(curve, n))
		at = least = most = law_at(&curve->best[0].law, n, tasks);
	else if (!curve->none)
		at = mean_at(curve, n, tasks, &least, &most);
	if (low)
		*low = least;
	if (high)
		*high = most;
	return at;
}
