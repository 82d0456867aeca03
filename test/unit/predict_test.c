/* SPDX-License-Identifier: MIT */
/* predict_test.c - planted programs, whose T(n, p) is known exactly, are found again: laws, counts,
 * shapes, and all of it up to 64 workers. */
#include <math.h>

#include "test/unit/check.h"
#include "tools/predict/predict.h"

static double error_of(double told, double is)
{
	return fabs(told / is - 1);
}

/* ---- least squares ---- */

TEST(squares)
{
	double a[8], b[8], c[8], y[8], w[8];
	struct squares in = { 8, 3, { a, b, c }, y, w };
	struct squares_fit fit;

	name = "squares";
	for (int i = 0; i < 8; i++) {
		a[i] = 1;
		b[i] = i + 1;
		c[i] = (i + 1) * (i + 1);
		y[i] = 5 + 2 * c[i];
		w[i] = 1 / y[i];
	}
	squares_sparse(&fit, &in, 3);
	check(fit.n == 2 && fit.column[0] == 0 && fit.column[1] == 2);
	check(error_of(fit.c[0], 5) < 1e-9 && error_of(fit.c[1], 2) < 1e-9 && fit.rms < 1e-9);
	for (int i = 0; i < 8; i++) /* it would take a negative factor */
		y[i] = 3 * b[i] - 1;
	check(squares_of(&fit, &in, 1) && !squares_of(&fit, &in, 3));
	check(squares_of(&fit, &in, 2) && fit.c[0] > 0 && fit.c[1] > 0 && fit.rms > 0);
	in.column[1] = a; /* twice the same */
	in.n_columns = 2;
	check(!squares_of(&fit, &in, 2));
	memset(y, 0, sizeof(y));
	squares_sparse(&fit, &in, 3);
	check(fit.n == 0);
}

/* ---- counts ---- */

static double fib(int n)
{
	double a = 0, b = 1;

	for (; n > 0; n--) {
		double next = a + b;

		a = b;
		b = next;
	}
	return a;
}

TEST(rows)
{
	double n[8], y[8];
	struct recur recur;

	name = "rows of counts";
	for (int i = 0; i < 8; i++) {
		n[i] = 10 + i;
		y[i] = 2 * fib(11 + i) - 2; /* calls of fib(n), but for the first */
	}
	check(recur_find(&recur, n, y, 8));
	check(recur_at(&recur, 40) == 2 * fib(41) - 2 && recur_at(&recur, 17) == y[7]);
	check(isnan(recur_at(&recur, 20.5)) && isnan(recur_at(&recur, 1e6)));
	y[3]++; /* one wrong count, and there is no rule on the five or six around it */
	check(!recur_find(&recur, n, y, 6));
	y[3]--;
	check(!recur_find(&recur, n, y, 4)); /* nothing is left to prove it */
	for (int i = 0; i < 6; i++) {
		n[i] = 64 << i;
		y[i] = (1 << i) * (i + 3); /* n log n */
	}
	check(recur_find(&recur, n, y, 6) && recur.is_ratio);
	check(recur_at(&recur, 64 << 10) == (1 << 10) * 13);
	for (int i = 0; i < 6; i++)
		y[i] = (pow(7, i + 1) - 1) / 6;
	check(recur_find(&recur, n, y, 6) && recur_at(&recur, 64 << 8) == (pow(7, 9) - 1) / 6);
	for (int i = 0; i < 6; i++)
		y[i] = floor(100 * pow(n[i], 1.37));
	check(!recur_find(&recur, n, y, 6));
}

/* ---- laws ---- */

#define SIZES 9

static double planted(int law, double n)
{
	switch (law) {
	case 0:
		return 7 * n * log2(n);
	case 1:
		return 400 + 3 * n * n;
	case 2:
		return 0.5 * pow(n, 2.807);
	case 3:
		return 11 * pow((1 + sqrt(5)) / 2, n / 40);
	case 4:
		return 5000 + 2 * pow(n, 1.5);
	case 5:
		return 2 * n * log2(n) * log2(n);
	default:
		return pow(n, -1.5) * exp(0.02 * n);
	}
}

