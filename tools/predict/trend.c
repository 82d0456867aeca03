/* SPDX-License-Identifier: MIT */
/* trend.c - fits the curves, then the parts, to runs. */
#include "tools/predict/trend.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"

/*
 * How the work of each kind grows with n: a curve for each, chosen as that of all work.
 *
 * Kinds with at least a hundredth of the work of the largest size are told, at most KINDS_TOLD of
 * them, the largest first.  Their sum is another model of all work: of a program with several
 * kinds each often follows a simpler law than all of them together.
 */

#define LEAST_SHARE .01
#define NEARLY_ALL .95

static double work_of(const struct sample *sample, const char *name)
{
	for (unsigned i = 0; i < sample->n_kinds; i++)
		if (strcmp(sample->kind[i].name, name) == 0)
			return sample->kind[i].least_work_ns;
	return 0;
}

/* By size, the least over all numbers of workers, as on one. */
static void fill(const struct kind_runs *runs, const char *name, double *work)
{
	unsigned size = 0;

	for (unsigned i = 0; i < runs->n_samples; i++) {
		const struct sample *sample = &runs->sample[i];
		double ns = work_of(sample, name) / runs->stretch[i];
		bool is_first = i == 0 || sample->n != runs->sample[i - 1].n;

		size += i > 0 && is_first;
		work[size] = is_first ? ns : fmin(work[size], ns);
	}
}

/* Whether it is there from some size on. */
static bool is_steady(const double *work, unsigned n)
{
	while (n > 0 && work[n - 1] > 0)
		n--;
	while (n > 0 && work[n - 1] <= 0)
		n--;
	return n == 0;
}

static void fit(struct kind_trend *kind, const struct kind_runs *runs, double *work)
{
	struct law_points points = { .n = runs->size,
				     .y = work,
				     .tasks = runs->tasks,
				     .tasks_error = runs->tasks_error,
				     .count = runs->n_sizes };

	fill(runs, kind->name, work);
	kind->known = is_steady(work, runs->n_sizes) && curve_fit(&kind->curve, &points, false) &&
		      !kind->curve.none;
}

ORDER(by_share, struct kind_trend, BY_MOST(share) ?: strcmp(x->name, y->name))

static void kind_trends_fit(struct kind_trends *trends, const struct kind_runs *runs)
{
	const struct sample *largest = &runs->sample[runs->n_samples - 1];
	struct kind_trend *all = xcalloc(largest->n_kinds + 1ull, sizeof(*all));
	double *work = xmalloc(runs->n_sizes * sizeof(*work));
	double told = 0;
	unsigned n = 0;

	*trends = (struct kind_trends){ 0 };
	for (unsigned i = 0; i < largest->n_kinds; i++) {
		double share = largest->kind[i].work_ns / largest->work_ns;

		if (share >= LEAST_SHARE)
			all[n++] = (struct kind_trend){ .name = largest->kind[i].name,
							.share = share };
	}
	SORT(all, n, by_share);
	for (unsigned i = 0; i < n && i < KINDS_TOLD; i++) {
		fit(&all[i], runs, work);
		trends->kind[trends->n++] = all[i];
		told += all[i].known ? all[i].share : 0;
	}
	if (told >= NEARLY_ALL && trends->kind[0].share < NEARLY_ALL)
		trends->sum_of = told;
	free(all);
	free(work);
}

/* All work on one worker, as the sum of its kinds; 0: they do not tell it. */
static double kind_trends_sum(const struct kind_trends *trends, double n, double tasks)
{
	double sum = 0;

	if (!(trends->sum_of > 0))
		return 0;
	for (unsigned k = 0; k < trends->n; k++)
		if (trends->kind[k].known)
			sum += curve_at(&trends->kind[k].curve, n, tasks, NULL, NULL);
	return sum / trends->sum_of;
}

const char *const trend_curve_name[CURVES] = { "tasks", "waits", "work", "span" };

static double figure_of(const struct sample *sample, enum trend_curve of)
{
	const double figure[CURVES] = { [CURVE_TASKS] = sample->tasks,
					[CURVE_WAITS] = sample->waits,
					[CURVE_WORK] = sample->least_work_ns,
					[CURVE_SPAN] = sample->least_span_ns };

	return figure[of];
}

/* ---- sizes ---- */

static double median(double *value, unsigned n)
{
	SORT(value, n, order_reals);
	return value[(n - 1) / 2]; /* of two the lower: what disturbs a run only adds */
}

