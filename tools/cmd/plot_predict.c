/* SPDX-License-Identifier: MIT */
/* plot_predict.c - fits the model and keeps its points. */
#include "tools/cmd/plot_predict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/whatif/speedup_curves.h"
#include "tools/whatif/training.h"

static bool is_of(const struct training *training, const char *path, double n)
{
	for (unsigned i = 0; i < training->n; i++)
		if (strcmp(training->origin[i].path, path) == 0)
			return training->origin[i].n == n;
	return false;
}

int plot_predict(struct plot_traces *traces, char **path, int n, const char *workers,
		 struct err *err)
{
	struct training training = { 0 };
	struct predict predict = { 0 };
	double most = 0;
	int error = training_read(&training, path, n, err);

	if (!error)
		error = predict_fit(&predict, training.sample, training.n_samples, err);
	if (error)
		goto out;
	for (unsigned i = 0; i < training.n; i++)
		most = fmax(most, training.origin[i].n);
	for (uint32_t t = traces->n; t-- > 0;)
		if (!is_of(&training, traces->trace[t].name, most))
			plot_traces_drop(traces, t);
	error = speedup_predict(&traces->curves.of[SPEEDUPS_PREDICTED], &predict, most, workers,
				err);
	predict_free(&predict);
out:
	training_free(&training);
	return error;
}
