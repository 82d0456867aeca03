/* SPDX-License-Identifier: MIT */
/*
 * shapes_test.c - predictions of 14 shapes of work, from 8 small sizes with noise, and how often
 * their intervals hold what is true.  Half of the shapes are no law of tools/predict.
 *
 * Noise only adds: 2 % of the absolute value of a normal number, as what disturbs a run does.
 */
#include <math.h>

#include "test/unit/check.h"
#include "tools/predict/predict.h"

#define REPEATS 20u
#define SIZES_MOST 8u
#define NOISE .02
#define SHORTEST 1e6 /* ns of the smallest run */

static double grown(double g, double n)
{
	return pow(g, n);
}

static double fib_of(double n)
{
	return grown((1 + sqrt(5)) / 2, n);
}

static double double_of(double n)
{
	return grown(2, n);
}

static double tribonacci_of(double n)
{
	return grown(1.839, n);
}

static double catalan_of(double n)
{
	return grown(4, n) / pow(n, 1.5);
}

static double queens_of(double n)
{
	return exp(lgamma(n + 1)) * grown(.4, n);
}

static double strassen_of(double n)
{
	return pow(n, 2.807) + 8 * n * n;
}

static double coppersmith_of(double n)
{
	return pow(n, 2.376) + 5 * n * n;
}

static double karatsuba_of(double n)
{
	return pow(n, 1.585) + 20 * n;
}

static double loops_of(double n)
{
	return n * n * n - n * n;
}

static double power_of(double n)
{
	return pow(n, 1.5);
}

static double sort_of(double n)
{
	return n * log2(n);
}

static double bitonic_of(double n)
{
	return n * log2(n) * log2(n);
}

static double sieve_of(double n)
{
	return n * n / log2(n);
}

static double cached_of(double n)
{
	return n * n * (n >= 400 ? 1.6 : 1);
}

static const double twenty_on[] = { 20, 21, 22, 23, 24, 25, 26, 27, 31 };
static const double ten_on[] = { 10, 11, 12, 13, 14, 15, 16, 17, 21 };
static const double eight_on[] = { 8, 9, 10, 11, 12, 13, 14, 15, 17 };
static const double six_on[] = { 6, 7, 8, 9, 10, 11, 12, 14 };
static const double blocks[] = { 10, 12, 14, 16, 20, 24, 28, 32, 64 };
static const double sides[] = { 64, 96, 128, 192, 256, 384, 512, 768, 1536 };
static const double lengths[] = { 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 262144 };

