/* SPDX-License-Identifier: MIT */
/* predict.c - the test of a model on the largest sizes, its interval and its reach. */
#include "tools/predict/predict.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"
#include "tools/predict/law.h"

/*
 * Elapsed time regressed on n and p directly, to stand beside the model (trend.h).
 *
 * What one would do without traces.  Three forms, and the one that tells the held-out largest sizes
 * best:
 *
 *	sum	at most three of {1, n, n log n, n^2, n^2 log n, n^3} x {1, 1/p}, none below 0
 *	power	log T = a + b log n + c log p [Barnes et al.]
 *	growth	log T = a + b n + c log p; not for n of LAW_LARGEST and more
 */

#define TERMS 12u
#define MOST_TERMS 3u

static double term_at(unsigned term, double n, double p)
{
	double l = n > 1 ? log2(n) : 0;
	const double of_n[] = { 1, n, n * l, n * n, n * n * l, n * n * n };

	return of_n[term / 2] / (term % 2 ? p : 1);
}

static bool fit_sum(struct direct *direct, const struct sample *sample, unsigned n)
{
	static _Thread_local double column[TERMS][SQUARES_ROWS], y[SQUARES_ROWS], w[SQUARES_ROWS];
	struct squares in = { .n_rows = n, .n_columns = TERMS, .y = y, .weight = w };

	for (unsigned k = 0; k < TERMS; k++)
		in.column[k] = column[k];
	for (unsigned i = 0; i < n; i++) {
		y[i] = sample[i].elapsed_ns;
		w[i] = 1 / y[i];
		for (unsigned k = 0; k < TERMS; k++)
			column[k][i] = term_at(k, sample[i].n, sample[i].p);
	}
	squares_sparse(&direct->sum, &in, MOST_TERMS);
	return direct->sum.n > 0;
}

/* Two regressors about their means; the second one may be the same in all runs. */
static bool fit_logs(struct direct *direct, const struct sample *sample, unsigned n)
{
	double f[3], mean[3] = { 0 }, s[3][3] = { { 0 } }, det;

	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < n; i++) {
			f[0] = direct->form == DIRECT_POWER ? log(sample[i].n) : sample[i].n;
			f[1] = log(sample[i].p);
			f[2] = log(sample[i].elapsed_ns);
			for (int j = 0; j < 3; j++)
				if (pass == 0)
					mean[j] += f[j] / n;
			for (int j = 0; pass && j < 3; j++)
				for (int k = 0; k < 3; k++)
					s[j][k] += (f[j] - mean[j]) * (f[k] - mean[k]);
		}
	det = s[0][0] * s[1][1] - s[0][1] * s[0][1];
	if (!(s[0][0] > 0))
		return false;
	if (det > 1e-9 * s[0][0] * s[1][1]) {
		direct->b = (s[0][2] * s[1][1] - s[1][2] * s[0][1]) / det;
		direct->c = (s[1][2] * s[0][0] - s[0][2] * s[0][1]) / det;
	} else {
		direct->b = s[0][2] / s[0][0];
		direct->c = 0;
	}
	direct->a = mean[2] - direct->b * mean[0] - direct->c * mean[1];
	return true;
}

static bool fit_form(struct direct *direct, enum direct_form form, const struct sample *sample,
		     unsigned n)
{
	*direct = (struct direct){ .form = form };
	if (form == DIRECT_GROWTH && sample[n - 1].n >= LAW_LARGEST)
		return false;
	return form == DIRECT_SUM ? fit_sum(direct, sample, n) : fit_logs(direct, sample, n);
}

/* ns */
static double direct_at(const struct direct *direct, double n, double p)
{
	double sum = 0;

	if (direct->form != DIRECT_SUM)
		return exp(direct->a + direct->b * (direct->form == DIRECT_POWER ? log(n) : n) +
			   direct->c * log(p));
	for (unsigned k = 0; k < direct->sum.n; k++)
		sum += direct->sum.c[k] * term_at(direct->sum.column[k], n, p);
	return sum;
}

