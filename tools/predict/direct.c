/* SPDX-License-Identifier: MIT */
/* direct.c - regression of elapsed time. */
#include "tools/predict/direct.h"

#include <math.h>
#include <stdio.h>

#include "tools/predict/law.h"

#define TERMS 12u
#define MOST_TERMS 3u

static double term_at(unsigned term, double n, double p)
{
	double l = n > 1 ? log2(n) : 0;
	const double of_n[] = { 1, n, n * l, n * n, n * n * l, n * n * n };

	return of_n[term / 2] / (term % 2 ? p : 1);
}

static bool fit_sum(struct direct *direct, const struct sample *sample, unsigned n)
{
	static _Thread_local double column[TERMS][SQUARES_ROWS], y[SQUARES_ROWS], w[SQUARES_ROWS];
	struct squares in = { .n_rows = n, .n_columns = TERMS, .y = y, .weight = w };

	for (unsigned k = 0; k < TERMS; k++)
		in.column[k] = column[k];
	for (unsigned i = 0; i < n; i++) {
		y[i] = sample[i].elapsed_ns;
		w[i] = 1 / y[i];
		for (unsigned k = 0; k < TERMS; k++)
			column[k][i] = term_at(k, sample[i].n, sample[i].p);
	}
	squares_sparse(&direct->sum, &in, MOST_TERMS);
	return direct->sum.n > 0;
}

/* Two regressors about their means; the second one may be the same in all runs. */
static bool fit_logs(struct direct *direct, const struct sample *sample, unsigned n)
{
	double f[3], mean[3] = { 0 }, s[3][3] = { { 0 } }, det;

	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < n; i++) {
			f[0] = direct->form == DIRECT_POWER ? log(sample[i].n) : sample[i].n;
			f[1] = log(sample[i].p);
			f[2] = log(sample[i].elapsed_ns);
			for (int j = 0; j < 3; j++)
				if (pass == 0)
					mean[j] += f[j] / n;
			for (int j = 0; pass && j < 3; j++)
				for (int k = 0; k < 3; k++)
					s[j][k] += (f[j] - mean[j]) * (f[k] - mean[k]);
		}
	det = s[0][0] * s[1][1] - s[0][1] * s[0][1];
	if (!(s[0][0] > 0))
		return false;
	if (det > 1e-9 * s[0][0] * s[1][1]) {
		direct->b = (s[0][2] * s[1][1] - s[1][2] * s[0][1]) / det;
		direct->c = (s[1][2] * s[0][0] - s[0][2] * s[0][1]) / det;
	} else {
		direct->b = s[0][2] / s[0][0];
		direct->c = 0;
	}
	direct->a = mean[2] - direct->b * mean[0] - direct->c * mean[1];
	return true;
}

static bool fit_form(struct direct *direct, enum direct_form form, const struct sample *sample,
		     unsigned n)
{
	*direct = (struct direct){ .form = form };
	if (form == DIRECT_GROWTH && sample[n - 1].n >= LAW_LARGEST)
		return false;
	return form == DIRECT_SUM ? fit_sum(direct, sample, n) : fit_logs(direct, sample, n);
}

bool direct_fit(struct direct *direct, const struct sample *sample, unsigned n_samples,
		unsigned n_held)
{
	unsigned n_train = n_samples - n_held;
	double least = INFINITY;
	enum direct_form best = DIRECT_FORMS;

	for (int form = 0; form < DIRECT_FORMS; form++) {
		double sum = 0;

		if (!fit_form(direct, (enum direct_form)form, sample, n_train))
			continue;
		for (unsigned i = n_train; i < n_samples; i++) {
			double told = direct_at(direct, sample[i].n, sample[i].p);

			sum += log(told / sample[i].elapsed_ns) * log(told / sample[i].elapsed_ns);
		}
		if (sum < least) {
			least = sum;
			best = (enum direct_form)form;
		}
	}
	return best < DIRECT_FORMS && fit_form(direct, best, sample, n_samples);
}

double direct_at(const struct direct *direct, double n, double p)
{
	double sum = 0;

	if (direct->form != DIRECT_SUM)
		return exp(direct->a + direct->b * (direct->form == DIRECT_POWER ? log(n) : n) +
			   direct->c * log(p));
	for (unsigned k = 0; k < direct->sum.n; k++)
		sum += direct->sum.c[k] * term_at(direct->sum.column[k], n, p);
	return sum;
}

void direct_text(const struct direct *direct, char *out, size_t room)
{
	static const char *const of_n[] = { "", " n", " n log n", " n^2", " n^2 log n", " n^3" };
	size_t n = 0;

	if (direct->form == DIRECT_POWER)
		snprintf(out, room, "%.4g ns n^%.4g p^%.3g", exp(direct->a), direct->b, direct->c);
	else if (direct->form == DIRECT_GROWTH)
		snprintf(out, room, "%.4g ns x %.5g^n p^%.3g", exp(direct->a), exp(direct->b),
			 direct->c);
	for (unsigned k = 0; direct->form == DIRECT_SUM && k < direct->sum.n && n < room; k++)
		n += (size_t)snprintf(out + n, room - n, "%s%.4g ns%s%s", k ? " + " : "",
				      direct->sum.c[k], of_n[direct->sum.column[k] / 2],
				      direct->sum.column[k] % 2 ? " / p" : "");
}
