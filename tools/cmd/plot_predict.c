/* SPDX-License-Identifier: MIT */
/* plot_predict.c - fits the model and keeps its points. */
#include "tools/cmd/plot_predict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/cmd/training.h"
#include "tools/cmd/widths.h"

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return order_least(*x, *y);
}

static bool is_of(const struct training *training, const char *path, double n)
{
	for (unsigned i = 0; i < training->n; i++)
		if (strcmp(training->origin[i].path, path) == 0)
			return training->origin[i].n == n;
	return false;
}

static int predict_points(struct plot_traces *traces, const struct predict *predict, double n,
			  const char *workers, struct err *err)
{
	uint32_t width[WIDTHS_MOST], n_widths;
	int error = 0;

	widths_read(workers, width, &n_widths);
	qsort(width, n_widths, sizeof(width[0]), by_number);
	traces->predicted = calloc(n_widths + 1ull, sizeof(*traces->predicted));
	if (!traces->predicted)
		return err_set(err, ENOMEM, "out of memory");
	for (uint32_t i = 0; i < n_widths && !error; i++) {
		struct prediction prediction;

		error = predict_at(predict, n, width[i], &prediction, err);
		if (error)
			break;
		traces->predicted[traces->n_predicted++] =
			(struct plot_point){ .workers = width[i],
					     .elapsed_ns = (uint64_t)prediction.told.elapsed_ns,
					     .low_ns = (uint64_t)prediction.low_ns,
					     .high_ns = (uint64_t)prediction.high_ns };
	}
	return error;
}

int plot_predict(struct plot_traces *traces, char **path, int n, const char *workers,
		 struct err *err)
{
	struct inputs inputs = { 0 };
	struct training training = { 0 };
	struct predict predict = { 0 };
	double most = 0;
	int error;

	if (inputs_open(&inputs, path, n) < 0)
		error = err_set(err, ENOMEM, "out of memory");
	else
		error = training_read(&training, &inputs, err);
	if (!error)
		error = predict_fit(&predict, training.sample, training.n_samples, err);
	if (error)
		goto out;
	for (unsigned i = 0; i < training.n; i++)
		most = fmax(most, training.origin[i].n);
	for (uint32_t t = traces->n; t-- > 0;)
		if (!is_of(&training, traces->trace[t].name, most))
			plot_traces_drop(traces, t);
	error = predict_points(traces, &predict, most, workers, err);
	predict_free(&predict);
out:
	training_free(&training);
	inputs_free(&inputs);
	return error;
}