TEST(laws)
{
	static char text[40];
	double n[SIZES], y[SIZES];
	struct law_points points = { .n = n, .y = y, .count = SIZES };

	for (int law = 0; law < 7; law++) {
		bool grows = law == 3 || law == 6;
		double far = grows ? 1000 : 16 * 512;
		struct curve curve;

		snprintf(text, sizeof(text), "planted law %d", law);
		name = text;
		for (int i = 0; i < SIZES; i++) {
			n[i] = grows ? 300 + 50 * i : 64 * pow(2, i * 3. / (SIZES - 1));
			y[i] = planted(law, n[i]);
		}
		check(curve_fit(&curve, &points, false));
		check(error_of(curve_at(&curve, far, 0, NULL, NULL), planted(law, far)) < 1e-3);
		check(curve.best[0].held_out < 1e-3 && !curve.exact);
	}
}

/*
 * Measured: the work of three sets of small runs of bots/fft.c, whose data outgrow the caches from
 * 2^17 on, and of its runs with 2^23 to 2^25.  A law with n^2 tells the small ones best, and says
 * 5 s, 19 s and 74 s of the large ones.
 */
TEST(outgrown_caches)
{
	static const double small[][SIZES] = {
		{ 401397, 760979, 1.55591e6, 3.16989e6, 6.656e6, 1.45861e7, 2.99338e7, 6.88068e7,
		  1.6571e8 },
		{ 404441, 760979, 1.56384e6, 3.3706e6, 6.62945e6, 1.42879e7, 2.99338e7, 7.34204e7,
		  1.63587e8 },
		{ 404441, 815846, 1.55591e6, 3.16989e6, 6.48919e6, 1.47221e7, 2.99338e7, 6.88068e7,
		  1.71781e8 },
	};
	static const double tasks[SIZES] = { 20, 280, 288, 304, 368, 4592, 4848, 5360, 6896 };
	static const double large[] = { 1.744769e9, 3.773122e9, 9.412096e9 };
	static const double large_tasks[] = { 93936, 126704, 1240816 };
	double n[SIZES], low, high, shares;

	name = "data that outgrow the caches";
	for (int i = 0; i < SIZES; i++)
		n[i] = 4096 << i;
	for (unsigned set = 0; set < sizeof(small) / sizeof(*small); set++) {
		const struct law_points points = {
			.n = n, .y = small[set], .tasks = tasks, .count = SIZES
		};
		struct curve curve;

		check(curve_fit(&curve, &points, false));
		shares = 0;
		for (unsigned i = 0; i < curve.n_best; i++)
			shares += curve.best[i].share;
		check(error_of(shares, 1) < 1e-9);
		for (int k = 0; k < 3; k++) {
			double told = curve_at(&curve, (1 << 23) << k, large_tasks[k], &low, &high);

			check(low <= told * (1 + 1e-9) && told <= high * (1 + 1e-9));
			check(error_of(told, large[k]) < .5);
		}
	}
}

/* Steep noise is no law. */
TEST(noise_is_no_law)
{
	const double n[] = { 5, 6, 7, 8, 9, 10 }, y[] = { 900, 950, 990, 2e3, 2e5, 9e8 };
	const struct law_points points = { .n = n, .y = y, .count = 6 };
	struct law law;

	name = "steep noise";
	check(!law_fit(&law, LAW_POWER, LAW_ALONE, false, &points));
	check(!law_fit(&law, LAW_PRODUCT, LAW_ALONE, false, &points));
}

