/* SPDX-License-Identifier: MIT */
/*
 * squares.h - least squares with few terms and no negative coefficient.
 *
 * y is told by a sum of at most SQUARES_TERMS columns.  Every choice of columns is tried, each
 * solved by Gram-Schmidt; those with a coefficient below 0 do not count.  So the result is the best
 * one of its number of terms, which an L1 penalty only approximates.  Errors are weighted by row.
 */
#pragma once

#include <stdbool.h>

#define SQUARES_TERMS 4u
#define SQUARES_COLUMNS 12u
#define SQUARES_ROWS 1024u

struct squares {
	unsigned n_rows, n_columns;
	const double *column[SQUARES_COLUMNS]; /* n_rows each; borrowed */
	const double *y, *weight;	       /* n_rows */
};

struct squares_fit {
	unsigned n, column[SQUARES_TERMS];
	double c[SQUARES_TERMS]; /* above 0; 0 if y is told without it, but for rounding */
	double rms;		 /* of weight * error */
};

/* The best of all choices of n columns; false if each has a coefficient below 0. */
bool squares_of(struct squares_fit *fit, const struct squares *in, unsigned n);

/*
 * The standard error of a factor of that column, were it a term of the fit as well; INFINITY if the
 * fit's terms tell it already.  Rows of no error have none.
 */
double squares_doubt(const struct squares_fit *fit, const struct squares *in, unsigned column);

/*
 * As few terms as tell y: another one has to take off a seventh of the error, and a thousandth of
 * the weighted y.  No more than `most`, and two fewer than rows; it may be no term at all.
 */
void squares_sparse(struct squares_fit *fit, const struct squares *in, unsigned most);
