/* SPDX-License-Identifier: MIT */
/* cholesky.c - A = L L^T by tiles, a task each, with what it reads and writes: README's picture. */
#include <math.h>
#include <stdio.h>

#define N 5 /* tiles a side */
#define B 96

typedef double tile[B][B];

static tile a[N][N];

static void potrf(tile *c)
{
#pragma omp task depend(inout : *c)
	for (int j = 0; j < B; j++)
		for (int i = j; i < B; i++) {
			double sum = (*c)[i][j];

			for (int k = 0; k < j; k++)
				sum -= (*c)[i][k] * (*c)[j][k];
			(*c)[i][j] = i == j ? sqrt(sum) : sum / (*c)[j][j];
		}
}

static void trsm(tile *l, tile *c)
{
#pragma omp task depend(in : *l) depend(inout : *c)
	for (int i = 0; i < B; i++)
		for (int j = 0; j < B; j++) {
			double sum = (*c)[i][j];

			for (int k = 0; k < j; k++)
				sum -= (*c)[i][k] * (*l)[j][k];
			(*c)[i][j] = sum / (*l)[j][j];
		}
}

/* C -= X Y^T */
static void multiply(tile *x, tile *y, tile *c)
{
	for (int i = 0; i < B; i++)
		for (int j = 0; j < B; j++)
			for (int k = 0; k < B; k++)
				(*c)[i][j] -= (*x)[i][k] * (*y)[j][k];
}

static void syrk(tile *x, tile *c)
{
#pragma omp task depend(in : *x) depend(inout : *c)
	multiply(x, x, c);
}

static void gemm(tile *x, tile *y, tile *c)
{
#pragma omp task depend(in : *x, *y) depend(inout : *c)
	multiply(x, y, c);
}

static void factorise(void)
{
	for (int k = 0; k < N; k++) {
		potrf(&a[k][k]);
		for (int i = k + 1; i < N; i++)
			trsm(&a[k][k], &a[i][k]);
		for (int i = k + 1; i < N; i++) {
			for (int j = k + 1; j < i; j++)
				gemm(&a[i][k], &a[j][k], &a[i][j]);
			syrk(&a[i][k], &a[i][i]);
		}
	}
}

int main(void)
{
	for (int i = 0; i < N * B; i++)
		for (int j = 0; j <= i; j++)
			a[i / B][j / B][i % B][j % B] = i == j ? 2 * N * B : 1.0 / (1 + i - j);
#pragma omp parallel
#pragma omp single
	factorise();
	printf("%.3f\n", a[N - 1][N - 1][B - 1][B - 1]);
	return 0;
}