TEST(counts)
{
	const double n[] = { 1, 2, 4, 8, 16, 32, 64 };
	double y[] = { 8, 57, 400, 19607, 137256, 960799, 960799 };
	double steps[] = { 4, 4, 4, 16, 16, 60, 60 };
	double none[7] = { 0 };
	struct law_points points = { .n = n, .y = y, .count = 7 };
	struct curve curve;

	name = "a cut-off";
	check(curve_fit(&curve, &points, true) && curve.exact);
	check(curve.best[0].law.kind == LAW_CAP && curve_is_exact(&curve, 1024));
	check(curve_at(&curve, 1024, 0, NULL, NULL) == 960799);
	name = "stairs are no cut-off";
	points.y = steps;
	check(curve_fit(&curve, &points, true) && !curve.exact);
	name = "no tasks";
	points.y = none;
	check(curve_fit(&curve, &points, true) && curve.none);
	check(curve_at(&curve, 1024, 0, NULL, NULL) == 0);
}

/* ---- shapes ---- */

TEST(shapes)
{
	const struct width two[] = { { 1, 600 }, { 64, 100 } };
	const struct width three[] = { { 10, 5 }, { 20, 10 }, { 40, 5 } };
	struct widths widths;

	name = "serial and wide";
	widths_make(&widths, two, 2);
	check(widths_work(&widths) == 7000 && widths_span(&widths) == 700);
	check(widths_elapsed(&widths, WIDTHS_FACTOR, 7000, 700, 8) == 600 + 800);
	/* ten times as long, and 1,000 wide: the serial part stays serial */
	check(error_of(widths_elapsed(&widths, WIDTHS_POWER, 6000 + 1000000, 7000, 50),
		       6000 + 20000) < 1e-9);
	widths_free(&widths);
	name = "all widen";
	widths_make(&widths, three, 3);
	/* 3 times as wide, twice as long */
	check(error_of(widths_elapsed(&widths, WIDTHS_FACTOR, 6 * widths_work(&widths), 40, 60),
		       2 * (5 + 10 + 5 * 2)) < 1e-9);
	for (int way = 0; way < WIDTHS_WAYS; way++) {
		check(error_of(widths_elapsed(&widths, way, 900, 20, 1), 900) < 1e-9);
		check(error_of(widths_elapsed(&widths, way, 900, 20, 1e6), 20) < 1e-9);
		check(widths_elapsed(&widths, way, 900, 900, 4) == 900);
	}
	widths_free(&widths);
}

/* ---- programs ---- */

/* n parts beside each other, of 100 n ns of serial code before, and costs of all sorts. */
struct truth {
	double elapsed, work, delay, sched, app, span;
};

enum program { LEVELS, FIBS, CUT, PROGRAMS };

struct shape {
	double serial, width, length; /* serial ns, then `width` strands of `length` ns */
	double tasks, waits;
};

static struct shape shape_of(enum program program, double n)
{
	switch (program) {
	case LEVELS:
		return (struct shape){ 2e5 * n, n, 4000 * n, 2 * n, n };
	case FIBS:
		return (struct shape){ 900, fib((int)n), 6000, 2 * fib((int)n + 1) - 2,
				       fib((int)n + 1) - 1 };
	default:
		return (struct shape){ 50 * n, 343, 0.02 * pow(n, 2.807), fmin(100, n), 57 };
	}
}

/* Nothing of this is the model's code. */
static struct truth truth_of(enum program program, double n, double p)
{
	struct shape s = shape_of(program, n);
	double stretch = 1 + 0.25 * (p - 1) / p + 0.004 * (p - 1);
	double span = s.serial + s.length, ideal = s.serial + s.length * fmax(1, s.width / p);
	struct truth t = { .work = stretch * (s.serial + s.width * s.length),
			   .span = stretch * span };

	t.delay = s.tasks * (150 + 90 * (p - 1) / p) + 400;
	t.sched = 0.02 * (p - 1) * span;
	t.app = stretch * (ideal * p - s.serial - s.width * s.length) + 3000 * p;
	t.elapsed = (t.work + t.delay + t.sched + t.app) / p;
	return t;
}

