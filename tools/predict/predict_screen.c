/* SPDX-License-Identifier: MIT */
/* predict_screen.c - predictions, the model that made them, and how well it does, as text. */
#include <math.h>
#include <string.h>

#include "tools/base/units.h"
#include "tools/predict/predict.h"
#include "tools/report/put.h"

#define TEXT 200
#define ROWS_MOST 24u /* of runs; larger sizes first */
#define WIDE 5.	      /* ends of an interval, one over the other: is said */
#define CPU_WAIT_PART .02
#define SHORT_NS 1e7

static char *time_of(char out[UNITS_TIME], double ns)
{
	return units_time(out, ns > 0 ? (uint64_t)(ns + .5) : 0);
}

static void put_head(FILE *out, const struct predict_output *of)
{
	const struct trend *model = &of->predict->model;

	fputs("traces: ", out);
	fprintf(out, "%u", of->n_traces);
	if (of->program) {
		fputs(" of ", out);
		put_text(out, of->program);
	}
	if (of->runtime) {
		fputs(", ", out);
		put_text(out, of->runtime);
	}
	fprintf(out, "; n = %g .. %g (%u sizes), p = %u", model->size[0],
		model->size[model->n_sizes - 1], model->n_sizes, model->p_least);
	if (model->p_most > model->p_least)
		fprintf(out, " .. %u", model->p_most);
	fputs("\n\n", out);
}

/* ---- predictions ---- */

static void put_prediction(FILE *out, const struct prediction *prediction)
{
	const struct told *told = &prediction->told;
	double all = told->elapsed_ns * told->p;
	char elapsed[UNITS_TIME], low[UNITS_TIME], high[UNITS_TIME], bound[UNITS_TIME];
	char direct[UNITS_TIME];

	fprintf(out, "%10g %6g %9s %9s %9s %9s %6.1f%% %6.1f%% %6.1f%% %6.1f%% %9s\n", told->n,
		told->p, time_of(elapsed, told->elapsed_ns), time_of(low, prediction->low_ns),
		time_of(high, prediction->high_ns), time_of(bound, prediction->bound_ns),
		100 * told->work_ns / all, 100 * told->delay_ns / all, 100 * told->sched_ns / all,
		100 * told->app_ns / all,
		prediction->direct_ns > 0 ? time_of(direct, prediction->direct_ns) : "-");
}

static void put_beside(FILE *out, const struct prediction *prediction)
{
	const struct told *told = &prediction->told;
	char work[UNITS_TIME], span[UNITS_TIME];

	fprintf(out, "n=%g, p=%g: ", told->n, told->p);
	if (prediction->tasks_are_known)
		fprintf(out, "%s%.0f tasks, ", prediction->tasks_are_exact ? "exactly " : "",
			told->tasks);
	fprintf(out, "work %s, span %s: parallelism %.1f; ", time_of(work, told->work_ns),
		time_of(span, told->span_ns), told->work_ns / told->span_ns);
	if (prediction->work_ratio > 1)
		fprintf(out, "%.3g times the work of the largest trace\n", prediction->work_ratio);
	else
		fputs("within the traces\n", out);
}

static void put_predictions(FILE *out, const struct predict_output *of)
{
	fprintf(out, "%10s %6s %9s %9s %9s %9s %7s %7s %7s %7s %9s\n", "n", "p", "elapsed", "low",
		"high", "bound", "work", "delay", "nw-sch", "nw-app", "direct");
	for (unsigned i = 0; i < of->n; i++)
		put_prediction(out, &of->prediction[i]);
	fputc('\n', out);
	for (unsigned i = 0; i < of->n; i++)
		put_beside(out, &of->prediction[i]);
}

/* ---- the model ---- */

#define LAWS_SHOWN 3u

static void put_choice(FILE *out, const struct curve *curve, const struct curve_choice *choice)
{
	fprintf(out, "residual %.1f %%, %.1f %% at sizes held out", 100 * choice->rms,
		100 * choice->held_out);
	if (choice->n_points < curve->n_held_out * 2 + 1)
		fprintf(out, ", of the %u largest sizes", choice->n_points);
}

/* What the cheapest laws have of the mean. */
static void put_mean(FILE *out, const struct curve *curve, const char *name, const char *unit)
{
	char text[TEXT];

	fprintf(out, "  %-14s mean of %u laws, the best of %u:\n", name, curve->n_best,
		curve->n_tried);
	for (unsigned i = 0; i < curve->n_best && i < LAWS_SHOWN; i++) {
		law_text(&curve->best[i].law, unit, text, sizeof(text));
		fprintf(out, "  %-14s %3.0f %%  %s\n  %-14s        ", "",
			100 * curve->best[i].share, text, "");
		put_choice(out, curve, &curve->best[i]);
		fputc('\n', out);
	}
	if (curve->n_best > LAWS_SHOWN)
		fprintf(out, "  %-14s and %u more\n", "", curve->n_best - LAWS_SHOWN);
}