/* Samples by n; the last n_held of them choose the form.  False if no form tells the rest. */
static bool direct_fit(struct direct *direct, const struct sample *sample, unsigned n_samples,
		       unsigned n_held)
{
	unsigned n_train = n_samples - n_held;
	double least = INFINITY;
	enum direct_form best = DIRECT_FORMS;

	for (int form = 0; form < DIRECT_FORMS; form++) {
		double sum = 0;

		if (!fit_form(direct, (enum direct_form)form, sample, n_train))
			continue;
		for (unsigned i = n_train; i < n_samples; i++) {
			double told = direct_at(direct, sample[i].n, sample[i].p);

			sum += log(told / sample[i].elapsed_ns) * log(told / sample[i].elapsed_ns);
		}
		if (sum < least) {
			least = sum;
			best = (enum direct_form)form;
		}
	}
	return best < DIRECT_FORMS && fit_form(direct, best, sample, n_samples);
}

void direct_text(const struct direct *direct, char *out, size_t room)
{
	static const char *const of_n[] = { "", " n", " n log n", " n^2", " n^2 log n", " n^3" };
	size_t n = 0;

	if (direct->form == DIRECT_POWER)
		snprintf(out, room, "%.4g ns n^%.4g p^%.3g", exp(direct->a), direct->b, direct->c);
	else if (direct->form == DIRECT_GROWTH)
		snprintf(out, room, "%.4g ns x %.5g^n p^%.3g", exp(direct->a), exp(direct->b),
			 direct->c);
	for (unsigned k = 0; direct->form == DIRECT_SUM && k < direct->sum.n && n < room; k++)
		n += (size_t)snprintf(out + n, room - n, "%s%.4g ns%s%s", k ? " + " : "",
				      direct->sum.c[k], of_n[direct->sum.column[k] / 2],
				      direct->sum.column[k] % 2 ? " / p" : "");
}

#define CONTRADICT 2. /* times as many tasks for the same n and p */
#define ERROR_LEAST .005

/* ---- what is refused ---- */

static unsigned count_sizes(const struct sample *sample, unsigned n)
{
	unsigned sizes = 0;

	for (unsigned i = 0; i < n; i++)
		sizes += i == 0 || sample[i].n != sample[i - 1].n;
	return sizes;
}

static int refuse_few(const struct sample *sample, unsigned n, struct err *err)
{
	unsigned sizes = count_sizes(sample, n);

	if (n > SQUARES_ROWS)
		return err_set(err, E2BIG, "%u traces; predict takes %u", n, SQUARES_ROWS);
	if (sizes == 1 && n > 1)
		return err_set(err, ENODATA,
			       "all %u traces have n=%g; a prediction over n needs %u different n; "
			       "for other numbers of workers, see `tptrace simulate`",
			       n, sample[0].n, PREDICT_SIZES_LEAST);
	if (sizes < PREDICT_SIZES_LEAST)
		return err_set(
			err, ENODATA,
			"%u different n in %u trace%s; a prediction needs %u: record further "
			"sizes with `record --param n=..`",
			sizes, n, n == 1 ? "" : "s", PREDICT_SIZES_LEAST);
	return 0;
}

/* Runs of one n and p make about as many tasks, or n does not say what they do. */
static int refuse_contradiction(const struct sample *a, const struct sample *b, struct err *err)
{
	if (fmax(a->tasks, b->tasks) <= CONTRADICT * fmin(a->tasks, b->tasks))
		return 0;
	return err_set(err, EINVAL,
		       "%s and %s: both say n=%g and ran on %u worker%s, but made %.0f and %.0f "
		       "tasks; is another parameter different?",
		       a->path, b->path, a->n, a->p, a->p == 1 ? "" : "s", a->tasks, b->tasks);
}

