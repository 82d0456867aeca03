/* SPDX-License-Identifier: MIT */
/*
 * fft.c - the Fourier transform of 2^N complex numbers, by decimation in time with radix 16
 * [Cooley and Tukey 1965]: sixteen transforms of each 16th number, a task each, and a transform
 * of 16 for each of their elements, in tasks of 128.
 */
#define PORT_SIZE 21
#define PORT_SMALL 12
#include "test/bench/bots/bots.h"

#include <math.h>

#define RADIX 16
#define CUT_OFF 256 /* points of a transform that is one task's */
#define CHUNK 128   /* elements that one task combines */

struct complex_number {
	double re, im;
};

struct transform {
	struct port_task task;
	struct complex_number *from, *to; /* every stride-th of n_all / stride numbers */
	long n, stride, n_tasks;
};
PORT_BODY(transform, struct transform)

struct combine {
	struct port_task task;
	const struct transform *of;
	struct complex_number *part; /* RADIX transforms of n / RADIX */
	long begin, end, n_tasks;
};
PORT_BODY(combine, struct combine)

static struct complex_number *fft_root; /* exp(-2 pi i k / fft_n) */
static long fft_n;

static struct complex_number times(struct complex_number a, struct complex_number b)
{
	struct complex_number c = { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };

	return c;
}

/* In place, of n = 2^k numbers that stand in bit-reversed order. */
static void butterflies(struct complex_number *x, long n)
{
	for (long half = 1; half < n; half *= 2)
		for (long at = 0; at < n; at += 2 * half)
			for (long k = 0; k < half; k++) {
				struct complex_number *a = &x[at + k], *b = a + half;
				struct complex_number t =
					times(*b, fft_root[k * (fft_n / (2 * half))]);

				b->re = a->re - t.re;
				b->im = a->im - t.im;
				a->re += t.re;
				a->im += t.im;
			}
}

static long reversed(long k, long n)
{
	long r = 0;

	for (; n > 1; n /= 2, k /= 2)
		r = r * 2 + k % 2;
	return r;
}

static void transform_alone(const struct transform *at)
{
	for (long k = 0; k < at->n; k++)
		at->to[reversed(k, at->n)] = at->from[k * at->stride];
	butterflies(at->to, at->n);
}

/* Output k, k + m, k + 2 m .. are the transform of the parts' k-th elements, each turned. */
static void combine_some(const struct combine *at)
{
	long m = at->of->n / RADIX;
	struct complex_number x[RADIX];

	for (long k = at->begin; k < at->end; k++) {
		for (long i = 0; i < RADIX; i++)
			x[reversed(i, RADIX)] =
				times(at->part[i * m + k], fft_root[i * k * (fft_n / at->of->n)]);
		butterflies(x, RADIX);
		for (long i = 0; i < RADIX; i++)
			at->of->to[i * m + k] = x[i];
	}
}

static void combine_of(struct combine *at, const struct combine *all, long begin, long end)
{
	*at = *all;
	memset(&at->task, 0, sizeof(at->task));
	at->begin = begin;
	at->end = end;
	at->n_tasks = 0;
}

static void combine(struct combine *at)
{
	long middle = (at->begin + at->end) / 2;
	struct combine half[2];

	if (at->end - at->begin <= CHUNK) {
		combine_some(at);
		return;
	}
	PORT_OPEN(group);
	combine_of(&half[0], at, at->begin, middle);
	combine_of(&half[1], at, middle, at->end);
	PORT_CREATE(group, combine, &half[0]);
	PORT_CREATE(group, combine, &half[1]);
	PORT_WAIT(group);
	at->n_tasks = 2 + half[0].n_tasks + half[1].n_tasks;
	PORT_CLOSE(group);
}

static void transform(struct transform *at)
{
	struct transform part[RADIX];
	long m = at->n / RADIX;
	struct combine all;

	if (at->n <= CUT_OFF) {
		transform_alone(at);
		return;
	}
	PORT_OPEN(group);
	memset(part, 0, sizeof(part));
	memset(&all, 0, sizeof(all));
	all.of = at;
	all.end = m;
	all.part = (struct complex_number *)bots_alloc((size_t)at->n, sizeof(*all.part));
	for (long i = 0; i < RADIX; i++) {
		part[i].from = at->from + i * at->stride;
		part[i].to = all.part + i * m;
		part[i].n = m;
		part[i].stride = at->stride * RADIX;
		PORT_CREATE(group, transform, &part[i]);
	}
	PORT_WAIT(group);
	combine(&all);
	at->n_tasks = RADIX + all.n_tasks;
	for (long i = 0; i < RADIX; i++)
		at->n_tasks += part[i].n_tasks;
	free(all.part);
	PORT_CLOSE(group);
}

/* One number of the transform by its definition, and all of them by their sum of squares. */
static void check(const struct complex_number *from, const struct complex_number *to)
{
	struct complex_number seventh = { 0, 0 };
	double energy = 0;

	for (long k = 0; k < fft_n; k++) {
		struct complex_number t = times(from[k], fft_root[7 * k % fft_n]);

		seventh.re += t.re;
		seventh.im += t.im;
		energy += (from[k].re * from[k].re + from[k].im * from[k].im) * (double)fft_n;
		energy -= to[k].re * to[k].re + to[k].im * to[k].im;
	}
	bots_check(fabs(seventh.re - to[7].re) < 1e-6 * (double)fft_n, "its seventh number");
	bots_check(fabs(seventh.im - to[7].im) < 1e-6 * (double)fft_n, "its seventh number");
	bots_check(fabs(energy) < 1e-6 * (double)fft_n * (double)fft_n, "its energy");
}

static long port_program(long size, long *n_tasks)
{
	long n = 1L << (size < 4 ? 4 : size > 26 ? 26 : size), result;
	struct complex_number *x = (struct complex_number *)bots_alloc(3 * (size_t)n, sizeof(*x));
	struct transform all;
	unsigned state = 3;

	fft_n = n;
	fft_root = x + 2 * n;
	for (long k = 0; k < n; k++) {
		double angle = -2 * 3.14159265358979323846 * (double)k / (double)n;

		fft_root[k].re = cos(angle);
		fft_root[k].im = sin(angle);
		x[k].re = (double)bots_random(&state) / (1 << 23) - 1;
		x[k].im = (double)bots_random(&state) / (1 << 23) - 1;
	}
	memset(&all, 0, sizeof(all));
	all.from = x;
	all.to = x + n;
	all.n = n;
	all.stride = 1;
	transform(&all);
	check(x, x + n);
	result = bots_hash(x + n, (size_t)n * sizeof(*x));
	*n_tasks = all.n_tasks;
	free(x);
	return result;
}