static double stretch_at(const struct trend *model, double p, bool crowded)
{
	const struct parts_at at = { .p = p };

	return 1 +
	       part_at(crowded ? &model->crowded[PART_STRETCH] : &model->part[PART_STRETCH], &at);
}

/* How many samples from there on have its n. */
static unsigned of_size(const struct trend *model, unsigned from)
{
	unsigned end = from;

	while (end < model->n_samples && model->sample[end].n == model->sample[from].n)
		end++;
	return end - from;
}

/* Medians over the runs of each n; true: all runs of each n have the same number. */
static bool fill_figure(struct trend *model, enum trend_curve of, double *room)
{
	bool is_time = of == CURVE_WORK || of == CURVE_SPAN, same = true;

	for (unsigned from = 0, i = 0; from < model->n_samples; i++) {
		unsigned n = of_size(model, from);

		for (unsigned k = 0; k < n; k++) {
			const struct sample *sample = &model->sample[from + k];

			room[k] = figure_of(sample, of);
			same &= room[k] == room[0];
			if (is_time)
				room[k] /= stretch_at(model, sample->p, false);
		}
		model->size[i] = model->sample[from].n;
		model->figure[of][i] = median(room, n);
		from += n;
	}
	return same;
}

static int fit_curve(struct trend *model, enum trend_curve of, double *room, struct err *err)
{
	struct law_points points = { .n = model->size,
				     .y = model->figure[of],
				     .count = model->n_sizes };
	bool same = fill_figure(model, of, room), is_count = of == CURVE_TASKS || of == CURVE_WAITS;

	if (!is_count && model->tasks_same) {
		points.tasks = model->figure[CURVE_TASKS];
		points.tasks_error = model->curve[CURVE_TASKS].best[0].held_out;
	}
	if (curve_fit(&model->curve[of], &points, is_count && same)) {
		model->tasks_same |= of == CURVE_TASKS && same && !model->curve[of].none;
		return 0;
	}
	if (is_count) { /* parts do without them */
		model->curve[of] = (struct curve){ .none = true, .unknown = true };
		return 0;
	}
	return err_set(err, ENODATA, "no law tells how the %s grows with n; record more sizes",
		       trend_curve_name[of]);
}

/* The curve of work stands; `room` has one for each sample. */
static void fit_kinds(struct trend *model, double *room)
{
	struct kind_runs runs = { .sample = model->sample,
				  .n_samples = model->n_samples,
				  .n_sizes = model->n_sizes,
				  .size = model->size,
				  .stretch = room };

	for (unsigned i = 0; i < model->n_samples; i++)
		room[i] = stretch_at(model, model->sample[i].p, false);
	if (model->tasks_same) {
		runs.tasks = model->figure[CURVE_TASKS];
		runs.tasks_error = model->curve[CURVE_TASKS].best[0].held_out;
	}
	kind_trends_fit(&model->kinds, &runs);
}

/* ---- parts ---- */

struct rows {
	struct parts_at at[SQUARES_ROWS];
	double y[SQUARES_ROWS], weight[SQUARES_ROWS], base[SQUARES_ROWS];
	struct part_points points;
};

static void find_both(struct trend *model, struct rows *rows, enum part which)
{
	rows->points.at = rows->at;
	rows->points.y = rows->y;
	rows->points.weight = rows->weight;
	rows->points.base = rows->base;
	rows->points.n_widths = model->n_widths;
	part_find(&model->part[which], which, false, &rows->points);
	part_find(&model->crowded[which], which, true, &rows->points);
}

/* Runs of one n on more workers, against those of it on the fewest.  Large runs are less noisy. */
static void fit_stretch(struct trend *model, struct rows *rows, double *room)
{
	double most = model->sample[model->n_samples - 1].work_ns;

	rows->points.count = 0;
	for (unsigned from = 0; from < model->n_samples;) {
		const struct sample *base = &model->sample[from];
		unsigned n = of_size(model, from), same = 0;
		double work;

		for (; same < n && base[same].p == base->p; same++)
			room[same] = base[same].least_work_ns;
		work = median(room, same);
		for (unsigned k = same; k < n; k++) {
			unsigned i = rows->points.count++;

			rows->at[i] = (struct parts_at){ .p = base[k].p };
			rows->base[i] = base->p;
			rows->y[i] = base[k].least_work_ns / work - 1;
			rows->weight[i] = sqrt(fmin(1, work / most));
		}
		from += n;
	}
	find_both(model, rows, PART_STRETCH);
}

