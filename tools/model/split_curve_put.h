/* SPDX-License-Identifier: MIT */
/*
 * split_curve_put.h - the curve of a kind, beside what simulations with that many parts give.
 *
 * The first row of the forecast is the run with one part, the next ones have `parts`, in order.
 */
#pragma once

#include <stdio.h>
#include "tools/model/split_curve.h"
#include "tools/model/forecast.h"

struct split_curve_shown {
	const struct split_curve *curve;
	const struct forecast *forecast;
	const uint32_t *parts; /* by row of the forecast; 1 of the first */
	const char *kind;      /* its name */
	char *const *name;     /* of all kinds, as options name them */
};

/* On one screen; as one line of JSON. */
void split_curve_screen(FILE *out, const struct split_curve_shown *shown);
void split_curve_json(FILE *out, const struct split_curve_shown *shown);