static const struct shape {
	const char *name;
	double (*of)(double n);
	const double *n; /* n_sizes, and the one to predict */
	unsigned n_sizes;
	double median, worst; /* %, at most; 0: not promised */
} shapes[] = {
	{ "1.618^n", fib_of, twenty_on, 8, 3, 10 },
	{ "2^n", double_of, ten_on, 8, 3, 0 },
	{ "1.839^n", tribonacci_of, twenty_on, 8, 3, 0 },
	{ "4^n / n^1.5", catalan_of, eight_on, 8, 0, 0 },
	{ "n! 0.4^n", queens_of, six_on, 7, 3, 0 },
	{ "n^2.807 + 8 n^2", strassen_of, sides, 8, 0, 0 },
	{ "n^2.376 + 5 n^2", coppersmith_of, sides, 8, 0, 0 },
	{ "n^1.585 + 20 n", karatsuba_of, lengths, 8, 0, 0 },
	{ "n^3 - n^2", loops_of, blocks, 8, 0, 0 },
	{ "n^1.5", power_of, lengths, 8, 3, 0 },
	{ "n log n", sort_of, lengths, 8, 3, 0 },
	{ "n log^2 n", bitonic_of, lengths, 8, 4, 0 },
	{ "n^2 / log n", sieve_of, sides, 8, 0, 0 },
	{ "n^2, x 1.6 from 400 on", cached_of, sides, 8, 0, 0 },
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static double uniform(unsigned *seed) /* above 0, below 1 */
{
	*seed = *seed * 1664525u + 1013904223u;
	return ((*seed >> 8) + .5) / 16777216.;
}

static double disturbance(unsigned *seed)
{
	double length = sqrt(-2 * log(uniform(seed)));

	return 1 + NOISE * fabs(length * cos(2 * acos(-1) * uniform(seed)));
}

/* Eight equal tasks, one after the other on one worker. */
static struct sample run_of(double n, double ns)
{
	const struct width at = { 8, ns / 8 };
	struct sample sample = { .path = "planted", .n = n, .p = 1, .tasks = 8, .waits = 1 };

	widths_make(&sample.widths, &at, 1);
	sample.elapsed_ns = sample.recorded_ns = sample.work_ns = sample.least_work_ns = ns;
	sample.span_ns = sample.least_span_ns = ns / 8;
	return sample;
}

struct outcome {
	double error[REPEATS]; /* of the prediction, in %, with its sign */
	unsigned n, n_inside;
};

static void predict_once(const struct shape *shape, unsigned *seed, struct outcome *outcome)
{
	double scale = SHORTEST / shape->of(shape->n[0]), far = shape->n[shape->n_sizes];
	double is = scale * shape->of(far);
	struct sample sample[SIZES_MOST];
	struct prediction at = { .low_ns = 0 };
	struct predict predict;
	struct err err = { 0 };

	for (unsigned i = 0; i < shape->n_sizes; i++)
		sample[i] = run_of(shape->n[i], scale * shape->of(shape->n[i]) * disturbance(seed));
	check(predict_fit(&predict, sample, shape->n_sizes, &err) == 0);
	if (predict_at(&predict, far, 1, &at, &err) == 0) {
		outcome->error[outcome->n++] = 100 * (at.told.elapsed_ns / is - 1);
		outcome->n_inside += at.low_ns <= is && is <= at.high_ns;
	} else {
		printf("%s: %s\n", shape->name, err.text);
	}
	predict_free(&predict);
	for (unsigned i = 0; i < shape->n_sizes; i++)
		sample_free(&sample[i]);
}

static int by_size(const void *a, const void *b)
{
	double x = fabs(*(const double *)a), y = fabs(*(const double *)b);

	return (x > y) - (x < y);
}

/* The fewest of n that hold of intervals that hold in 9 of 10 but for one chance in 100. */
static unsigned fewest_of(unsigned n)
{
	double chance = pow(.1, n), below = 0;
	unsigned k = 0;

	for (; k < n && below + chance < .01; k++) {
		below += chance;
		chance *= 9. * (n - k) / (k + 1);
	}
	return k;
}

TEST(errors)
{
	static double all[SHAPES * REPEATS];
	unsigned n_all = 0, n_inside = 0, n_wrong = 0;

	for (unsigned k = 0; k < SHAPES; k++) {
		const struct shape *shape = &shapes[k];
		struct outcome got = { .n = 0 };
		double median, worst;
		unsigned seed = 1 + k;

		name = shape->name;
		for (unsigned i = 0; i < REPEATS; i++)
			predict_once(shape, &seed, &got);
		check(got.n == REPEATS);
		qsort(got.error, got.n, sizeof(*got.error), by_size);
		median = fabs(got.error[(got.n - 1) / 2]);
		worst = got.error[got.n - 1];
		printf("%-24s median %5.1f %%, worst %+6.1f %%, %u of %u in their intervals\n",
		       shape->name, median, worst, got.n_inside, got.n);
		n_wrong += shape->median > 0 && median > shape->median;
		n_wrong += shape->worst > 0 && fabs(worst) >= shape->worst;
		n_wrong += got.n_inside < fewest_of(got.n);
		for (unsigned i = 0; i < got.n; i++)
			all[n_all++] = got.error[i];
		n_inside += got.n_inside;
	}
	name = "all shapes";
	qsort(all, n_all, sizeof(*all), by_size);
	printf("%-24s median %5.1f %%, %u of %u in their intervals\n", name,
	       fabs(all[(n_all - 1) / 2]), n_inside, n_all);
	check(n_wrong == 0);
	check(fabs(all[(n_all - 1) / 2]) <= 3);
	check(n_inside >= .9 * n_all);
}