static void put_curve(FILE *out, const struct curve *curve, const char *name, bool is_time)
{
	const struct curve_choice *best = &curve->best[0];
	const char *unit = is_time ? " ns" : "";
	char text[TEXT];

	if (curve->none) {
		fprintf(out, "  %-14s %s\n", name,
			curve->unknown ? "too few sizes have any: not modelled" : "0");
		return;
	}
	if (!curve->exact && curve->n_best > 1) {
		put_mean(out, curve, name, unit);
		return;
	}
	law_text(&best->law, unit, text, sizeof(text));
	fprintf(out, "  %-14s %s\n  %-14s ", name, text, "");
	if (curve->exact) {
		fputs(best->law.kind == LAW_CAP ? "the largest sizes have equal counts: a cut-off\n"
						: "exact: each count follows from those before\n",
		      out);
		return;
	}
	put_choice(out, curve, best);
	fprintf(out, ": the best of %u laws\n", curve->n_tried);
}

static void put_part(FILE *out, const struct part_fit *part, const char *name, const char *more)
{
	char text[TEXT];

	part_text(part, text, sizeof(text));
	fprintf(out, "  %-14s %s%s\n", name, more, text);
}

static void put_model(FILE *out, const struct predict *predict)
{
	const struct trend *model = &predict->model;

	fputs("\nmodel: elapsed = (work + delay + no-work-sched + no-work-app) / p\n", out);
	for (int of = 0; of < CURVES; of++) {
		put_curve(out, &model->curve[of], trend_curve_name[of],
			  of == CURVE_WORK || of == CURVE_SPAN);
		if (of == CURVE_WORK && model->kinds.sum_of > 0)
			fprintf(out,
				"  %-14s the prediction: the geometric mean of this and the sum of "
				"the kinds\n",
				"");
	}
	put_part(out, &model->part[PART_STRETCH], "stretch", "work and span x 1 + ");
	put_part(out, &model->part[PART_DELAY], "delay", "");
	put_part(out, &model->part[PART_SCHED], "no-work-sched", "");
	put_part(out, &model->part[PART_EXCESS], "no-work-app", "p T(p) - work + ");
	fprintf(out, "  %-14s T(p): the shape of n=%g on %u worker%s; %s%s\n", "", model->shape->n,
		model->shape->p, model->shape->p == 1 ? "" : "s", widths_way_name[model->way],
		model->way_known ? " (told the larger runs better)" : "");
}

/* ---- by kind ---- */

#define POINTS_SHOWN 6u

static void put_kind(FILE *out, const struct predict_output *of, const struct kind_trend *kind)
{
	const struct curve_choice *best = &kind->curve.best[0];
	char text[TEXT];

	fprintf(out, "%-28.28s %5.1f%%", kind->name, 100 * kind->share);
	for (unsigned i = 0; i < of->n && i < POINTS_SHOWN; i++) {
		const struct told *told = &of->prediction[i].told;
		double ns = trend_kind_at(&of->predict->model, kind, told->n, told->p);

		fprintf(out, " %9s", kind->known ? time_of(text, ns) : "-");
	}
	if (kind->known) {
		fprintf(out, " %6.1f%% ", 100 * best->held_out);
		law_text(&best->law, " ns", text, sizeof(text));
	} else {
		fprintf(out, " %7s ", "-");
		strcpy(text, "too few sizes have it");
	}
	fprintf(out, " %s\n", text);
}

static void put_kinds(FILE *out, const struct predict_output *of)
{
	const struct kind_trends *kinds = &of->predict->model.kinds;
	char text[32];

	if (!kinds->n)
		return;
	fprintf(out, "\n%-28s %6s", "work by kind", "share");
	for (unsigned i = 0; i < of->n && i < POINTS_SHOWN; i++) {
		snprintf(text, sizeof(text), "%g,%g", of->prediction[i].told.n,
			 of->prediction[i].told.p);
		fprintf(out, " %9s", text);
	}
	fprintf(out, " %7s  law, on one worker\n", "error");
	for (unsigned k = 0; k < kinds->n; k++)
		put_kind(out, of, &kinds->kind[k]);
	fprintf(out, "%-28s %6s", "all of these, over all work", "");
	for (unsigned i = 0; i < of->n && i < POINTS_SHOWN; i++) {
		const struct told *told = &of->prediction[i].told;
		double ns = 0;

		for (unsigned k = 0; k < kinds->n; k++)
			ns += trend_kind_at(&of->predict->model, &kinds->kind[k], told->n, told->p);
		fprintf(out, " %8.1f%%", 100 * ns / told->work_ns);
	}
	fputs("\n(n,p above the columns; share: of the largest trace; error: at sizes held out)\n",
	      out);
}

/* ---- how well it does ---- */

