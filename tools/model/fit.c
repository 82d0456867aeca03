/* SPDX-License-Identifier: MIT */
/* fit.c - parameters, distances, and samples to judge them by. */
#include "tools/model/fit.h"
#include "tools/base/order.h"
#include "tools/base/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define SAMPLES 99u /* drawn, for p */

const char *const family_name[FAMILIES] = { "empirical", "normal", "lognormal", "gamma" };

/* ---- functions ---- */

static double next_uniform(uint64_t *random)
{
	return ((double)(random_next(random) >> 11) + .5) * 0x1p-53;
}

/* [Abramowitz and Stegun 6.3.5, 6.3.18] */
static double digamma(double x)
{
	double sum = 0, square;

	for (; x < 8; x++)
		sum -= 1 / x;
	square = 1 / (x * x);
	return sum + log(x) - 1 / (2 * x) - square * (1. / 12 - square * (1. / 120 - square / 252));
}

/* [Abramowitz and Stegun 6.4.6, 6.4.12] */
static double trigamma(double x)
{
	double sum = 0, square;

	for (; x < 8; x++)
		sum += 1 / (x * x);
	square = 1 / (x * x);
	return sum + 1 / x + square / 2 + square / x * (1. / 6 - square * (1. / 30 - square / 42));
}

/* The regularised lower incomplete gamma function: a series, or a continued fraction by Lentz's
 * method.  [Abramowitz and Stegun 6.5.29, 6.5.31] */
static double gamma_below(double shape, double x)
{
	int sign;
	double front, sum, term, c, d;

	if (x <= 0)
		return 0;
	front = exp(shape * log(x) - x - lgamma_r(shape, &sign));
	if (x < shape + 1) {
		sum = term = 1 / shape;
		for (double k = shape + 1; fabs(term) > fabs(sum) * 1e-12; k++)
			sum += term *= x / k;
		return front * sum;
	}
	c = 1e300;
	d = sum = 1 / (x + 1 - shape);
	for (int i = 1; i < 10000; i++) {
		double an = -i * (i - shape), b = x + 1 - shape + 2 * i;

		d = 1 / (an * d + b);
		c = b + an / c;
		sum *= d * c;
		if (fabs(d * c - 1) < 1e-12)
			break;
	}
	return 1 - front * sum;
}

double fit_cdf(enum family family, const struct fit *fit, double x)
{
	switch (family) {
	case FAMILY_NORMAL:
		return erfc((fit->a - x) / fit->b * M_SQRT1_2) / 2;
	case FAMILY_LOGNORMAL:
		return x > 0 ? erfc((fit->a - log(x)) / fit->b * M_SQRT1_2) / 2 : 0;
	default:
		return gamma_below(fit->a, x / fit->b);
	}
}

