/* SPDX-License-Identifier: MIT */
/* predict_json.c - predictions as one line of JSON; times are integers of ns. */
#include <inttypes.h>
#include <math.h>

#include "tools/predict/predict.h"
#include "tools/table/put.h"

#define TEXT 200

static void put_ns(FILE *out, const char *name, double ns)
{
	fprintf(out, ",\"%s_ns\":%.0f", name, ns > 0 ? ns : 0);
}

static void put_parts(FILE *out, const struct told *told)
{
	put_ns(out, "work", told->work_ns);
	put_ns(out, "delay", told->delay_ns);
	put_ns(out, "no_work_sched", told->sched_ns);
	put_ns(out, "no_work_app", told->app_ns);
}

static void put_number(FILE *out, const char *name, double number)
{
	if (isfinite(number))
		fprintf(out, ",\"%s\":%.6g", name, number);
	else
		fprintf(out, ",\"%s\":null", name);
}

/* The law that has most to say of the work there. */
static void put_law(FILE *out, const struct predict *predict, double n)
{
	const struct curve *curve = &predict->model.curve[CURVE_WORK];
	char text[TEXT];

	law_text(&curve_choice_at(curve, n)->law, " ns", text, sizeof(text));
	fputs(",\"model\":", out);
	put_string(out, text);
}

static void put_prediction(FILE *out, const struct predict *predict,
			   const struct prediction *prediction)
{
	const struct told *told = &prediction->told;

	fprintf(out, "{\"n\":%.17g,\"p\":%.0f", told->n, told->p);
	put_ns(out, "elapsed", told->elapsed_ns);
	put_ns(out, "low", prediction->low_ns);
	put_ns(out, "high", prediction->high_ns);
	put_law(out, predict, told->n);
	put_parts(out, told);
	put_ns(out, "span", told->span_ns);
	if (prediction->tasks_are_known)
		fprintf(out, ",\"tasks\":%.0f", told->tasks);
	fprintf(out, ",\"tasks_exact\":%s", prediction->tasks_are_exact ? "true" : "false");
	put_ns(out, "bound", prediction->bound_ns);
	put_ns(out, "greedy", prediction->greedy_ns);
	if (prediction->direct_ns > 0)
		put_ns(out, "direct", prediction->direct_ns);
	put_number(out, "work_ratio", prediction->work_ratio);
	fputc('}', out);
}

/* ---- the model ---- */

static void put_curve(FILE *out, const struct trend *model, enum trend_curve of)
{
	const struct curve *curve = &model->curve[of];
	const char *unit = of == CURVE_WORK || of == CURVE_SPAN ? " ns" : "";
	char text[TEXT];

	fprintf(out, "%s\"%s\":{\"exact\":%s,\"tried\":%u,\"laws\":[", of ? "," : "",
		trend_curve_name[of], curve->exact || curve->none ? "true" : "false",
		curve->n_tried);
	for (unsigned i = 0; i < curve->n_best; i++) {
		law_text(&curve->best[i].law, unit, text, sizeof(text));
		fputs(i ? ",{\"law\":" : "{\"law\":", out);
		put_string(out, text);
		put_number(out, "residual", curve->best[i].rms);
		put_number(out, "held_out", curve->best[i].held_out);
		put_number(out, "share", curve->best[i].share);
		fprintf(out, ",\"sizes\":%u}", curve->best[i].n_points);
	}
	fputs("]}", out);
}

static void put_model(FILE *out, const struct trend *model)
{
	char text[TEXT];

	fputs(",\"models\":{", out);
	for (int of = 0; of < CURVES; of++)
		put_curve(out, model, (enum trend_curve)of);
	fprintf(out, ",\"work_is_mean_with_kinds\":%s", model->kinds.sum_of > 0 ? "true" : "false");
	for (int which = 0; which < PARTS; which++) {
		part_text(&model->part[which], text, sizeof(text));
		fprintf(out, ",\"%s\":", part_name[which]);
		put_string(out, text);
	}
	fprintf(out, ",\"shape\":{\"n\":%.17g,\"p\":%u,\"way\":", model->shape->n, model->shape->p);
	put_string(out, widths_way_name[model->way]);
	fputs("}}", out);
}

