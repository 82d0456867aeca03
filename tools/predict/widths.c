/* SPDX-License-Identifier: MIT */
/* widths.c - shapes of runs, stretched. */
#include "tools/predict/widths.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PER_OCTAVE 64.

const char *const widths_way_name[WIDTHS_WAYS] = { "every width times a factor",
						   "every width to a power, serial parts stay" };

int widths_make(struct widths *widths, const struct width *at, unsigned n)
{
	widths->n = n;
	widths->at = malloc((n + 1) * sizeof(*at));
	if (!widths->at)
		return -ENOMEM;
	if (n)
		memcpy(widths->at, at, n * sizeof(*at));
	return 0;
}

/* Adds up steps that are nearly as wide. */
int widths_of(struct widths *widths, const struct potential *potential)
{
	struct width *at = malloc(WIDTHS_STEPS * sizeof(*at));
	double bin = -1;

	*widths = (struct widths){ .at = at };
	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < POTENTIAL_WORKERS; i++) {
		const struct potential_step *step = &potential->step[i];
		double k = step->ns > 0 ? fmax(1, step->area / step->ns) : 1;

		if (!(step->ns > 0))
			continue;
		if (widths->n &&
		    (floor(log2(k) * PER_OCTAVE) == bin || widths->n == WIDTHS_STEPS)) {
			struct width *last = &at[widths->n - 1];

			last->k = (last->k * last->ns + k * step->ns) / (last->ns + step->ns);
			last->ns += step->ns;
			continue;
		}
		bin = floor(log2(k) * PER_OCTAVE);
		at[widths->n++] = (struct width){ k, step->ns };
	}
	return 0;
}

void widths_free(struct widths *widths)
{
	free(widths->at);
	*widths = (struct widths){ 0 };
}

static double area(const struct widths *widths, double power)
{
	double sum = 0;

	for (unsigned i = 0; i < widths->n; i++)
		sum += widths->at[i].ns * pow(widths->at[i].k, power);
	return sum;
}

double widths_work(const struct widths *widths)
{
	return area(widths, 1);
}

double widths_span(const struct widths *widths)
{
	return area(widths, 0);
}

#define POWER_MOST 64.

/* The power that makes the mean width what it has to be; it grows with the power. */
static double power_for(const struct widths *widths, double mean)
{
	double low = 0, high = 1, span = widths_span(widths);

	while (high < POWER_MOST && area(widths, high) < mean * span)
		high *= 2;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (area(widths, middle) < mean * span)
			low = middle;
		else
			high = middle;
	}
	return low;
}

double widths_elapsed(const struct widths *widths, enum widths_way way, double work_ns,
		      double span_ns, double p)
{
	double span = widths_span(widths), factor, power = 1, sum = 0;

	if (!(span > 0) || !(span_ns > 0) || !(work_ns > span_ns))
		return fmax(work_ns / p, span_ns);
	if (way == WIDTHS_POWER && widths->at[widths->n - 1].k > 1.01)
		power = power_for(widths, work_ns / span_ns);
	factor = work_ns / span_ns / (area(widths, power) / span);
	for (unsigned i = 0; i < widths->n; i++)
		sum += widths->at[i].ns * fmax(1, factor * pow(widths->at[i].k, power) / p);
	return fmax(sum * span_ns / span, work_ns / p);
}