ORDER(by_size, struct sample, BY_LEAST(n) ?: BY_LEAST(p) ?: BY_LEAST(elapsed_ns))

/* Both in the order of names. */
static void least_kinds(struct sample *chosen, const struct sample *other)
{
	for (unsigned i = 0, k = 0; i < chosen->n_kinds && k < other->n_kinds;) {
		int order = strcmp(chosen->kind[i].name, other->kind[k].name);

		if (order == 0)
			chosen->kind[i].least_work_ns =
				fmin(chosen->kind[i].least_work_ns, other->kind[k].least_work_ns);
		i += order <= 0;
		k += order >= 0;
	}
}

/* Keeps the first of sample[from .. end - 1]. */
static struct sample choose(struct sample *sample, unsigned from, unsigned end)
{
	struct sample chosen = sample[from];

	for (unsigned i = from + 1; i < end; i++) {
		chosen.least_work_ns = fmin(chosen.least_work_ns, sample[i].least_work_ns);
		least_kinds(&chosen, &sample[i]);
		chosen.least_span_ns = fmin(chosen.least_span_ns, sample[i].least_span_ns);
		sample_free(&sample[i]);
	}
	sample[from] = (struct sample){ 0 };
	return chosen;
}

int predict_choose(struct sample *sample, unsigned *n_samples, struct err *err)
{
	unsigned kept = 0, end;
	int error = 0;

	SORT(sample, *n_samples, by_size);
	for (unsigned from = 0; from < *n_samples; from = end) {
		for (end = from + 1; end < *n_samples && sample[end].n == sample[from].n &&
				     sample[end].p == sample[from].p;
		     end++)
			error = error ? error
				      : refuse_contradiction(&sample[from], &sample[end], err);
		sample[kept++] = choose(sample, from, end);
	}
	*n_samples = kept;
	return error;
}

static int refuse_idle(const struct sample *sample, unsigned n, struct err *err)
{
	for (unsigned i = 0; i < n; i++)
		if (!(sample[i].work_ns > 0) || !(sample[i].elapsed_ns > 0))
			return err_set(err, ENODATA, "%s: no work was recorded", sample[i].path);
	return 0;
}

/* ---- fit and test ---- */

/* Index of the first run of the sizes that are held out. */
static unsigned first_held(const struct sample *sample, unsigned n, unsigned n_held_sizes)
{
	unsigned at = n, sizes = 0;

	while (at > 0) {
		if (at == n || sample[at - 1].n != sample[at].n)
			sizes++;
		if (sizes > n_held_sizes)
			break;
		at--;
	}
	return at;
}

static double rms_of(const struct predict_check *check, unsigned n, bool direct)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++) {
		double error = log((direct ? check[i].direct_ns : check[i].told_ns) /
				   check[i].sample->elapsed_ns);

		sum += error * error;
	}
	return n ? sqrt(sum / n) : 0;
}

/* The sizes below the held ones tell these. */
static int test(struct predict *predict, struct err *err)
{
	unsigned from, sizes = predict->model.n_sizes;
	struct trend model;
	struct direct direct;
	bool has_direct;
	int error;

	predict->n_held_sizes = sizes / 3 ? sizes / 3 : 1;
	from = first_held(predict->sample, predict->n_samples, predict->n_held_sizes);
	error = trend_fit(&model, predict->sample, from, err);
	if (error)
		return error;
	has_direct = direct_fit(&direct, predict->sample, from,
				from - first_held(predict->sample, from, 1));
	for (unsigned i = from; i < predict->n_samples; i++) {
		const struct sample *sample = &predict->sample[i];
		struct predict_check *check = &predict->held[predict->n_held++];

		check->sample = sample;
		check->told_ns = trend_at(&model, sample->n, sample->p, NULL, NULL).elapsed_ns;
		check->direct_ns = has_direct ? direct_at(&direct, sample->n, sample->p) : 0;
	}
	for (unsigned i = sizes - predict->n_held_sizes; i < sizes; i++)
		predict->distance += log(predict->model.figure[CURVE_WORK][i] /
					 model.figure[CURVE_WORK][model.n_sizes - 1]) /
				     predict->n_held_sizes;
	predict->error = rms_of(predict->held, predict->n_held, false);
	predict->direct_error = has_direct ? rms_of(predict->held, predict->n_held, true) : 0;
	trend_free(&model);
	return 0;
}