static void put_held(FILE *out, const struct predict *predict)
{
	fputs(",\"held_out\":{\"sizes\":", out);
	fprintf(out, "%u", predict->n_held_sizes);
	put_number(out, "error", predict->error);
	put_number(out, "direct_error", predict->direct_error);
	fputs(",\"runs\":[", out);
	for (unsigned i = 0; i < predict->n_held; i++) {
		const struct predict_check *check = &predict->held[i];

		fprintf(out, "%s{\"n\":%.17g,\"p\":%u", i ? "," : "", check->sample->n,
			check->sample->p);
		put_ns(out, "measured", check->sample->elapsed_ns);
		put_ns(out, "elapsed", check->told_ns);
		put_ns(out, "direct", check->direct_ns);
		fputc('}', out);
	}
	fputs("]}", out);
}

static void put_traces(FILE *out, const struct predict *predict)
{
	fputs(",\"traces\":[", out);
	for (unsigned i = 0; i < predict->n_samples; i++) {
		const struct sample *sample = &predict->sample[i];
		struct told told = trend_at(&predict->model, sample->n, sample->p, NULL, NULL);

		fputs(i ? ",{\"file\":" : "{\"file\":", out);
		put_string(out, sample->path);
		fprintf(out, ",\"n\":%.17g,\"p\":%u", sample->n, sample->p);
		put_ns(out, "elapsed", sample->elapsed_ns);
		put_ns(out, "recorded", sample->recorded_ns);
		put_ns(out, "cpu_wait", sample->cpu_wait_ns);
		put_ns(out, "work", sample->work_ns);
		put_ns(out, "delay", sample->delay_ns);
		put_ns(out, "no_work_sched", sample->sched_ns);
		put_ns(out, "no_work_app", sample->app_ns);
		put_ns(out, "span", sample->span_ns);
		fprintf(out, ",\"tasks\":%.0f,\"waits\":%.0f,\"model\":{\"elapsed_ns\":%.0f",
			sample->tasks, sample->waits, told.elapsed_ns);
		put_parts(out, &told);
		fputs("}}", out);
	}
	fputc(']', out);
}

/* By prediction, what each kind has of its work. */
static void put_kinds(FILE *out, const struct predict_output *of)
{
	const struct kind_trends *kinds = &of->predict->model.kinds;
	char text[TEXT];

	fputs(",\"kinds\":[", out);
	for (unsigned k = 0; k < kinds->n; k++) {
		const struct kind_trend *kind = &kinds->kind[k];

		fputs(k ? ",{\"kind\":" : "{\"kind\":", out);
		put_string(out, kind->name);
		put_number(out, "share", kind->share);
		if (kind->known) {
			law_text(&kind->curve.best[0].law, " ns", text, sizeof(text));
			fputs(",\"law\":", out);
			put_string(out, text);
			put_number(out, "residual", kind->curve.best[0].rms);
			put_number(out, "held_out", kind->curve.best[0].held_out);
		}
		fputs(",\"work_ns\":[", out);
		for (unsigned i = 0; kind->known && i < of->n; i++)
			fprintf(out, "%s%.0f", i ? "," : "",
				trend_kind_at(&of->predict->model, kind, of->prediction[i].told.n,
					      of->prediction[i].told.p));
		fputs("]}", out);
	}
	fputc(']', out);
}

void predict_json(FILE *out, const struct predict_output *of)
{
	const struct predict *predict = of->predict;
	char text[TEXT];

	fputs("{\"version\":1,\"program\":", out);
	put_string(out, of->program);
	fputs(",\"runtime\":", out);
	put_string(out, of->runtime);
	fputs(",\"predictions\":[", out);
	for (unsigned i = 0; i < of->n; i++) {
		fputs(i ? "," : "", out);
		put_prediction(out, predict, &of->prediction[i]);
	}
	fputc(']', out);
	put_kinds(out, of);
	put_model(out, &predict->model);
	if (predict->has_direct) {
		direct_text(&predict->direct, text, sizeof(text));
		fputs(",\"direct\":", out);
		put_string(out, text);
	}
	put_number(out, "residual", predict->residual);
	put_number(out, "work_ratio_allowed", predict->ratio);
	fprintf(out, ",\"workers_allowed\":%u",
		predict->model.n_widths == 1 ? predict->model.p_most
					     : PREDICT_P_TIMES * predict->model.p_most);
	put_held(out, predict);
	put_traces(out, predict);
	fputs("}\n", out);
}