/* What the shape of the run itself leaves idle. */
static double idle_of(const struct sample *sample)
{
	double elapsed = widths_elapsed(&sample->widths, WIDTHS_FACTOR, sample->work_ns,
					sample->span_ns, sample->p);

	return fmax(0, elapsed * sample->p - sample->work_ns);
}

static void fit_part(struct trend *model, struct rows *rows, enum part which)
{
	bool tasks = !model->curve[CURVE_TASKS].none, waits = !model->curve[CURVE_WAITS].none;

	rows->points.count = model->n_samples;
	for (unsigned i = 0; i < model->n_samples; i++) {
		const struct sample *sample = &model->sample[i];
		double stretch = stretch_at(model, sample->p, false);

		rows->at[i] = (struct parts_at){ .p = sample->p,
						 .work_ns = sample->work_ns / stretch,
						 .span_ns = sample->span_ns / stretch,
						 .tasks = tasks ? sample->tasks : 0,
						 .waits = waits ? sample->waits : 0 };
		rows->weight[i] = 1 / (sample->elapsed_ns * sample->p);
		rows->y[i] = which == PART_DELAY   ? sample->delay_ns
			     : which == PART_SCHED ? sample->sched_ns
						   : sample->app_ns - idle_of(sample);
	}
	find_both(model, rows, which);
}

/* ---- shape ---- */

/* How far the shape of a smaller run, stretched to the largest one's work and span, is from it. */
static double shape_error(const struct sample *from, const struct sample *to, enum widths_way way)
{
	double sum = 0, work = widths_work(&to->widths), span = widths_span(&to->widths);

	for (double p = 2; p <= 64; p *= 2) {
		double told = widths_elapsed(&from->widths, way, work, span, p);
		double is = widths_elapsed(&to->widths, WIDTHS_FACTOR, work, span, p);

		sum += log(told / is) * log(told / is);
	}
	return sum;
}

/* Of the smaller sizes, that on the fewest workers each, against the largest. */
static void choose_shape(struct trend *model)
{
	unsigned last = 0;
	double error[WIDTHS_WAYS] = { 0 };

	for (unsigned i = 0; i < model->n_samples; i += of_size(model, i))
		last = i;
	model->shape = &model->sample[last];
	for (unsigned i = 0; i < last; i += of_size(model, i))
		for (int way = 0; way < WIDTHS_WAYS; way++)
			error[way] +=
				shape_error(&model->sample[i], model->shape, (enum widths_way)way);
	model->way = error[WIDTHS_FACTOR] < error[WIDTHS_POWER] ? WIDTHS_FACTOR : WIDTHS_POWER;
	model->way_known = fabs(error[WIDTHS_FACTOR] - error[WIDTHS_POWER]) > 1e-9;
}

/* ---- all of it ---- */

/* Tasks are hardly shorter than those of the larger sizes: counts grow no faster than work. */
#define HEADROOM 1.5

static void find_most(struct trend *model, enum trend_curve of)
{
	for (unsigned i = model->n_sizes / 2; i < model->n_sizes; i++)
		model->most_per_ns[of] = fmax(model->most_per_ns[of],
					      model->figure[of][i] / model->figure[CURVE_WORK][i]);
}

static double count_at(const struct trend *model, enum trend_curve of, double n, double count,
		       double work_ns)
{
	double most = HEADROOM * model->most_per_ns[of] * work_ns;

	return curve_is_exact(&model->curve[of], n) ? count : fmin(count, most);
}

static void count(struct trend *model)
{
	bool seen[SQUARES_ROWS];

	model->p_least = UINT32_MAX;
	for (unsigned i = 0; i < model->n_samples; i++) {
		uint32_t p = model->sample[i].p;

		model->n_sizes += i == 0 || model->sample[i].n != model->sample[i - 1].n;
		model->p_least = p < model->p_least ? p : model->p_least;
		model->p_most = p > model->p_most ? p : model->p_most;
		seen[i] = false;
		for (unsigned k = 0; k < i && !seen[i]; k++)
			seen[i] = model->sample[k].p == p;
		model->n_widths += !seen[i];
	}
}

static int fit_all(struct trend *model, double *room, struct err *err)
{
	struct rows *rows = xcalloc(1, sizeof(*rows));
	int error = 0;

	fit_stretch(model, rows, room);
	for (int of = 0; of < CURVES && !error; of++)
		error = fit_curve(model, (enum trend_curve)of, room, err);
	if (!error)
		fit_kinds(model, room);
	for (int of = CURVE_TASKS; of <= CURVE_WAITS && !error; of++)
		find_most(model, (enum trend_curve)of);
	for (int which = PART_DELAY; which < PARTS; which++)
		fit_part(model, rows, (enum part)which);
	choose_shape(model);
	free(rows);
	return error;
}

