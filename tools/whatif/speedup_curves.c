/* SPDX-License-Identifier: MIT */
/* speedup_curves.c - runs simulations, fits models, and keeps their points. */
#include "tools/whatif/speedup_curves.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/analysis/bounds.h"
#include "tools/whatif/params.h"
#include "tools/whatif/simulable.h"
#include "tools/whatif/training.h"
#include "tools/whatif/worker_list.h"
#include "tools/model/forecast.h"

/* As `tptrace simulate` has them unless somebody asks for others. */
#define RUNS 5u
#define SEED 1u

/* ---- one curve ---- */

static void take_points(struct speedup_curve *curve, const struct point *point, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		speedup_add(curve,
			    (struct speedup_point){ point[i].n_workers, point[i].outcome.elapsed_ns,
						    point[i].low_ns, point[i].high_ns });
}

int speedup_simulate(struct speedup_curve *curve, const struct run *run, const char *workers,
		     struct err *err)
{
	uint32_t width[WIDTHS_MOST], n;
	struct points_wanted wanted = { .workers = width, .n_runs = RUNS, .seed = SEED };
	struct forecast forecast = { .dag = &run->dag,
				     .own_policy = true,
				     .cpu_wait_ns = machine_wait_ns(&run->machine, &run->dag) };
	struct changes changes = { 0 };
	int error = simulable(run, err);

	if (error)
		return error;
	widths_read(workers, width, &n);
	wanted.n = forecast.n_points = n;
	forecast.recorded_policy = policy_of_run(simulable_runtime(run), &run->dag);
	error = forecast_add(&forecast, "as recorded", &changes, forecast.recorded_policy, &wanted,
			     err);
	if (!error)
		take_points(curve, forecast.row[0].point, n);
	changes_free(&changes);
	forecast_free(&forecast);
	return error;
}

static int add_prediction(struct speedup_curve *curve, const struct predict *predict, double n,
			  uint32_t workers, struct err *err)
{
	struct prediction prediction;
	int error = predict_at(predict, n, workers, &prediction, err);

	if (error)
		return error;
	speedup_add(curve, (struct speedup_point){ workers, (uint64_t)prediction.told.elapsed_ns,
						   (uint64_t)prediction.low_ns,
						   (uint64_t)prediction.high_ns });
	return 0;
}

int speedup_predict(struct speedup_curve *curve, const struct predict *predict, double n,
		    const char *workers, struct err *err)
{
	uint32_t width[WIDTHS_MOST], n_widths;
	int error = 0;

	widths_read(workers, width, &n_widths);
	for (uint32_t i = 0; i < n_widths && !error; i++)
		error = add_prediction(curve, predict, n, width[i], err);
	return error;
}

/* ---- all curves of a run ---- */

static int size_of(double *n, const struct run *run, struct err *err)
{
	if (params_number(defs_meta(reader_defs(run->reader), "param"), PARAMS_SIZE, n))
		return 0;
	return err_set(
		err, ENODATA,
		"%s: does not say its n, which --predict-from needs; record it with --param n=..",
		reader_facts(run->reader)->path);
}

static void take_measured(struct speedup_curve *curve, const struct training *training, double n)
{
	for (unsigned i = 0; i < training->n_samples; i++) {
		const struct sample *sample = &training->sample[i];
		uint64_t ns = (uint64_t)sample->recorded_ns;

		if (sample->n == n)
			speedup_add(curve, (struct speedup_point){ sample->p, ns, ns, ns });
	}
}

/* Numbers of workers that nobody named: those that the model does not reach are left out. */
static int predict_usual(struct speedup_curve *curve, const struct predict *predict, double n,
			 uint32_t most, struct err *err)
{
	struct err refused = { 0 };
	int error = 0;

	for (uint32_t workers = 1; workers <= most && !error; workers *= 2) {
		error = add_prediction(curve, predict, n, workers, &refused);
		if (error == -ERANGE)
			error = 0;
	}
	if (error || !curve->n)
		*err = refused;
	return error ? error : curve->n ? 0 : -ERANGE;
}

static int predict(struct speedups *curves, const struct run *run,
		   const struct speedups_wanted *wanted, struct err *err)
{
	struct speedup_curve *told = &curves->of[SPEEDUPS_PREDICTED];
	struct training training = { 0 };
	struct predict model = { 0 };
	int n_paths;
	double n;
	int error = size_of(&n, run, err);
	char **path = error ? NULL : inputs_split(wanted->predict_from, &n_paths);

	if (error)
		return error;
	error = training_read(&training, path, n_paths, err);
	if (!error)
		error = training_refuse_other(&training, run, err) ?:
			predict_fit(&model, training.sample, training.n_samples, err);
	if (!error && wanted->simulate)
		error = speedup_predict(told, &model, n, wanted->simulate, err);
	else if (!error)
		error = predict_usual(told, &model, n, BOUNDS_WIDTHS * run->dag.n_workers, err);
	if (!error)
		take_measured(&curves->of[SPEEDUPS_MEASURED], &training, n);
	predict_free(&model);
	training_free(&training);
	free(path);
	return error;
}

int speedups_make(struct speedups *curves, const struct run *run,
		  const struct speedups_wanted *wanted, struct err *err)
{
	uint64_t ns = run->dag.elapsed_ns;
	int error = 0;

	if (!speedups_are_wanted(wanted))
		return 0;
	speedup_add(&curves->of[SPEEDUPS_MEASURED],
		    (struct speedup_point){ run->dag.n_workers, ns, ns, ns });
	if (wanted->predict_from)
		error = predict(curves, run, wanted, err);
	if (!error && wanted->simulate)
		error = speedup_simulate(&curves->of[SPEEDUPS_SIMULATED], run, wanted->simulate,
					 err);
	return error;
}
