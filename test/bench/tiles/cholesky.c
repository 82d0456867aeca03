/* SPDX-License-Identifier: MIT */
/* cholesky.c - A = L L^T of a matrix of N x N tiles, by LAPACK's and BLAS's kernels. */
#define PORT_SIZE 12
#define PORT_SMALL 3
#include "test/bench/tiles/tiles.h"

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
extern void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag,
		   const int *m, const int *n, const double *alpha, const double *a, const int *lda,
		   double *b, const int *ldb, size_t, size_t, size_t, size_t);
extern void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k,
		   const double *alpha, const double *a, const int *lda, const double *beta,
		   double *c, const int *ldc, size_t, size_t);
extern void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
		   const double *alpha, const double *a, const int *lda, const double *b,
		   const int *ldb, const double *beta, double *c, const int *ldc, size_t, size_t);

TILES_KERNEL(potrf)
TILES_KERNEL(trsm)
TILES_KERNEL(syrk)
TILES_KERNEL(gemm)

static const int wide = TILE;
static const double one = 1, minus_one = -1;

static void potrf(const struct call *of)
{
	int info;

	dpotrf_("L", &wide, of->w0->at, &wide, &info, 1);
	bots_check(info == 0, "not positive definite");
}

static void trsm(const struct call *of)
{
	dtrsm_("R", "L", "T", "N", &wide, &wide, &one, of->r0->at, &wide, of->w0->at, &wide, 1, 1,
	       1, 1);
}

static void syrk(const struct call *of)
{
	dsyrk_("L", "N", &wide, &wide, &minus_one, of->r0->at, &wide, &one, of->w0->at, &wide, 1,
	       1);
}

static void gemm(const struct call *of)
{
	dgemm_("N", "T", &wide, &wide, &wide, &minus_one, of->r0->at, &wide, of->r1->at, &wide,
	       &one, of->w0->at, &wide, 1, 1);
}

static struct call call_of(struct tile *w0, struct tile *r0, struct tile *r1)
{
	struct call call = { w0, w0, r0, r1 };

	return call;
}

static void factorise(struct tile *a, long n)
{
	PORT_OPEN(group);
	for (long k = 0; k < n; k++) {
		struct tile *akk = &a[k * n + k];

		TILES_INSERT(potrf, &akk->whole, &akk->whole, &akk->lower, &akk->lower,
			     call_of(akk, akk, akk));
		for (long i = k + 1; i < n; i++) {
			struct tile *aik = &a[i * n + k];

			TILES_INSERT(trsm, &aik->whole, &aik->whole, &akk->whole, &akk->whole,
				     call_of(aik, akk, akk));
		}
		for (long i = k + 1; i < n; i++) {
			struct tile *aik = &a[i * n + k], *aii = &a[i * n + i];

			TILES_INSERT(syrk, &aii->whole, &aii->whole, &aik->whole, &aik->whole,
				     call_of(aii, aik, aik));
			for (long j = k + 1; j < i; j++) {
				struct tile *ajk = &a[j * n + k], *aij = &a[i * n + j];

				TILES_INSERT(gemm, &aij->whole, &aij->whole, &aik->whole,
					     &ajk->whole, call_of(aij, aik, ajk));
			}
		}
	}
	PORT_WAIT(group);
	PORT_CLOSE(group);
}

/* L (L^T x) is A x, for one x. */
static void check(struct tile *a, long n, const double *x, const double *ax)
{
	long side = n * TILE;
	double *y = (double *)bots_alloc((size_t)side, sizeof(*y));

	for (long i = 0; i < side; i++)
		for (long j = 0; j <= i; j++)
			y[j] += *element(a, n, i, j) * x[i];
	for (long i = 0; i < side; i++) {
		double sum = 0;

		for (long j = 0; j <= i; j++)
			sum += *element(a, n, i, j) * y[j];
		bots_check(fabs(sum - ax[i]) < 1e-8 * (double)side * (double)side,
			   "a row of L L^T");
	}
	free(y);
}

static long port_program(long size, long *n_tasks)
{
	struct tile *a = tiles_open(size);
	long side = size * TILE;
	double *x = (double *)bots_alloc(2 * (size_t)side, sizeof(*x)), *ax = x + side;
	unsigned state = 7;

	for (long i = 0; i < side; i++)
		x[i] = bots_random(&state) % 2;
	for (long i = 0; i < side; i++)
		for (long j = 0; j <= i; j++) {
			double value = (double)bots_random(&state) / (1 << 24) + (i == j) * side;

			*element(a, size, i, j) = value;
			ax[i] += value * x[j];
			ax[j] += i == j ? 0 : value * x[i];
		}
	n_inserted = 0;
	factorise(a, size);
	check(a, size, x, ax);
	*n_tasks = n_inserted;
	free(x);
	tiles_close(a, size);
	return size;
}
