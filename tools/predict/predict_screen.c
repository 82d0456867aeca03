/* SPDX-License-Identifier: MIT */
/* predict_screen.c - predictions, the model that made them, and how well it does, as text. */
#include <math.h>
#include <string.h>

#include "tools/base/units.h"
#include "tools/predict/predict.h"
#include "tools/table/fit.h"
#include "tools/table/put.h"

#define TEXT 200
#define ROWS_MOST 24u /* of runs; larger sizes first */
#define WIDE 5.	      /* ends of an interval, one over the other: is said */
#define CPU_WAIT_PART .02
#define SHORT_NS 1e7

#define TIME(ns) TIME_TEXT(ns_of(ns))
static uint64_t ns_of(double ns)
{
	return ns > 0 ? (uint64_t)(ns + .5) : 0;
}

static void put_head(FILE *out, const void *output)
{
	const struct predict_output *of = output;
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

#define POINT_LEAST 47 /* columns of a line with none of these; the last ones go first */
#define SHARES 32
#define BOUND 10
#define DIRECT 10

struct columns {
	bool shares, bound, direct;
};

static struct columns columns_in(int width)
{
	int left = width - POINT_LEAST;

	return (struct columns){ .shares = left >= SHARES,
				 .bound = left >= SHARES + BOUND,
				 .direct = left >= SHARES + BOUND + DIRECT };
}

static void put_prediction(FILE *out, const struct prediction *prediction, struct columns has)
{
	const struct told *told = &prediction->told;
	double all = told->elapsed_ns * told->p;

	fprintf(out, "%10g %6g %9s %9s %9s", told->n, told->p, TIME(told->elapsed_ns),
		TIME(prediction->low_ns), TIME(prediction->high_ns));
	if (has.bound)
		fprintf(out, " %9s", TIME(prediction->bound_ns));
	if (has.shares)
		fprintf(out, " %6.1f%% %6.1f%% %6.1f%% %6.1f%%", 100 * told->work_ns / all,
			100 * told->delay_ns / all, 100 * told->sched_ns / all,
			100 * told->app_ns / all);
	if (has.direct)
		fprintf(out, " %9s", prediction->direct_ns > 0 ? TIME(prediction->direct_ns) : "-");
	fputc('\n', out);
}

static void put_beside(FILE *out, const struct prediction *prediction)
{
	const struct told *told = &prediction->told;

	fprintf(out, "n=%g, p=%g: ", told->n, told->p);
	if (prediction->tasks_are_known)
		fprintf(out, "%s%.0f tasks, ", prediction->tasks_are_exact ? "exactly " : "",
			told->tasks);
	fprintf(out, "work %s, span %s: parallelism %.1f; ", TIME(told->work_ns),
		TIME(told->span_ns), told->work_ns / told->span_ns);
	if (prediction->work_ratio > 1)
		fprintf(out, "%.3g times the work of the largest trace\n", prediction->work_ratio);
	else
		fputs("within the traces\n", out);
}

static void put_all_beside(FILE *out, const void *output)
{
	const struct predict_output *of = output;

	for (unsigned i = 0; i < of->n; i++)
		put_beside(out, &of->prediction[i]);
}

static void put_predictions(FILE *out, const struct predict_output *of)
{
	struct columns has = columns_in(of->width);

	fprintf(out, "%10s %6s %9s %9s %9s", "n", "p", "elapsed", "low", "high");
	if (has.bound)
		fprintf(out, " %9s", "bound");
	if (has.shares)
		fprintf(out, " %7s %7s %7s %7s", "work", "delay", "nw-sch", "nw-app");
	if (has.direct)
		fprintf(out, " %9s", "direct");
	fputc('\n', out);
	for (unsigned i = 0; i < of->n; i++)
		put_prediction(out, &of->prediction[i], has);
	fputc('\n', out);
	fit_output(out, put_all_beside, of, of->width);
}

/* ---- the model ---- */

#define LAWS_SHOWN 3u

#define LAW_MARGIN 17 /* columns of the name before a law, .. */
#define LAW_SHARE 7   /* .. and of its share of a mean */
#define LAW_FURTHER 4 /* more of them where a line goes on */

static void choice_text(const struct curve *curve, const struct curve_choice *choice,
			char text[TEXT])
{
	int n = snprintf(text, TEXT, "residual %.1f %%, %.1f %% at sizes held out",
			 100 * choice->rms, 100 * choice->held_out);

	if (choice->n_points < curve->n_held_out * 2 + 1)
		snprintf(text + n, TEXT - (size_t)n, ", of the %u largest sizes", choice->n_points);
}

/* From that column on, the law, and how well it does: on one line if that is wide enough. */
static void put_choice(FILE *out, const char *law, const char *does, int column, int law_columns,
		       int width)
{
	if (column + law_columns + 2 + (int)strlen(does) <= width) {
		fprintf(out, "%-*s  %s\n", law_columns, law, does);
	} else {
		fit_words(out, law, column, column + LAW_FURTHER, width);
		fprintf(out, "%*s", column, "");
		fit_words(out, does, column, column + LAW_FURTHER, width);
	}
}

/* What the cheapest laws have of the mean. */
static void put_mean(FILE *out, const struct curve *curve, const char *name, const char *unit,
		     int width)
{
	unsigned n = curve->n_best < LAWS_SHOWN ? curve->n_best : LAWS_SHOWN;
	char law[LAWS_SHOWN][TEXT], does[TEXT];
	int columns = 0;

	fprintf(out, "  %-14s mean of %u laws, the best of %u:\n", name, curve->n_best,
		curve->n_tried);
	for (unsigned i = 0; i < n; i++) {
		law_text(&curve->best[i].law, unit, law[i], TEXT);
		columns = (int)strlen(law[i]) > columns ? (int)strlen(law[i]) : columns;
	}
	for (unsigned i = 0; i < n; i++) {
		choice_text(curve, &curve->best[i], does);
		fprintf(out, "%*s %3.0f %%  ", LAW_MARGIN - 1, "", 100 * curve->best[i].share);
		put_choice(out, law[i], does, LAW_MARGIN + LAW_SHARE, columns, width);
	}
	if (curve->n_best > n)
		fprintf(out, "%*sand %u more\n", LAW_MARGIN, "", curve->n_best - n);
}

static void put_curve(FILE *out, const struct curve *curve, const char *name, bool is_time,
		      int width)
{
	const struct curve_choice *best = &curve->best[0];
	const char *unit = is_time ? " ns" : "";
	char law[TEXT], does[TEXT];

	if (curve->none) {
		fprintf(out, "  %-14s %s\n", name,
			curve->unknown ? "too few sizes have any: not modelled" : "0");
		return;
	}
	if (!curve->exact && curve->n_best > 1) {
		put_mean(out, curve, name, unit, width);
		return;
	}
	law_text(&best->law, unit, law, sizeof(law));
	if (curve->exact) {
		strcpy(does, best->law.kind == LAW_CAP
				     ? "the largest sizes have equal counts: a cut-off"
				     : "exact: each count follows from those before");
	} else {
		choice_text(curve, best, does);
		snprintf(does + strlen(does), TEXT - strlen(does), ": the best of %u laws",
			 curve->n_tried);
	}
	fprintf(out, "  %-14s ", name);
	put_choice(out, law, does, LAW_MARGIN, (int)strlen(law), width);
}

static void put_part(FILE *out, const struct part_fit *part, const char *name, const char *more,
		     int width)
{
	char text[TEXT];
	int n = snprintf(text, sizeof(text), "%s", more);

	part_text(part, text + n, sizeof(text) - (size_t)n);
	fprintf(out, "  %-14s ", name);
	fit_words(out, text, LAW_MARGIN, LAW_MARGIN + LAW_FURTHER, width);
}

static void put_model(FILE *out, const void *output)
{
	const struct predict_output *given = output;
	const struct trend *model = &given->predict->model;

	fputs("\nmodel: elapsed = (work + delay + no-work-sched + no-work-app) / p\n", out);
	for (int of = 0; of < CURVES; of++) {
		put_curve(out, &model->curve[of], trend_curve_name[of],
			  of == CURVE_WORK || of == CURVE_SPAN, given->width);
		if (of == CURVE_WORK && model->kinds.sum_of > 0)
			fprintf(out,
				"  %-14s the prediction: the geometric mean of this and the sum of "
				"the kinds\n",
				"");
	}
	put_part(out, &model->part[PART_STRETCH], "stretch", "work and span x 1 + ", given->width);
	put_part(out, &model->part[PART_DELAY], "delay", "", given->width);
	put_part(out, &model->part[PART_SCHED], "no-work-sched", "", given->width);
	put_part(out, &model->part[PART_EXCESS], "no-work-app", "p T(p) - work + ", given->width);
	fprintf(out, "  %-14s T(p): the shape of n=%g on %u worker%s; %s%s\n", "", model->shape->n,
		model->shape->p, model->shape->p == 1 ? "" : "s", widths_way_name[model->way],
		model->way_known ? " (told the larger runs better)" : "");
}

/* ---- by kind ---- */

#define POINTS_SHOWN 6
#define POINT_COLUMNS 10
#define NAME_WIDE 28 /* columns of a kind's name, .. */
#define NAME_NARROW 20
#define NARROW 80
#define KIND_COLUMNS 15 /* .. and of its share and error */
#define LAW_COLUMNS 26	/* room for a law, or it gets a line of its own */

static int name_columns(const struct predict_output *of)
{
	return of->width < NARROW ? NAME_NARROW : NAME_WIDE;
}

static unsigned points_shown(const struct predict_output *of)
{
	int most = (of->width - name_columns(of) - KIND_COLUMNS) / POINT_COLUMNS;

	most = most < POINTS_SHOWN ? most : POINTS_SHOWN;
	return of->n < (unsigned)most ? of->n : (unsigned)most;
}

static void put_law(FILE *out, const struct predict_output *of, const char *text, int column)
{
	if (column + 2 + fit_columns(text) > of->width) {
		fprintf(out, "\n    ");
		column = 2;
	} else {
		fputs("  ", out);
	}
	fit_words(out, text, column + 2, 4, of->width);
}

static void put_kind(FILE *out, const struct predict_output *of, const struct kind_trend *kind)
{
	const struct curve_choice *best = &kind->curve.best[0];
	char text[TEXT];
	int column = fit_cut(out, kind->name, name_columns(of));

	column += fprintf(out, "%*s %5.1f%%", name_columns(of) - column, "", 100 * kind->share);
	for (unsigned i = 0; i < points_shown(of); i++) {
		const struct told *told = &of->prediction[i].told;
		double ns = trend_kind_at(&of->predict->model, kind, told->n, told->p);

		column += fprintf(out, " %9s", kind->known ? TIME(ns) : "-");
	}
	if (kind->known) {
		column += fprintf(out, " %6.1f%%", 100 * best->held_out);
		law_text(&best->law, " ns", text, sizeof(text));
	} else {
		column += fprintf(out, " %7s", "-");
		strcpy(text, "too few sizes have it");
	}
	put_law(out, of, text, column);
}

static void put_kinds(FILE *out, const struct predict_output *of)
{
	const struct kind_trends *kinds = &of->predict->model.kinds;
	int columns = name_columns(of);
	char text[32];

	if (!kinds->n)
		return;
	fprintf(out, "\n%-*s %6s", columns, "work by kind", "share");
	for (unsigned i = 0; i < points_shown(of); i++) {
		snprintf(text, sizeof(text), "%g,%g", of->prediction[i].told.n,
			 of->prediction[i].told.p);
		fprintf(out, " %9s", text);
	}
	fprintf(out, " %7s%s\n", "error",
		columns + KIND_COLUMNS + (int)points_shown(of) * POINT_COLUMNS + LAW_COLUMNS >
				of->width
			? ""
			: "  law, on one worker");
	for (unsigned k = 0; k < kinds->n; k++)
		put_kind(out, of, &kinds->kind[k]);
	fprintf(out, "%-*s", columns + 7, "all of these, over all work");
	for (unsigned i = 0; i < points_shown(of); i++) {
		const struct told *told = &of->prediction[i].told;
		double ns = 0;

		for (unsigned k = 0; k < kinds->n; k++)
			ns += trend_kind_at(&of->predict->model, &kinds->kind[k], told->n, told->p);
		fprintf(out, " %8.1f%%", 100 * ns / told->work_ns);
	}
	fputc('\n', out);
	fit_lines(out,
		  "(n,p above the columns; share: of the largest trace; error: at sizes held out; "
		  "laws: on one worker)\n",
		  of->width);
}

/* ---- how well it does ---- */

static double percent(double told, double is)
{
	return 100 * (told / is - 1);
}

#define HELD_LEAST 46 /* columns of a line without the regression */
#define HELD_DIRECT 19

static void put_held_head(FILE *out, const void *output)
{
	const struct predict *predict = ((const struct predict_output *)output)->predict;

	fprintf(out,
		"the %u largest size%s, told by the smaller ones: model %.1f %%, direct %.1f "
		"%% (rms)\n",
		predict->n_held_sizes, predict->n_held_sizes == 1 ? "" : "s", 100 * predict->error,
		100 * predict->direct_error);
}

static void put_held(FILE *out, const struct predict_output *of)
{
	const struct predict *predict = of->predict;
	unsigned from = predict->n_held > ROWS_MOST ? predict->n_held - ROWS_MOST : 0;
	bool wide = of->width >= HELD_LEAST + HELD_DIRECT;

	fputc('\n', out);
	fit_output(out, put_held_head, of, of->width);
	fprintf(out, "%10s %6s %9s %9s %8s", "n", "p", "measured", "model", "error");
	if (wide)
		fprintf(out, " %9s %8s", "direct", "error");
	fputc('\n', out);
	for (unsigned i = from; i < predict->n_held; i++) {
		const struct predict_check *check = &predict->held[i];
		double ns = check->sample->elapsed_ns;

		fprintf(out, "%10g %6u %9s %9s %+7.1f%%", check->sample->n, check->sample->p,
			TIME(ns), TIME(check->told_ns), percent(check->told_ns, ns));
		if (wide)
			fprintf(out, " %9s %+7.1f%%", TIME(check->direct_ns),
				percent(check->direct_ns, ns));
		fputc('\n', out);
	}
}

#define RESIDUAL_LEAST 27 /* columns before these: */
#define RESIDUAL 9

static void put_residuals_head(FILE *out, const void *output)
{
	const struct predict *predict = ((const struct predict_output *)output)->predict;

	fprintf(out, "residuals, model - measured, in %% of elapsed x p: %.1f %% (rms)%s\n",
		100 * predict->residual,
		predict->n_samples > ROWS_MOST ? "; the largest runs of all, --json has the others"
					       : "");
}

static void put_residual(FILE *out, const struct predict *predict, const struct sample *sample,
			 int n)
{
	struct told told = trend_at(&predict->model, sample->n, sample->p, NULL, NULL);
	double all = sample->elapsed_ns * sample->p / 100;
	double share[] = { percent(told.elapsed_ns, sample->elapsed_ns),
			   (told.work_ns - sample->work_ns) / all,
			   (told.delay_ns - sample->delay_ns) / all,
			   (told.sched_ns - sample->sched_ns) / all,
			   (told.app_ns - sample->app_ns) / all };

	fprintf(out, "%10g %6u %9s", sample->n, sample->p, TIME(sample->elapsed_ns));
	for (int i = 0; i < n; i++)
		fprintf(out, " %+7.1f%%", share[i]);
	fputc('\n', out);
}

static void put_residuals(FILE *out, const struct predict_output *of)
{
	static const char *const title[] = { "elapsed", "work", "delay", "nw-sch", "nw-app" };
	const struct predict *predict = of->predict;
	unsigned from = predict->n_samples > ROWS_MOST ? predict->n_samples - ROWS_MOST : 0;
	int n = (of->width - RESIDUAL_LEAST) / RESIDUAL, most = sizeof(title) / sizeof(title[0]);

	n = n < most ? n : most;
	fputc('\n', out);
	fit_output(out, put_residuals_head, of, of->width);
	fprintf(out, "%10s %6s %9s", "n", "p", "measured");
	for (int i = 0; i < n; i++)
		fprintf(out, " %8s", title[i]);
	fputc('\n', out);
	for (unsigned i = from; i < predict->n_samples; i++)
		put_residual(out, predict, &predict->sample[i], n);
}

/* Of runs as short as this, the start of threads and first touches of memory are a large part. */
static void put_short(FILE *out, const struct predict *predict)
{
	double most = 0;

	for (unsigned i = 0; i < predict->n_samples; i++)
		most = fmax(most, predict->sample[i].elapsed_ns);
	if (most < SHORT_NS)
		fprintf(out,
			"the longest trace took %s, of which the start of threads and caches is a "
			"large part; record larger sizes, of 10 ms and more\n",
			TIME(most));
}

static void put_notes(FILE *out, const void *output)
{
	const struct predict_output *of = output;
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
	fit_output(out, put_head, of, of->width);
	put_predictions(out, of);
	put_kinds(out, of);
	fit_output(out, put_model, of, of->width);
	put_held(out, of);
	put_residuals(out, of);
	fit_output(out, put_notes, of, of->width);
}
