/* SPDX-License-Identifier: MIT */
/* recur.c - solves for a rule on the largest sizes, and tries it on the smaller ones. */
#include "tools/predict/recur.h"

#include <math.h>
#include <string.h>

#define PROOFS 2u /* counts that a rule must tell besides those that it was made from */
#define NEAR 1e-9
#define MOST_STEPS 4096
#define EXACT_MOST 9007199254740992. /* 2^53 */

static bool near(double x, double y)
{
	return fabs(x - y) <= NEAR * fmax(fabs(x), fabs(y));
}

/* How many of the last sizes are at equal distances, or ratios. */
static unsigned lattice(const double *n, unsigned count, bool is_ratio, double *step)
{
	unsigned i = count - 1;

	*step = is_ratio ? n[i] / n[i - 1] : n[i] - n[i - 1];
	while (i > 0 && near(is_ratio ? n[i] / n[i - 1] : n[i] - n[i - 1], *step))
		i--;
	return count - i;
}

/* Solves A x = y of that many rows by elimination; false if it cannot be. */
static bool solve(double a[3][4], unsigned rows, double *x)
{
	for (unsigned k = 0; k < rows; k++) {
		unsigned best = k;
		double room[4];

		for (unsigned i = k + 1; i < rows; i++)
			best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
		if (fabs(a[best][k]) < NEAR)
			return false;
		memcpy(room, a[k], sizeof(room));
		memcpy(a[k], a[best], sizeof(room));
		memcpy(a[best], room, sizeof(room));
		for (unsigned i = k + 1; i < rows; i++)
			for (unsigned j = 4; j-- > k;)
				a[i][j] -= a[k][j] * (a[i][k] / a[k][k]);
	}
	for (unsigned k = rows; k-- > 0;) {
		x[k] = a[k][3];
		for (unsigned j = k + 1; j < rows; j++)
			x[k] -= a[k][j] * x[j];
		x[k] /= a[k][k];
	}
	return true;
}

/* Factors of exact rules of counts are whole numbers, nearly always; rounding blurs them. */
static double whole(double x)
{
	return fabs(x - round(x)) < 1e-4 ? round(x) : x;
}

static double next_of(const struct recur *recur, double last, double before)
{
	return recur->a * last + recur->b * before + recur->d;
}

/* Whether the rule tells all of the counts from the third on. */
static bool holds(const struct recur *recur, const double *y, unsigned count)
{
	for (unsigned i = 2; i < count; i++)
		if (fabs(next_of(recur, y[i - 1], y[i - 2]) - y[i]) > 1e-6 * fmax(1, y[i]))
			return false;
	return true;
}

/* The rule with or without b and d that the last counts make. */
static bool make(struct recur *recur, const double *y, unsigned count, bool b, bool d)
{
	unsigned unknown = 1u + b + d;
	double a[3][4] = { { 0 } }, x[3] = { 0 };

	if (count < 2 + unknown + PROOFS)
		return false;
	for (unsigned i = 0; i < unknown; i++) {
		const double *at = &y[count - 1 - i];

		a[i][0] = at[-1];
		if (b)
			a[i][1] = at[-2];
		if (d)
			a[i][1 + b] = 1;
		a[i][3] = at[0];
	}
	if (!solve(a, unknown, x))
		return false;
	recur->a = whole(x[0]);
	recur->b = b ? whole(x[1]) : 0;
	recur->d = d ? whole(x[1 + b]) : 0;
	return holds(recur, y, count);
}

/* ---- c(n) = m c(n / m) + b n + d ---- */

static double divided(const struct recur *recur, double part, double n)
{
	return pow(recur->step, recur->back) * part + recur->b * n + recur->d;
}

/* b and d from the last two counts; the others are proofs. */
static bool divides(struct recur *recur, const double *n, const double *y, unsigned count,
		    unsigned back)
{
	double m = pow(recur->step, back), left[2];

	if (count < back + 2 + PROOFS)
		return false;
	for (unsigned i = 0; i < 2; i++)
		left[i] = y[count - 1 - i] - m * y[count - 1 - i - back];
	recur->back = back;
	recur->b = (left[0] - left[1]) / (n[count - 1] - n[count - 2]);
	recur->d = whole(left[0] - recur->b * n[count - 1]);
	if (recur->b < 0)
		return false;
	for (unsigned i = back; i < count; i++)
		if (fabs(divided(recur, y[i - back], n[i]) - y[i]) > 1e-6 * fmax(1, y[i]))
			return false;
	for (unsigned i = 0; i < back; i++)
		recur->row[i] = y[count - 1 - i];
	return true;
}

static bool find_division(struct recur *recur, const double *n, const double *y, unsigned count)
{
	for (unsigned back = 1; back <= RECUR_BACK; back++)
		if (divides(recur, n, y, count, back))
			return true;
	recur->back = 0;
	return false;
}

static double next_division(struct recur *recur, double n)
{
	double next = divided(recur, recur->row[recur->back - 1], n);

	memmove(&recur->row[1], &recur->row[0], (recur->back - 1) * sizeof(recur->row[0]));
	return recur->row[0] = next;
}

/* ---- both ---- */

static bool find_on(struct recur *recur, const double *n, const double *y, unsigned count,
		    bool is_ratio)
{
	unsigned some = lattice(n, count, is_ratio, &recur->step);

	y += count - some;
	recur->is_ratio = is_ratio;
	recur->n = n[count - 1];
	recur->last = y[some - 1];
	recur->before = y[some - 2];
	if (y[0] == recur->last) /* a constant is no rule */
		return false;
	return make(recur, y, some, false, false) || make(recur, y, some, false, true) ||
	       make(recur, y, some, true, false) || make(recur, y, some, true, true) ||
	       (is_ratio && find_division(recur, n + count - some, y, some));
}

bool recur_find(struct recur *recur, const double *n, const double *y, unsigned count)
{
	*recur = (struct recur){ 0 };
	if (count < 3)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (y[i] != round(y[i]) || y[i] > EXACT_MOST)
			return false;
	return find_on(recur, n, y, count, false) || find_on(recur, n, y, count, true);
}

double recur_at(const struct recur *recur, double n)
{
	double steps = recur->is_ratio ? log(n / recur->n) / log(recur->step)
				       : (n - recur->n) / recur->step;
	double last = recur->last, before = recur->before;
	struct recur row = *recur;

	if (fabs(steps - round(steps)) > 1e-6 || steps > MOST_STEPS || steps < -0.5)
		return NAN;
	for (int i = 0; i < (int)round(steps); i++) {
		double next = recur->back ? next_division(&row, recur->n * pow(recur->step, i + 1))
					  : next_of(recur, last, before);

		before = last;
		last = next;
	}
	return last <= EXACT_MOST ? round(last) : last;
}
