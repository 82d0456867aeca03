/* SPDX-License-Identifier: MIT */
/*
 * direct.h - elapsed time regressed on n and p directly, to stand beside the model (trend.h).
 *
 * What one would do without traces.  Three forms, and the one that tells the held-out largest sizes
 * best:
 *
 *	sum	at most three of {1, n, n log n, n^2, n^2 log n, n^3} x {1, 1/p}, none below 0
 *	power	log T = a + b log n + c log p [Barnes et al.]
 *	growth	log T = a + b n + c log p; not for n of LAW_LARGEST and more
 */
#pragma once

#include "tools/predict/sample.h"
#include "tools/predict/squares.h"

enum direct_form { DIRECT_SUM, DIRECT_POWER, DIRECT_GROWTH, DIRECT_FORMS };

struct direct {
	enum direct_form form;
	struct squares_fit sum;
	double a, b, c;
};

/* Samples by n; the last n_held of them choose the form.  False if no form tells the rest. */
bool direct_fit(struct direct *direct, const struct sample *sample, unsigned n_samples,
		unsigned n_held);
double direct_at(const struct direct *direct, double n, double p); /* ns */
/* "T = 3 ns n^2 / p + 5 ns n" */
void direct_text(const struct direct *direct, char *out, size_t room);