int trend_fit(struct trend *model, const struct sample *sample, unsigned n_samples, struct err *err)
{
	double *room = xmalloc((n_samples + 1) * sizeof(*room));
	int error;

	*model = (struct trend){ .sample = sample, .n_samples = n_samples };
	count(model);
	model->size = xmalloc((n_samples + 1) * sizeof(*model->size));
	for (int of = 0; of < CURVES; of++)
		model->figure[of] = xmalloc((n_samples + 1) * sizeof(double));
	error = fit_all(model, room, err);
	free(room);
	if (error)
		trend_free(model);
	return error;
}

void trend_free(struct trend *model)
{
	free(model->size);
	for (int of = 0; of < CURVES; of++)
		free(model->figure[of]);
	*model = (struct trend){ 0 };
}

/* ---- what it tells ---- */

/* With work and span of one worker given, and what p workers make of them. */
static struct told combine(const struct trend *model, struct parts_at at, double n, double stretch,
			   bool crowded)
{
	const struct part_fit *part = crowded ? model->crowded : model->part;
	struct told told = { .n = n, .p = at.p, .tasks = at.tasks, .waits = at.waits };
	double ideal;

	at.span_ns = fmin(at.span_ns, at.work_ns);
	told.work_ns = at.work_ns * stretch;
	told.span_ns = at.span_ns * stretch;
	ideal = widths_elapsed(&model->shape->widths, model->way, told.work_ns, told.span_ns, at.p);
	told.delay_ns = part_at(&part[PART_DELAY], &at);
	told.sched_ns = part_at(&part[PART_SCHED], &at);
	told.app_ns = fmax(0, ideal * at.p - told.work_ns) + part_at(&part[PART_EXCESS], &at);
	told.elapsed_ns = (told.work_ns + told.delay_ns + told.sched_ns + told.app_ns) / at.p;
	return told;
}

#define NORMAL_90 1.645

/* How far the stretch may be off, as p workers are more than were traced: a part that grows with p
 * shows only where there are many. */
static double stretch_doubt(const struct trend *model, double p)
{
	double doubt = model->part[PART_STRETCH].doubt;

	return isfinite(doubt) && model->n_widths > 1 ? NORMAL_90 * doubt * (p - 1) : 0;
}

static double work_at(const struct trend *model, double n, double tasks, double *low, double *high)
{
	double all = curve_at(&model->curve[CURVE_WORK], n, tasks, low, high);
	double sum = kind_trends_sum(&model->kinds, n, tasks);

	if (!(sum > 0))
		return all;
	*low = fmin(*low, sum);
	*high = fmax(*high, sum);
	return sqrt(all * sum);
}

double trend_kind_at(const struct trend *model, const struct kind_trend *kind, double n, double p)
{
	double tasks = curve_at(&model->curve[CURVE_TASKS], n, 0, NULL, NULL);

	if (!kind->known)
		return 0;
	return curve_at(&kind->curve, n, tasks, NULL, NULL) * stretch_at(model, p, false);
}

struct told trend_at(const struct trend *model, double n, double p, struct told *low,
		     struct told *high)
{
	const struct curve *curve = model->curve;
	double stretch = stretch_at(model, p, false), crowded = stretch_at(model, p, true);
	double doubt = stretch_doubt(model, p);
	struct parts_at at = { .p = p }, least, most;

	at.tasks = curve_at(&curve[CURVE_TASKS], n, 0, NULL, NULL);
	at.waits = curve_at(&curve[CURVE_WAITS], n, 0, NULL, NULL);
	least = most = at;
	at.work_ns = work_at(model, n, at.tasks, &least.work_ns, &most.work_ns);
	at.tasks = count_at(model, CURVE_TASKS, n, at.tasks, at.work_ns);
	at.waits = count_at(model, CURVE_WAITS, n, at.waits, at.work_ns);
	least.tasks = most.tasks = at.tasks;
	least.waits = most.waits = at.waits;
	at.span_ns = curve_at(&curve[CURVE_SPAN], n, at.tasks, &least.span_ns, &most.span_ns);
	if (low)
		*low = combine(model, least, n, fmax(1, stretch - doubt), false);
	if (high) {
		struct told other = combine(model, most, n, fmax(crowded, stretch + doubt), true);

		*high = combine(model, most, n, stretch + doubt, false);
		*high = other.elapsed_ns > high->elapsed_ns ? other : *high;
	}
	return combine(model, at, n, stretch, false);
}