static struct sample sample_at(enum program program, double n, unsigned p, double noise)
{
	struct shape s = shape_of(program, n);
	struct truth t = truth_of(program, n, p);
	struct width at[] = { { 1, t.span * s.serial / (s.serial + s.length) },
			      { s.width, t.span * s.length / (s.serial + s.length) } };
	struct sample sample = { .path = "planted", .n = n, .p = p };

	widths_make(&sample.widths, at, 2);
	sample.work_ns = t.work * noise;
	sample.delay_ns = t.delay * noise;
	sample.sched_ns = t.sched * noise;
	sample.app_ns = t.app * noise;
	sample.span_ns = t.span * noise;
	sample.least_work_ns = sample.work_ns;
	sample.least_span_ns = sample.span_ns;
	sample.elapsed_ns = sample.recorded_ns = t.elapsed * noise;
	sample.tasks = s.tasks;
	sample.waits = s.waits;
	at[0].ns *= noise;
	for (unsigned i = 0; i < 2; i++)
		sample.widths.at[i].ns *= noise;
	return sample;
}

static const unsigned workers[][4] = { { 1, 2, 4, 8 }, { 2, 3, 4, 16 } };
#define WIDTHS 4u

static double size_at(enum program program, unsigned i)
{
	return program == FIBS ? 10 + i : program == LEVELS ? 16 << i : 32 * pow(2, i / 2.);
}

static double far_of(enum program program)
{
	return program == FIBS ? 22 : program == LEVELS ? 16 << 9 : 1024;
}

/* Runs of 8 sizes; (1 +- noise) of all figures. */
static unsigned runs_of(struct sample *sample, enum program program, bool from_two, double noise,
			unsigned *seed)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 0; k < WIDTHS; k++) {
			*seed = *seed * 1664525u + 1013904223u;
			sample[n++] = sample_at(program, size_at(program, i), workers[from_two][k],
						1 + noise * (2 * (*seed >> 8) / 16777216. - 1));
		}
	return n;
}

static void free_runs(struct sample *sample, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sample_free(&sample[i]);
}

static void find_programs(bool from_two)
{
	static char text[64];
	struct sample sample[8 * WIDTHS];
	unsigned seed = 1;

	for (int program = 0; program < PROGRAMS; program++) {
		unsigned n = runs_of(sample, program, from_two, 0, &seed);
		struct err err = { 0 };
		struct predict predict;

		name = "a planted program";
		check(predict_fit(&predict, sample, n, &err) == 0);
		for (unsigned p = 1; p <= 64; p *= 2) {
			double far = far_of(program);
			struct truth t = truth_of(program, far, p);
			struct prediction at;

			snprintf(text, sizeof(text), "planted program %d%s, p = %u", program,
				 from_two ? ", from two workers on" : "", p);
			name = text;
			check(predict_at(&predict, far, p, &at, &err) == 0);
			check(at.tasks_are_exact && at.told.tasks == shape_of(program, far).tasks);
			check(error_of(at.told.work_ns, t.work) < .01);
			/* n and n^2.807 together are no law */
			check(error_of(at.told.span_ns, t.span) < (program == CUT ? .05 : .01));
			check(error_of(at.told.delay_ns, t.delay) < .01);
			check(fabs(at.told.sched_ns - t.sched) < .01 * t.elapsed * p);
			check(fabs(at.told.app_ns - t.app) < .01 * t.elapsed * p);
			check(error_of(at.told.elapsed_ns, t.elapsed) < .01);
			check(at.low_ns <= t.elapsed && t.elapsed <= at.high_ns);
			check(error_of(at.told.elapsed_ns * p, at.told.work_ns + at.told.delay_ns +
								       at.told.sched_ns +
								       at.told.app_ns) < 1e-9);
			check(at.bound_ns <= at.told.elapsed_ns * (1 + 1e-9));
			check(at.bound_ns <= at.greedy_ns);
		}
		check(predict.error <= predict.direct_error);
		predict_free(&predict);
		free_runs(sample, n);
	}
}

TEST(programs)
{
	find_programs(false);
}

TEST(programs_from_two)
{
	find_programs(true);
}

#define SEEDS 20