double fit_quantile(enum family family, const struct fit *fit, double u, double least)
{
	double low = least, high = least > 0 ? 2 * least : 1;

	if (fit_cdf(family, fit, least) >= u)
		return least;
	while (fit_cdf(family, fit, high) < u) {
		low = high;
		high *= 2;
	}
	for (int i = 0; i < 60 && high - low > 1e-9 * high; i++) {
		double middle = (low + high) / 2;

		if (fit_cdf(family, fit, middle) < u)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* ---- drawing, for p ---- */

static double draw_normal(uint64_t *random)
{
	double u = next_uniform(random), v = next_uniform(random); /* [Box and Muller 1958] */

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* [Marsaglia and Tsang 2000] */
static double draw_gamma(double shape, uint64_t *random)
{
	double boost = shape < 1 ? pow(next_uniform(random), 1 / shape) : 1;
	double d = (shape < 1 ? shape + 1 : shape) - 1. / 3, c = 1 / sqrt(9 * d);

	for (;;) {
		double x = draw_normal(random), v = 1 + c * x;

		if (v <= 0)
			continue;
		v = v * v * v;
		if (log(next_uniform(random)) < x * x / 2 + d - d * v + d * log(v))
			return d * v * boost;
	}
}

static double draw(enum family family, const struct fit *fit, uint64_t *random)
{
	if (family == FAMILY_GAMMA)
		return fit->b * draw_gamma(fit->a, random);
	return family == FAMILY_NORMAL ? fit->a + fit->b * draw_normal(random)
				       : exp(fit->a + fit->b * draw_normal(random));
}

/* ---- fitting ---- */

static double spread_about(const double *x, uint32_t n, double mean, bool logs)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		double off = (logs ? log(x[i]) : x[i]) - mean;

		sum += off * off;
	}
	return sqrt(sum / n);
}

/* log k - digamma(k) = log of the mean - mean of the logs */
static double gamma_shape(double difference)
{
	double s = difference > 1e-9 ? difference : 1e-9;
	double shape = (3 - s + sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s);

	for (int i = 0; i < 20; i++) {
		double off = log(shape) - digamma(shape) - s;
		double better = shape - off / (1 / shape - trigamma(shape));

		if (!(better > 0) || fabs(better - shape) < 1e-10 * shape)
			break;
		shape = better;
	}
	return shape;
}

static void find_parameters(struct fit *fit, enum family family, const double *x, uint32_t n)
{
	double mean = 0, log_mean = 0;

	for (uint32_t i = 0; i < n; i++) {
		mean += x[i] / n;
		log_mean += x[i] > 0 ? log(x[i]) / n : 0;
	}
	if (family == FAMILY_GAMMA) {
		fit->a = gamma_shape(log(mean) - log_mean);
		fit->b = mean / fit->a;
		return;
	}
	fit->a = family == FAMILY_NORMAL ? mean : log_mean;
	fit->b = spread_about(x, n, fit->a, family == FAMILY_LOGNORMAL);
	if (!(fit->b > 1e-9))
		fit->b = 1e-9;
}

static double distance_of(enum family family, const struct fit *fit, const double *sorted,
			  uint32_t n)
{
	double most = 0;

	for (uint32_t i = 0; i < n; i++) {
		double at = fit_cdf(family, fit, sorted[i]);

		most = fmax(most, fmax(at - (double)i / n, (i + 1.) / n - at));
	}
	return most;
}

static double p_of(enum family family, const struct fit *fit, uint32_t n, uint64_t *random)
{
	double x[FIT_SAMPLE];
	uint32_t n_farther = 0;

	for (uint32_t s = 0; s < SAMPLES; s++) {
		struct fit again;

		for (uint32_t i = 0; i < n; i++)
			x[i] = draw(family, fit, random);
		SORT(x, n, order_reals);
		find_parameters(&again, family, x, n);
		n_farther += distance_of(family, &again, x, n) >= fit->distance;
	}
	return (n_farther + 1.) / (SAMPLES + 1.);
}

enum family fit_best(struct fit fit[FAMILIES], const uint64_t *sorted, uint64_t n, uint64_t seed)
{
	enum family best = FAMILY_EMPIRICAL;
	uint32_t n_sample = n < FIT_SAMPLE ? (uint32_t)n : FIT_SAMPLE;
	double x[FIT_SAMPLE];
	uint64_t random = seed;

	for (uint32_t f = 0; f < FAMILIES; f++)
		fit[f] = (struct fit){ 0 };
	if (n < FIT_LEAST || sorted[0] == sorted[n - 1])
		return best;
	for (uint64_t i = 0, taken = 0; taken < n_sample; i++) { /* S [Knuth, volume 2, 3.4.2] */
		if (next_uniform(&random) * (double)(n - i) >= (double)(n_sample - taken))
			continue;
		x[taken++] = sorted[i] ? (double)sorted[i] : .5;
	}
	for (enum family f = FAMILY_NORMAL; f < FAMILIES; f++) {
		find_parameters(&fit[f], f, x, n_sample);
		fit[f].distance = distance_of(f, &fit[f], x, n_sample);
		fit[f].p = p_of(f, &fit[f], n_sample, &random);
		if (fit[f].p >= FIT_P &&
		    (best == FAMILY_EMPIRICAL || fit[f].distance < fit[best].distance))
			best = f;
	}
	return best;
}

/* ---- bins ---- */

static double bin_of_times(const uint64_t *sorted, uint64_t n, uint32_t i)
{
	uint64_t from = n * i / FIT_BINS, to = n * (i + 1ull) / FIT_BINS;
	double sum = 0;

	if (to <= from)
		return (double)sorted[from];
	for (uint64_t k = from; k < to; k++)
		sum += (double)sorted[k];
	return sum / (double)(to - from);
}

void fit_bins(uint64_t bin[FIT_BINS], enum family family, const struct fit *fit,
	      const uint64_t *sorted, uint64_t n)
{
	double value[FIT_BINS], mean = 0, sum = 0, last = 0, left = 0;

	for (uint64_t i = 0; i < n; i++)
		mean += (double)sorted[i] / (double)n;
	for (uint32_t i = 0; i < FIT_BINS; i++) {
		last = value[i] = family == FAMILY_EMPIRICAL
					  ? bin_of_times(sorted, n, i)
					  : fit_quantile(family, fit, (i + .5) / FIT_BINS, last);
		sum += last;
	}
	for (uint32_t i = 0; i < FIT_BINS; i++) {
		left += sum > 0 ? value[i] * mean * FIT_BINS / sum : 0;
		bin[i] = (uint64_t)(left > 0 ? left + .5 : 0);
		left -= (double)bin[i]; /* what rounding leaves goes on to the next one */
	}
}
