/* SPDX-License-Identifier: MIT */
/* predict_json.c - predictions as one line of JSON; times are integers of ns. */
#include "tools/predict/predict.h"
#include "tools/table/json.h"

#define TEXT 200

static void put_ns(struct json *to, const char *key, double ns)
{
	json_real(to, key, "%.0f", ns > 0 ? ns : 0);
}

static void put_parts(struct json *to, double work, double delay, double sched, double app)
{
	put_ns(to, "work_ns", work);
	put_ns(to, "delay_ns", delay);
	put_ns(to, "no_work_sched_ns", sched);
	put_ns(to, "no_work_app_ns", app);
}

static void put_told(struct json *to, const struct told *told)
{
	put_parts(to, told->work_ns, told->delay_ns, told->sched_ns, told->app_ns);
}

static void put_law(struct json *to, const char *key, const struct law *law, const char *unit)
{
	char text[TEXT];

	law_text(law, unit, text, sizeof(text));
	json_text(to, key, text);
}

static void put_point(struct json *to, double n, double p)
{
	json_open(to, NULL, '{');
	json_real(to, "n", "%.17g", n);
	json_real(to, "p", "%.0f", p);
}

static void put_prediction(struct json *to, const struct predict *predict,
			   const struct prediction *prediction)
{
	const struct told *told = &prediction->told;
	const struct curve *work = &predict->model.curve[CURVE_WORK];

	put_point(to, told->n, told->p);
	put_ns(to, "elapsed_ns", told->elapsed_ns);
	put_ns(to, "low_ns", prediction->low_ns);
	put_ns(to, "high_ns", prediction->high_ns);
	/* the one that has most to say of the work there */
	put_law(to, "model", &curve_choice_at(work, told->n)->law, " ns");
	put_told(to, told);
	put_ns(to, "span_ns", told->span_ns);
	if (prediction->tasks_are_known)
		json_real(to, "tasks", "%.0f", told->tasks);
	json_bool(to, "tasks_exact", prediction->tasks_are_exact);
	put_ns(to, "bound_ns", prediction->bound_ns);
	put_ns(to, "greedy_ns", prediction->greedy_ns);
	if (prediction->direct_ns > 0)
		put_ns(to, "direct_ns", prediction->direct_ns);
	json_real(to, "work_ratio", "%.6g", prediction->work_ratio);
	json_close(to, '}');
}

/* ---- the model ---- */

static void put_curve(struct json *to, const struct trend *model, enum trend_curve of)
{
	const struct curve *curve = &model->curve[of];

	json_open(to, trend_curve_name[of], '{');
	json_bool(to, "exact", curve->exact || curve->none);
	json_number(to, "tried", curve->n_tried);
	json_open(to, "laws", '[');
	for (unsigned i = 0; i < curve->n_best; i++) {
		const struct curve_choice *choice = &curve->best[i];

		json_open(to, NULL, '{');
		put_law(to, "law", &choice->law, of == CURVE_WORK || of == CURVE_SPAN ? " ns" : "");
		JSON_REALS(to, "%.6g", { "residual", choice->rms },
			   { "held_out", choice->held_out }, { "share", choice->share });
		json_number(to, "sizes", choice->n_points);
		json_close(to, '}');
	}
	json_close(to, ']');
	json_close(to, '}');
}

static void put_model(struct json *to, const struct trend *model)
{
	char text[TEXT];

	json_open(to, "models", '{');
	for (int of = 0; of < CURVES; of++)
		put_curve(to, model, (enum trend_curve)of);
	json_bool(to, "work_is_mean_with_kinds", model->kinds.sum_of > 0);
	for (int which = 0; which < PARTS; which++) {
		part_text(&model->part[which], text, sizeof(text));
		json_text(to, part_name[which], text);
	}
	json_open(to, "shape", '{');
	json_real(to, "n", "%.17g", model->shape->n);
	json_number(to, "p", model->shape->p);
	json_text(to, "way", widths_way_name[model->way]);
	json_close(to, '}');
	json_close(to, '}');
}