/* With 3 % of noise up to 8 workers, the interval has what is at 64, nearly always. */
TEST(noise)
{
	struct sample sample[8 * WIDTHS];
	unsigned inside = 0, n_all = 0, seed = 7;

	name = "planted programs with noise";
	for (unsigned i = 0; i < SEEDS; i++)
		for (int program = 0; program < PROGRAMS; program++) {
			unsigned n = runs_of(sample, program, false, .03, &seed);
			double far = far_of(program), is = truth_of(program, far, 64).elapsed;
			struct err err = { 0 };
			struct predict predict;
			struct prediction at;

			check(predict_fit(&predict, sample, n, &err) == 0);
			check(predict_at(&predict, far, 64, &at, &err) == 0);
			check(error_of(at.told.elapsed_ns, is) < .45);
			inside += at.low_ns <= is && is <= at.high_ns;
			n_all++;
			predict_free(&predict);
			free_runs(sample, n);
		}
	check(inside >= n_all * 9 / 10);
}

/* ---- what is refused ---- */

TEST(refused)
{
	struct sample sample[8 * WIDTHS], again[2];
	struct err err = { 0 };
	struct predict predict;
	struct prediction at;
	unsigned seed = 3, n = runs_of(sample, LEVELS, false, 0, &seed), two = 2;

	name = "what is refused";
	check(predict_fit(&predict, sample, WIDTHS, &err) != 0 && strstr(err.text, "all 4 traces"));
	check(predict_fit(&predict, sample, 3 * WIDTHS, &err) != 0 &&
	      strstr(err.text, "3 different n"));
	check(predict_fit(&predict, sample, n, &err) == 0);
	check(predict_at(&predict, 1 << 18, 8, &at, &err) != 0 && strstr(err.text, "n up to"));
	check(predict_at(&predict, 8, 8, &at, &err) != 0 && strstr(err.text, "below all"));
	check(predict_at(&predict, 1024, 257, &at, &err) != 0 && strstr(err.text, "p up to 256"));
	check(predict_at(&predict, 1024, 256, &at, &err) == 0);
	check(predict_at(&predict, 16, 1, &at, &err) == 0);
	predict_free(&predict);
	for (unsigned i = 0; i < 8; i++) /* of one p alone */
		sample[i].p = 2, sample[i].n = 100 * (i + 1);
	check(predict_fit(&predict, sample, 8, &err) == 0);
	check(predict_at(&predict, 900, 4, &at, &err) != 0 && strstr(err.text, "2 workers"));
	predict_free(&predict);
	free_runs(sample, n);
	again[0] = sample_at(LEVELS, 64, 2, 1);
	again[1] = sample_at(LEVELS, 64, 2, 1);
	again[1].tasks *= 3;
	check(predict_choose(again, &two, &err) != 0 && strstr(err.text, "another parameter"));
	check(two == 1);
	free_runs(again, two);
}

/* The shortest run is kept, with the least work and span of all. */
TEST(chosen)
{
	struct sample sample[4] = { { .path = "a", .n = 2, .p = 1, .elapsed_ns = 40 },
				    { .path = "b", .n = 2, .p = 1, .elapsed_ns = 20 },
				    { .path = "c", .n = 2, .p = 1, .elapsed_ns = 10 },
				    { .path = "d", .n = 1, .p = 1, .elapsed_ns = 5 } };
	struct err err;
	unsigned n = 4;

	name = "runs of one size";
	for (unsigned i = 0; i < n; i++) {
		sample[i].recorded_ns = sample[i].elapsed_ns;
		sample[i].tasks = 1;
		sample[i].least_work_ns = 7 + i;
		sample[i].least_span_ns = 3 - i;
	}
	check(predict_choose(sample, &n, &err) == 0 && n == 2);
	check(strcmp(sample[0].path, "d") == 0 && strcmp(sample[1].path, "c") == 0);
	check(sample[1].least_work_ns == 7 && sample[1].least_span_ns == 1);
}