/*
 * What 9 of 10 errors are within, over the rms of those of n sizes held out: of so few the rms is
 * itself uncertain [Student 1908].
 */
static double within_90(unsigned n)
{
	static const double student[] = { 6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860 };
	unsigned n_student = sizeof(student) / sizeof(student[0]);

	return student[n == 0 ? 0 : n > n_student ? n_student - 1 : n - 1];
}

/* Of all runs of that size or a larger one. */
static double residual_from(const struct predict *predict, double n)
{
	double sum = 0;
	unsigned count = 0;

	for (unsigned i = 0; i < predict->n_samples; i++) {
		const struct sample *sample = &predict->sample[i];
		double told;

		if (sample->n < n)
			continue;
		told = trend_at(&predict->model, sample->n, sample->p, NULL, NULL).elapsed_ns;
		sum += log(told / sample->elapsed_ns) * log(told / sample->elapsed_ns);
		count++;
	}
	return count ? sqrt(sum / count) : 0;
}

static void find_residuals(struct predict *predict)
{
	unsigned n = predict->model.n_sizes;

	predict->larger_half = predict->model.size[n - curve_half(n)];
	predict->residual = residual_from(predict, 0);
	predict->half_residual = residual_from(predict, predict->larger_half);
}

/* The error to expect at work that is so many times that of the largest trace. */
static double error_at(const struct predict *predict, double ratio)
{
	double error = fmax(predict->error, fmax(predict->half_residual, ERROR_LEAST));

	if (predict->distance > 0 && log(ratio) > predict->distance)
		error *= log(ratio) / predict->distance;
	return error;
}

static double largest_work(const struct predict *predict)
{
	const struct trend *model = &predict->model;
	double most = 0;

	for (unsigned i = 0; i < model->n_sizes; i++)
		most = fmax(most, model->figure[CURVE_WORK][i]);
	return most;
}

/* The work of the largest run over that of the smallest; up to its square if the error stays small.
 */
static double reach_of(const struct predict *predict)
{
	const struct trend *model = &predict->model;
	double least = INFINITY, ratio, farther;

	for (unsigned i = 0; i < model->n_sizes; i++)
		least = fmin(least, model->figure[CURVE_WORK][i]);
	ratio = largest_work(predict) / least;
	farther = exp(predict->distance * PREDICT_ERROR_SMALL / error_at(predict, 1));
	return fmin(fmax(ratio, fmin(ratio * ratio, farther)), PREDICT_RATIO_MOST);
}

int predict_fit(struct predict *predict, const struct sample *sample, unsigned n_samples,
		struct err *err)
{
	int error = refuse_few(sample, n_samples, err);

	*predict = (struct predict){ .sample = sample, .n_samples = n_samples };
	if (!error)
		error = refuse_idle(sample, n_samples, err);
	if (error)
		return error;
	predict->held = xcalloc(n_samples, sizeof(*predict->held));
	error = trend_fit(&predict->model, sample, n_samples, err) ?: test(predict, err);
	if (error) {
		predict_free(predict);
		return error;
	}
	predict->has_direct = direct_fit(&predict->direct, sample, n_samples, predict->n_held);
	find_residuals(predict);
	predict->ratio = reach_of(predict);
	return 0;
}

void predict_free(struct predict *predict)
{
	trend_free(&predict->model);
	free(predict->held);
	*predict = (struct predict){ 0 };
}

