/* SPDX-License-Identifier: MIT */
/* training.h - traces of one program, of which a model is made: tools/predict/predict.h. */
#pragma once

#include "tools/team/inputs.h"
#include "tools/predict/predict.h"
#include "tools/run/run.h"

struct training_origin {
	const char *path; /* the inputs' */
	double n;
	char *param; /* as recorded */
	char *program, *runtime;
};

struct training {
	struct inputs inputs;
	struct sample *sample;		/* n_samples, as predict_choose() leaves them */
	struct training_origin *origin; /* n, in the order of the files */
	unsigned n_samples, n;
};

/*
 * Of traces, and directories of them.  0, or -errno and *err, unless that was said: a trace is
 * invalid, not whole, does not say its n, or contradicts another one.  Either way training_free()
 * is due.
 */
int training_read(struct training *training, char **argument, int n, struct err *err);
/* Whether the run is of the same program, runtime and parameters but n and p.  0, or -errno and
 * *err. */
int training_refuse_other(const struct training *training, const struct run *run, struct err *err);
void training_free(struct training *training); /* a zeroed one is fine */
