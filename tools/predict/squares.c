/* SPDX-License-Identifier: MIT */
/* squares.c - tries all choices of columns. */
#include "tools/predict/squares.h"

#include <float.h>
#include <math.h>

#define TOO_ALIKE 1e-7 /* what is left of a column besides others, as a part of it */
#define ROUNDING 1e-9  /* of y: a term that is not there */
#define MUST_TAKE_OFF (1. / 7)
#define MATTERS 1e-3

static double dot(const double *a, const double *b, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

struct basis {
	double q[SQUARES_TERMS][SQUARES_ROWS]; /* orthogonal, of length 1 */
	double r[SQUARES_TERMS][SQUARES_TERMS];
	double left[SQUARES_ROWS]; /* of the weighted y */
	double along[SQUARES_TERMS];
};

/* Puts a weighted column into the basis; twice, as rounding leaves some of the others in it. */
static bool add_column(struct basis *basis, unsigned k, const struct squares *in, unsigned column)
{
	double *q = basis->q[k], length, was;
	unsigned n = in->n_rows;

	for (unsigned i = 0; i < n; i++)
		q[i] = in->column[column][i] * in->weight[i];
	was = sqrt(dot(q, q, n));
	for (unsigned j = 0; j < k; j++)
		basis->r[j][k] = 0;
	for (int again = 0; again < 2; again++)
		for (unsigned j = 0; j < k; j++) {
			double part = dot(basis->q[j], q, n);

			basis->r[j][k] += part;
			for (unsigned i = 0; i < n; i++)
				q[i] -= part * basis->q[j][i];
		}
	length = sqrt(dot(q, q, n));
	if (!(length > TOO_ALIKE * was))
		return false;
	basis->r[k][k] = length;
	for (unsigned i = 0; i < n; i++)
		q[i] /= length;
	return true;
}

/* Of the weighted column. */
static double length_of(const struct basis *basis, unsigned k)
{
	double squares = 0;

	for (unsigned j = 0; j <= k; j++)
		squares += basis->r[j][k] * basis->r[j][k];
	return sqrt(squares);
}

static bool solve(struct basis *basis, const struct squares *in, struct squares_fit *fit)
{
	unsigned n = in->n_rows;
	double all;

	for (unsigned i = 0; i < n; i++)
		basis->left[i] = in->y[i] * in->weight[i];
	all = sqrt(dot(basis->left, basis->left, n));
	for (unsigned k = 0; k < fit->n; k++) {
		if (!add_column(basis, k, in, fit->column[k]))
			return false;
		basis->along[k] = dot(basis->q[k], basis->left, n);
		for (unsigned i = 0; i < n; i++)
			basis->left[i] -= basis->along[k] * basis->q[k][i];
	}
	for (unsigned k = fit->n; k-- > 0;) {
		double c = basis->along[k];

		for (unsigned j = k + 1; j < fit->n; j++)
			c -= basis->r[k][j] * fit->c[j];
		fit->c[k] = c / basis->r[k][k];
		if (fabs(fit->c[k]) * length_of(basis, k) <= ROUNDING * all)
			fit->c[k] = 0;
		if (!(fit->c[k] >= 0))
			return false;
	}
	fit->rms = sqrt(dot(basis->left, basis->left, n) / n);
	return isfinite(fit->rms);
}

/* The next choice of n columns, in order; false after the last. */
static bool next_choice(unsigned *column, unsigned n, unsigned n_columns)
{
	for (unsigned k = n; k-- > 0;) {
		if (column[k] + n - k >= n_columns)
			continue;
		column[k]++;
		for (unsigned j = k + 1; j < n; j++)
			column[j] = column[j - 1] + 1;
		return true;
	}
	return false;
}

bool squares_of(struct squares_fit *fit, const struct squares *in, unsigned n)
{
	struct squares_fit at = { .n = n };
	struct basis basis;

	fit->rms = DBL_MAX;
	if (n > in->n_columns || n > SQUARES_TERMS || n > in->n_rows)
		return false;
	for (unsigned k = 0; k < n; k++)
		at.column[k] = k;
	do {
		if (solve(&basis, in, &at) && at.rms < fit->rms)
			*fit = at;
	} while (next_choice(at.column, n, in->n_columns));
	return fit->rms < DBL_MAX;
}

double squares_doubt(const struct squares_fit *fit, const struct squares *in, unsigned column)
{
	struct basis basis;
	unsigned k = 0;

	for (unsigned i = 0; i < fit->n; i++)
		if (fit->column[i] != column && add_column(&basis, k, in, fit->column[i]))
			k++;
	if (in->n_rows < k + 2 || k == SQUARES_TERMS || !add_column(&basis, k, in, column))
		return INFINITY;
	return fit->rms * sqrt((double)in->n_rows / (in->n_rows - k - 1)) / basis.r[k][k];
}

void squares_sparse(struct squares_fit *fit, const struct squares *in, unsigned most)
{
	struct squares_fit more;
	double y = 0;

	for (unsigned i = 0; i < in->n_rows; i++)
		y += in->y[i] * in->weight[i] * in->y[i] * in->weight[i];
	y = in->n_rows ? sqrt(y / in->n_rows) : 0;
	*fit = (struct squares_fit){ .rms = y };
	for (unsigned n = 1; n <= most && n + 2 <= in->n_rows; n++)
		if (squares_of(&more, in, n) && more.rms < fit->rms * (1 - MUST_TAKE_OFF) &&
		    fit->rms - more.rms > MATTERS * y)
			*fit = more;
}