static double percent(double told, double is)
{
	return 100 * (told / is - 1);
}

static void put_held(FILE *out, const struct predict *predict)
{
	char is[UNITS_TIME], told[UNITS_TIME], direct[UNITS_TIME];
	unsigned from = predict->n_held > ROWS_MOST ? predict->n_held - ROWS_MOST : 0;

	fprintf(out,
		"\nthe %u largest size%s, told by the smaller ones: model %.1f %%, direct %.1f "
		"%% (rms)\n",
		predict->n_held_sizes, predict->n_held_sizes == 1 ? "" : "s", 100 * predict->error,
		100 * predict->direct_error);
	fprintf(out, "%10s %6s %9s %9s %8s %9s %8s\n", "n", "p", "measured", "model", "error",
		"direct", "error");
	for (unsigned i = from; i < predict->n_held; i++) {
		const struct predict_check *check = &predict->held[i];
		double ns = check->sample->elapsed_ns;

		fprintf(out, "%10g %6u %9s %9s %+7.1f%% %9s %+7.1f%%\n", check->sample->n,
			check->sample->p, time_of(is, ns), time_of(told, check->told_ns),
			percent(check->told_ns, ns), time_of(direct, check->direct_ns),
			percent(check->direct_ns, ns));
	}
}

static void put_residuals(FILE *out, const struct predict *predict)
{
	unsigned from = predict->n_samples > ROWS_MOST ? predict->n_samples - ROWS_MOST : 0;

	fprintf(out, "\nresiduals, model - measured, in %% of elapsed x p: %.1f %% (rms)%s\n",
		100 * predict->residual,
		from ? "; the largest runs of all, --json has the others" : "");
	fprintf(out, "%10s %6s %9s %8s %8s %8s %8s %8s\n", "n", "p", "measured", "elapsed", "work",
		"delay", "nw-sch", "nw-app");
	for (unsigned i = from; i < predict->n_samples; i++) {
		const struct sample *sample = &predict->sample[i];
		struct told told = trend_at(&predict->model, sample->n, sample->p, NULL, NULL);
		double all = sample->elapsed_ns * sample->p / 100;
		char is[UNITS_TIME];

		fprintf(out, "%10g %6u %9s %+7.1f%% %+7.1f%% %+7.1f%% %+7.1f%% %+7.1f%%\n",
			sample->n, sample->p, time_of(is, sample->elapsed_ns),
			percent(told.elapsed_ns, sample->elapsed_ns),
			(told.work_ns - sample->work_ns) / all,
			(told.delay_ns - sample->delay_ns) / all,
			(told.sched_ns - sample->sched_ns) / all,
			(told.app_ns - sample->app_ns) / all);
	}
}

/* Of runs as short as this, the start of threads and first touches of memory are a large part. */
static void put_short(FILE *out, const struct predict *predict)
{
	char text[UNITS_TIME];
	double most = 0;

	for (unsigned i = 0; i < predict->n_samples; i++)
		most = fmax(most, predict->sample[i].elapsed_ns);
	if (most < SHORT_NS)
		fprintf(out,
			"the longest trace took %s, of which the start of threads and caches is a "
			"large part; record larger sizes, of 10 ms and more\n",
			time_of(text, most));
}

static void put_notes(FILE *out, const struct predict_output *of)
{
	const struct predict *predict = of->predict;
	double most = 0;
	char text[TEXT];

	if (predict->has_direct) {
		direct_text(&predict->direct, text, sizeof(text));
		fprintf(out, "\ndirect regression of elapsed: %s\n", text);
	}
	if (predict->model.n_widths == 2)
		fputs("two numbers of workers do not tell what moves from what is crowded: the "
		      "interval has both\n",
		      out);
	for (unsigned i = 0; i < of->n; i++)
		if (of->prediction[i].high_ns > WIDE * of->prediction[i].low_ns) {
			fprintf(out,
				"n=%g, p=%g: the interval's ends are more than %.0f times apart: "
				"the traces are too noisy, or too few\n",
				of->prediction[i].told.n, of->prediction[i].told.p, WIDE);
		}
	if (predict->error > predict->direct_error && predict->has_direct)
		fputs("the direct regression told the largest sizes better than the model\n", out);
	put_short(out, predict);
	for (unsigned i = 0; i < predict->n_samples; i++)
		most = fmax(most, sample_wait_share(&predict->sample[i]));
	if (most > CPU_WAIT_PART)
		fprintf(out,
			"workers waited for CPUs, %.0f %% of the time in the worst trace: that is "
			"taken out, roughly; record on an idle machine\n",
			100 * most);
}

void predict_screen(FILE *out, const struct predict_output *of)
{
	put_head(out, of);
	put_predictions(out, of);
	put_kinds(out, of);
	put_model(out, of->predict);
	put_held(out, of->predict);
	put_residuals(out, of->predict);
	put_notes(out, of);
}
