/* SPDX-License-Identifier: MIT */
/* fit_test.c - fits of times that were drawn from known distributions, and draws of what was
 * fitted. */
#include <math.h>

#include "test/unit/built.h"
#include "tools/model/fits.h"

#define N 4000u

static uint64_t time_ns[N];

static int by_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Times at evenly spread quantiles, shaken within their share by a fixed sequence. */
static void plant(enum family family, double a, double b)
{
	struct fit fit = { .a = a, .b = b };
	uint64_t x = 7;

	for (uint32_t i = 0; i < N; i++) {
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		double u = ((double)(x >> 11) + .5) * 0x1p-53;

		time_ns[i] = (uint64_t)(fit_quantile(family, &fit, u, 0) + .5);
	}
	qsort(time_ns, N, sizeof(*time_ns), by_ns);
}

static void assert_near(double is, double wanted, double part)
{
	if (!(fabs(is - wanted) <= part * fabs(wanted)))
		fail_msg("%g, not %g", is, wanted);
}

static double mean_of(const uint64_t *x, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (double)x[i];
	return sum / n;
}

/* A sample of 256 has parameters within some 20 % (4 standard errors), and bins that mean. */
static void check_family(enum family family, double a, double b)
{
	struct fit fit[FAMILIES], same[FAMILIES];
	uint64_t bin[FIT_BINS];

	plant(family, a, b);
	assert_int_equal(fit_best(fit, time_ns, N, 1), family);
	assert_near(fit[family].a, a, family == FAMILY_GAMMA ? .4 : .1);
	assert_near(fit[family].b, b, family == FAMILY_GAMMA ? .4 : .2);
	assert_true(fit[family].p >= FIT_P);
	assert_int_equal(fit_best(same, time_ns, N, 1), family);
	assert_memory_equal(same, fit, sizeof(fit));
	fit_bins(bin, family, &fit[family], time_ns, N);
	assert_true(fabs(mean_of(bin, FIT_BINS) - mean_of(time_ns, N)) < 1);
	for (uint32_t i = 1; i < FIT_BINS; i++)
		assert_true(bin[i] + 1 >= bin[i - 1]);
	assert_near((double)bin[FIT_BINS / 2], (double)time_ns[N / 2], .15);
}

TEST(test_families)
{
	check_family(FAMILY_NORMAL, 10000, 3000);
	check_family(FAMILY_LOGNORMAL, 9, .8);
	check_family(FAMILY_GAMMA, 1.5, 5000);
}

/* Known values: [Abramowitz and Stegun, tables 26.1 and 26.9]; gamma of shape 1 is exponential. */
TEST(test_functions)
{
	struct fit normal = { .a = 0, .b = 1 }, one = { .a = 1, .b = 2 }, five = { .a = 5, .b = 1 };

	assert_near(fit_cdf(FAMILY_NORMAL, &normal, 1.959963985), .975, 1e-8);
	assert_near(fit_cdf(FAMILY_GAMMA, &one, 3), 1 - exp(-1.5), 1e-10);
	assert_near(fit_cdf(FAMILY_GAMMA, &five, 5), .559506714934788, 1e-9);
	assert_near(fit_cdf(FAMILY_GAMMA, &five, 12), .992399672, 1e-6);
	assert_near(fit_quantile(FAMILY_GAMMA, &one, .5, 0), 2 * log(2), 1e-6);
}

/* Two speeds: none of the families; draws are from the times. */
TEST(test_none_fits)
{
	struct fit fit[FAMILIES];
	uint64_t bin[FIT_BINS];

	for (uint32_t i = 0; i < N; i++)
		time_ns[i] = (i < N / 2 ? 1000 : 9000) + i % 100;
	qsort(time_ns, N, sizeof(*time_ns), by_ns);
	assert_int_equal(fit_best(fit, time_ns, N, 1), FAMILY_EMPIRICAL);
	for (enum family f = FAMILY_NORMAL; f < FAMILIES; f++)
		assert_true(fit[f].distance > .2 && fit[f].p < FIT_P);
	fit_bins(bin, FAMILY_EMPIRICAL, fit, time_ns, N);
	assert_true(fabs(mean_of(bin, FIT_BINS) - mean_of(time_ns, N)) < 1);
	assert_true(bin[FIT_BINS / 2 - 1] < 1101 && bin[FIT_BINS / 2] > 8999);
	fit_bins(bin, FAMILY_EMPIRICAL, fit, time_ns, 3); /* less times than bins */
	assert_int_equal(bin[0], time_ns[0]);
}

/* Tasks of 1000 first on each of two workers, of 100 .. 106 then; one that waits takes what it
 * took. */
BUILT_TEST(test_first_ones_apart)
{
	static const struct changes none;
	static char text[65536];
	struct graph graph;
	struct fits fits;
	uint64_t free_ns[2] = { 0, 0 }, sum = 0, drawn = 0;
	size_t n = (size_t)snprintf(text, sizeof(text),
				    "tptrace text 2\nclock ns\nruntime 0 name=x version=x "
				    "workers=3\nsite 1 name=t file=t.c line=1\n0 w2 root 2.1\n");

	for (int i = 0; i < 200; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "0 w2 create 2.%d site=1\n0 w2 resume 2.1\n", i + 2);
	for (int i = 0; i < 200; i++) {
		int worker = i % 2;
		uint64_t length = i < 2 ? 1000 : 100 + (uint64_t)i % 7;

		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%llu w%d begin 2.%d\n%llu w%d end\n",
				      (unsigned long long)free_ns[worker], worker, i + 2,
				      (unsigned long long)(free_ns[worker] + length), worker);
		free_ns[worker] += length;
		sum += i < 2 ? 0 : length;
	}
	snprintf(text + n, sizeof(text) - n, "%llu w2 end\n",
		 (unsigned long long)free_ns[0] + 9000);
	build(text);
	graph_build(&graph, &dag, &none);
	fits_build(&fits, &graph, 1);
	for (uint32_t g = 0; g < fits.n; g++) {
		const struct fit_group *group = &fits.group[g];

		if (group->end != STEP_ENDS)
			continue;
		assert_int_equal(group->n, 198);
		assert_int_equal(group->sum_ns, sum);
		assert_int_equal(group->n_first, 2);
		assert_int_equal(group->first_sum_ns, 2000);
		for (strand_id s = 0; s < 20000; s++) {
			uint64_t ns = group->bin[(uint64_t)s * FIT_BINS / 20000];

			drawn += ns;
			assert_true(ns >= 50 && ns <= 160);
		}
		assert_near((double)drawn / 20000, (double)sum / 198, .01);
	}
	assert_true(drawn > 0);
	for (strand_id s = 0; s < graph.n_steps; s++) {
		uint32_t group = fits_group(&fits, s);

		if (group == UINT32_MAX || fits.group[group].end != STEP_ENDS)
			continue;
		assert_int_equal(fits_draw(&fits, group, s, true, 3), 1000);
		assert_int_equal(fits_draw(&fits, group, s, false, 3),
				 fits_draw(&fits, group, s, false, 3));
		assert_true(fits_draw(&fits, group, s, false, 3) < 200);
	}
	fits_free(&fits);
	graph_free(&graph);
}