static void put_held(struct json *to, const struct predict *predict)
{
	json_open(to, "held_out", '{');
	json_number(to, "sizes", predict->n_held_sizes);
	JSON_REALS(to, "%.6g", { "error", predict->error },
		   { "direct_error", predict->direct_error });
	json_open(to, "runs", '[');
	for (unsigned i = 0; i < predict->n_held; i++) {
		const struct predict_check *check = &predict->held[i];

		put_point(to, check->sample->n, check->sample->p);
		put_ns(to, "measured_ns", check->sample->elapsed_ns);
		put_ns(to, "elapsed_ns", check->told_ns);
		put_ns(to, "direct_ns", check->direct_ns);
		json_close(to, '}');
	}
	json_close(to, ']');
	json_close(to, '}');
}

static void put_trace(struct json *to, const struct predict *predict, const struct sample *sample)
{
	struct told told = trend_at(&predict->model, sample->n, sample->p, NULL, NULL);

	json_open(to, NULL, '{');
	json_text(to, "file", sample->path);
	json_real(to, "n", "%.17g", sample->n);
	json_number(to, "p", sample->p);
	put_ns(to, "elapsed_ns", sample->elapsed_ns);
	put_ns(to, "recorded_ns", sample->recorded_ns);
	put_ns(to, "cpu_wait_ns", sample->cpu_wait_ns);
	put_parts(to, sample->work_ns, sample->delay_ns, sample->sched_ns, sample->app_ns);
	put_ns(to, "span_ns", sample->span_ns);
	json_real(to, "tasks", "%.0f", sample->tasks);
	json_real(to, "waits", "%.0f", sample->waits);
	json_open(to, "model", '{');
	json_real(to, "elapsed_ns", "%.0f", told.elapsed_ns);
	put_told(to, &told);
	json_close(to, '}');
	json_close(to, '}');
}

/* What a kind has of the work of each prediction. */
static void put_kind(struct json *to, const struct predict_output *of,
		     const struct kind_trend *kind)
{
	json_open(to, NULL, '{');
	json_text(to, "kind", kind->name);
	json_real(to, "share", "%.6g", kind->share);
	if (kind->known) {
		put_law(to, "law", &kind->curve.best[0].law, " ns");
		JSON_REALS(to, "%.6g", { "residual", kind->curve.best[0].rms },
			   { "held_out", kind->curve.best[0].held_out });
	}
	json_open(to, "work_ns", '[');
	for (unsigned i = 0; kind->known && i < of->n; i++)
		json_real(to, NULL, "%.0f",
			  trend_kind_at(&of->predict->model, kind, of->prediction[i].told.n,
					of->prediction[i].told.p));
	json_close(to, ']');
	json_close(to, '}');
}

void predict_json(FILE *out, const struct predict_output *of)
{
	const struct predict *predict = of->predict;
	const struct trend *model = &predict->model;
	struct json json, *to = &json;
	char text[TEXT];

	json_begin(to, out);
	json_text(to, "program", of->program);
	json_text(to, "runtime", of->runtime);
	json_open(to, "predictions", '[');
	for (unsigned i = 0; i < of->n; i++)
		put_prediction(to, predict, &of->prediction[i]);
	json_close(to, ']');
	json_open(to, "kinds", '[');
	for (unsigned k = 0; k < model->kinds.n; k++)
		put_kind(to, of, &model->kinds.kind[k]);
	json_close(to, ']');
	put_model(to, model);
	if (predict->has_direct) {
		direct_text(&predict->direct, text, sizeof(text));
		json_text(to, "direct", text);
	}
	JSON_REALS(to, "%.6g", { "residual", predict->residual },
		   { "work_ratio_allowed", predict->ratio });
	json_number(to, "workers_allowed",
		    (model->n_widths == 1 ? 1 : PREDICT_P_TIMES) * model->p_most);
	put_held(to, predict);
	json_open(to, "traces", '[');
	for (unsigned i = 0; i < predict->n_samples; i++)
		put_trace(to, predict, &predict->sample[i]);
	json_close(to, ']');
	json_end(to);
}