/* ---- how far ---- */

static double work_ratio(const struct predict *predict, double n)
{
	const struct curve *curve = predict->model.curve;
	double tasks = curve_at(&curve[CURVE_TASKS], n, 0, NULL, NULL);

	return curve_at(&curve[CURVE_WORK], n, tasks, NULL, NULL) / largest_work(predict);
}

/* The largest n between the largest traced one and a refused one that is near enough. */
static double farthest(const struct predict *predict, double refused)
{
	double low = predict->model.size[predict->model.n_sizes - 1], high = refused;

	for (int i = 0; i < 60 && low < high; i++) {
		double middle = (low + high) / 2, ratio = work_ratio(predict, middle);

		if (isfinite(ratio) && ratio <= predict->ratio)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int refuse_p(const struct predict *predict, double p, struct err *err)
{
	const struct trend *model = &predict->model;

	if (p < 1 || p != floor(p))
		return err_set(err, ERANGE, "invalid number of workers p=%g", p);
	if (model->n_widths == 1 && p != model->p_most)
		return err_set(err, ERANGE,
			       "p=%g: all traces are of %u worker%s, and say nothing of other "
			       "numbers; record the sizes on another number, too",
			       p, model->p_most, model->p_most == 1 ? "" : "s");
	if (p > PREDICT_P_TIMES * (double)model->p_most)
		return err_set(err, ERANGE,
			       "p=%g is too far from the traces, of at most %u workers: p up to %u "
			       "is allowed",
			       p, model->p_most, PREDICT_P_TIMES * model->p_most);
	return 0;
}

static int refuse_n(const struct predict *predict, double n, double ratio, struct err *err)
{
	const struct trend *model = &predict->model;
	double least = model->size[0], most = model->size[model->n_sizes - 1];

	if (n < least)
		return err_set(err, ERANGE,
			       "n=%g is below all traces: n from %g on is allowed; record smaller "
			       "ones",
			       n, least);
	if (n > most && !(ratio <= predict->ratio || (predict->beyond && isfinite(ratio))))
		return err_set(err, ERANGE,
			       "n=%g is too far from the traces: %.3g times the work of the "
			       "largest (n=%g); %.3g times is allowed, n up to about %.4g; "
			       "`predict --beyond` insists",
			       n, ratio, most, predict->ratio, floor(farthest(predict, n)));
	return 0;
}

int predict_at(const struct predict *predict, double n, double p, struct prediction *prediction,
	       struct err *err)
{
	double ratio = work_ratio(predict, n), wide;
	struct told low, high;
	int error = refuse_p(predict, p, err) ?: refuse_n(predict, n, ratio, err);

	if (error)
		return error;
	prediction->told = trend_at(&predict->model, n, p, &low, &high);
	wide = error_at(predict, ratio) * within_90(predict->n_held_sizes);
	if (n <= predict->model.size[predict->model.n_sizes - 1])
		wide = fmax(n < predict->larger_half ? predict->residual : predict->half_residual,
			    ERROR_LEAST) *
		       within_90(predict->n_samples);
	prediction->bound_ns = fmax(prediction->told.work_ns / p, prediction->told.span_ns);
	prediction->greedy_ns = prediction->told.work_ns / p + prediction->told.span_ns;
	prediction->low_ns = fmin(low.elapsed_ns, prediction->told.elapsed_ns) * exp(-wide);
	prediction->high_ns = fmax(high.elapsed_ns, prediction->told.elapsed_ns) * exp(wide);
	prediction->direct_ns = predict->has_direct ? direct_at(&predict->direct, n, p) : 0;
	prediction->work_ratio = ratio;
	prediction->tasks_are_known = !predict->model.curve[CURVE_TASKS].unknown;
	prediction->tasks_are_exact = curve_is_exact(&predict->model.curve[CURVE_TASKS], n);
	return 0;
}
