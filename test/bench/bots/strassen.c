/* SPDX-License-Identifier: MIT */
/*
 * strassen.c - the product of two N x N matrices by seven products of their quarters
 * [Strassen 1969], a task each for the first CUT_OFF levels; of BASE x BASE, by the definition.
 */
#define PORT_SIZE 1024
#define PORT_SMALL 128
#include "test/bench/bots/bots.h"

#include <math.h>

#define CUT_OFF 3
#define BASE 64

struct product {
	struct port_task task;
	const double *a, *b; /* of n rows, lda and ldb apart */
	double *c;	     /* as wide as it is high */
	long n, lda, ldb, n_tasks;
	int level;
};
PORT_BODY(product, struct product)

/* Which quarters make the factors of the seven: 0 to 3 by rows, and one that is added or not. */
static const signed char left_of[7][3] = { { 0, 3, 1 }, { 2, 3, 1 },  { 0, 0, 0 }, { 3, 0, 0 },
					   { 0, 1, 1 }, { 2, 0, -1 }, { 1, 3, -1 } };
static const signed char right_of[7][3] = { { 0, 3, 1 }, { 0, 0, 0 }, { 1, 3, -1 }, { 2, 0, -1 },
					    { 3, 0, 0 }, { 0, 1, 1 }, { 2, 3, 1 } };

static void multiply(const struct product *at)
{
	long n = at->n;

	memset(at->c, 0, (size_t)(n * n) * sizeof(*at->c));
	for (long i = 0; i < n; i++)
		for (long k = 0; k < n; k++) {
			double a = at->a[i * at->lda + k];

			for (long j = 0; j < n; j++)
				at->c[i * n + j] += a * at->b[k * at->ldb + j];
		}
}

static const double *quarter(const double *m, long n, long ld, int which)
{
	return m + (which / 2) * n * ld + (which % 2) * n;
}

/* One quarter, or the sum or difference of two, which goes to `to`; where it is and how wide. */
static const double *factor(const double *m, long n, long *ld, const signed char *of, double *to)
{
	const double *p = quarter(m, n, *ld, of[0]), *q = quarter(m, n, *ld, of[1]);

	if (of[2] == 0)
		return p;
	for (long i = 0; i < n; i++)
		for (long j = 0; j < n; j++)
			to[i * n + j] = p[i * *ld + j] + of[2] * q[i * *ld + j];
	*ld = n;
	return to;
}

static void put_together(double *c, const struct product *part, long n)
{
	long wide = 2 * n;

	for (long i = 0; i < n; i++)
		for (long j = 0; j < n; j++) {
			double m[7];

			for (int p = 0; p < 7; p++)
				m[p] = part[p].c[i * n + j];
			c[i * wide + j] = m[0] + m[3] - m[4] + m[6];
			c[i * wide + j + n] = m[2] + m[4];
			c[(i + n) * wide + j] = m[1] + m[3];
			c[(i + n) * wide + j + n] = m[0] - m[1] + m[2] + m[5];
		}
}

static void product(struct product *at)
{
	struct product part[7];
	long n = at->n / 2;
	double *room;

	if (at->n <= BASE) {
		multiply(at);
		return;
	}
	PORT_OPEN(group);
	room = (double *)bots_alloc((size_t)(21 * n * n), sizeof(*room));
	memset(part, 0, sizeof(part));
	for (int p = 0; p < 7; p++) {
		double *own = room + 3 * p * n * n;

		part[p].n = n;
		part[p].level = at->level + 1;
		part[p].c = own;
		part[p].lda = at->lda;
		part[p].ldb = at->ldb;
		part[p].a = factor(at->a, n, &part[p].lda, left_of[p], own + n * n);
		part[p].b = factor(at->b, n, &part[p].ldb, right_of[p], own + 2 * n * n);
		if (at->level < CUT_OFF)
			PORT_CREATE(group, product, &part[p]);
		else
			product(&part[p]);
	}
	if (at->level < CUT_OFF) {
		PORT_WAIT(group);
		at->n_tasks = 7;
	}
	for (int p = 0; p < 7; p++)
		at->n_tasks += part[p].n_tasks;
	put_together(at->c, part, n);
	free(room);
	PORT_CLOSE(group);
}

/* c x = a (b x) for a vector [Freivalds 1977]. */
static void check(const double *a, const double *b, const double *c, long n)
{
	double *x = (double *)bots_alloc(3 * (size_t)n, sizeof(*x)), *bx = x + n, *cx = x + 2 * n;
	unsigned state = 9;

	for (long i = 0; i < n; i++)
		x[i] = bots_random(&state) % 2;
	for (long i = 0; i < n; i++)
		for (long j = 0; j < n; j++) {
			bx[i] += b[i * n + j] * x[j];
			cx[i] += c[i * n + j] * x[j];
		}
	for (long i = 0; i < n; i++) {
		for (long j = 0; j < n; j++)
			cx[i] -= a[i * n + j] * bx[j];
		bots_check(fabs(cx[i]) < 1e-9 * (double)(n * n), "a row of the product");
	}
	free(x);
}

static long port_program(long size, long *n_tasks)
{
	double *a, *b, *c;
	struct product all;
	unsigned state = 5;
	long n = 2, result;

	while (n < size)
		n *= 2;
	a = (double *)bots_alloc(3 * (size_t)(n * n), sizeof(*a));
	b = a + n * n;
	c = b + n * n;
	for (long i = 0; i < 2 * n * n; i++)
		a[i] = (double)bots_random(&state) / (1 << 24);
	memset(&all, 0, sizeof(all));
	all.a = a;
	all.b = b;
	all.c = c;
	all.n = all.lda = all.ldb = n;
	product(&all);
	check(a, b, c, n);
	result = bots_hash(c, (size_t)(n * n) * sizeof(*c));
	*n_tasks = all.n_tasks;
	free(a);
	return result;
}
