/* SPDX-License-Identifier: MIT */
/* qr.c - A = Q R of a matrix of N x N tiles, by LAPACK's kernels [Buttari et al. 2009]. */
#define PORT_SIZE 8
#define PORT_SMALL 2
#include "test/bench/tiles/tiles.h"

#define INNER 32 /* columns that one block of reflectors has */

extern void dgeqrt_(const int *m, const int *n, const int *nb, double *a, const int *lda, double *t,
		    const int *ldt, double *work, int *info);
extern void dgemqrt_(const char *side, const char *trans, const int *m, const int *n, const int *k,
		     const int *nb, const double *v, const int *ldv, const double *t,
		     const int *ldt, double *c, const int *ldc, double *work, int *info, size_t,
		     size_t);
extern void dtpqrt_(const int *m, const int *n, const int *l, const int *nb, double *a,
		    const int *lda, double *b, const int *ldb, double *t, const int *ldt,
		    double *work, int *info);
extern void dtpmqrt_(const char *side, const char *trans, const int *m, const int *n, const int *k,
		     const int *l, const int *nb, const double *v, const int *ldv, const double *t,
		     const int *ldt, double *a, const int *lda, double *b, const int *ldb,
		     double *work, int *info, size_t, size_t);

TILES_KERNEL(geqrt)
TILES_KERNEL(ormqr)
TILES_KERNEL(tsqrt)
TILES_KERNEL(tsmqr)

static const int wide = TILE, inner = INNER, none = 0;

static void geqrt(const struct call *of)
{
	double work[INNER * TILE];
	int info;

	dgeqrt_(&wide, &wide, &inner, of->w0->at, &wide, of->w0->t, &wide, work, &info);
	bots_check(info == 0, "an argument of dgeqrt");
}

static void ormqr(const struct call *of)
{
	double work[INNER * TILE];
	int info;

	dgemqrt_("L", "T", &wide, &wide, &wide, &inner, of->r0->at, &wide, of->r0->t, &wide,
		 of->w0->at, &wide, work, &info, 1, 1);
	bots_check(info == 0, "an argument of dgemqrt");
}

static void tsqrt(const struct call *of)
{
	double work[INNER * TILE];
	int info;

	dtpqrt_(&wide, &wide, &none, &inner, of->w0->at, &wide, of->w1->at, &wide, of->w1->t, &wide,
		work, &info);
	bots_check(info == 0, "an argument of dtpqrt");
}

static void tsmqr(const struct call *of)
{
	double work[INNER * TILE];
	int info;

	dtpmqrt_("L", "T", &wide, &wide, &wide, &none, &inner, of->r0->at, &wide, of->r0->t, &wide,
		 of->w0->at, &wide, of->w1->at, &wide, work, &info, 1, 1);
	bots_check(info == 0, "an argument of dtpmqrt");
}

static struct call call_of(struct tile *w0, struct tile *w1, struct tile *r0)
{
	struct call call = { w0, w1, r0, r0 };

	return call;
}

/* What ormqr reads of a diagonal tile is below its diagonal: tsqrt may write above meanwhile. */
static void factorise(struct tile *a, long n)
{
	PORT_OPEN(group);
	for (long k = 0; k < n; k++) {
		struct tile *akk = &a[k * n + k];

		TILES_INSERT(geqrt, &akk->whole, &akk->lower, &akk->lower, &akk->lower,
			     call_of(akk, akk, akk));
		for (long j = k + 1; j < n; j++) {
			struct tile *akj = &a[k * n + j];

			TILES_INSERT(ormqr, &akj->whole, &akj->whole, &akk->lower, &akk->lower,
				     call_of(akj, akj, akk));
		}
		for (long i = k + 1; i < n; i++) {
			struct tile *aik = &a[i * n + k];

			TILES_INSERT(tsqrt, &akk->whole, &aik->whole, &aik->lower, &aik->lower,
				     call_of(akk, aik, aik));
			for (long j = k + 1; j < n; j++) {
				struct tile *akj = &a[k * n + j], *aij = &a[i * n + j];

				TILES_INSERT(tsmqr, &akj->whole, &aij->whole, &aik->whole,
					     &aik->whole, call_of(akj, aij, aik));
			}
		}
	}
	PORT_WAIT(group);
	PORT_CLOSE(group);
}

/* R x is as long as A x, for one x. */
static void check(struct tile *a, long n, const double *x, double length)
{
	long side = n * TILE;
	double sum = 0;

	for (long i = 0; i < side; i++) {
		double y = 0;

		for (long j = i; j < side; j++)
			y += *element(a, n, i, j) * x[j];
		sum += y * y;
	}
	bots_check(fabs(sum - length) < 1e-9 * length, "the length of R x");
}

static long port_program(long size, long *n_tasks)
{
	struct tile *a = tiles_open(size);
	long side = size * TILE;
	double *x = (double *)bots_alloc((size_t)side, sizeof(*x)), length = 0;
	unsigned state = 11;

	for (long i = 0; i < side; i++)
		x[i] = bots_random(&state) % 2;
	for (long i = 0; i < side; i++) {
		double ax = 0;

		for (long j = 0; j < side; j++) {
			double value = (double)bots_random(&state) / (1 << 23) - 1;

			*element(a, size, i, j) = value;
			ax += value * x[j];
		}
		length += ax * ax;
	}
	n_inserted = 0;
	factorise(a, size);
	check(a, size, x, length);
	*n_tasks = n_inserted;
	free(x);
	tiles_close(a, size);
	return size;
}
