/* SPDX-License-Identifier: MIT */
/* tried.c - simulated advice, in words and as JSON. */
#include "tools/summary/tried.h"

#include "tools/base/at_most.h"
#include "tools/base/units.h"
#include "tools/table/fit.h"
#include "tools/table/look.h"
#include "tools/summary/summary.h"

#define LINE (TRIED_TEXT + 240)

static double change_of(uint64_t ns, uint64_t from)
{
	return from ? 100 * ((double)ns / (double)from - 1) : 0;
}

/* Whether chance alone could explain the difference. */
static bool is_noise(const struct tried_time *a, const struct tried_time *b)
{
	return a->low_ns <= b->high_ns && b->low_ns <= a->high_ns;
}

static void put_line(FILE *out, const char *line, int indent, const struct look *look)
{
	fprintf(out, "%*s", indent, "");
	fit_words(out, line, indent, indent + 5, (int)look->width);
}

/* "experiment scan x1.2 agrees: elapsed +19.8 %, simulated +20.0 %" */
static void say_experiment(char line[LINE], const struct tried_experiment *of)
{
	if (of->verdict == TRIED_OPEN)
		snprintf(line, LINE, "experiment %s: not decided, %s", of->slowed, of->name);
	else
		snprintf(line, LINE, "experiment %s %s: elapsed %+.1f %%, simulated %+.1f %%",
			 of->slowed, of->name, 100 * of->measured, 100 * of->predicted);
}

static void put_experiments(FILE *out, const struct tried *tried, const struct tried_change *change,
			    int indent, const struct look *look)
{
	char line[LINE];

	for (uint32_t i = 0; i < tried->n_experiments; i++) {
		if (!(change->experiments >> i & 1))
			continue;
		say_experiment(line, &tried->experiment[i]);
		put_line(out, line, indent, look);
	}
}

/* The best one that no experiment contradicts; if there is none, the best of all. */
static const struct tried_change *best_of(const struct tried_finding *finding)
{
	for (uint32_t i = 0; i < finding->n; i++)
		if (!finding->change[i].is_withdrawn)
			return &finding->change[i];
	return &finding->change[0];
}

uint64_t tried_gain_ns(const struct summary *summary, uint32_t finding, uint64_t else_ns)
{
	const struct tried *tried = summary->tried;
	const struct tried_change *best;

	if (!tried || !tried->finding || !tried->finding[finding].n)
		return else_ns;
	best = best_of(&tried->finding[finding]);
	return best->is_withdrawn
		       ? 0
		       : tried->baseline.elapsed_ns -
				 at_most(best->time.elapsed_ns, tried->baseline.elapsed_ns);
}

void tried_put_finding(FILE *out, const struct summary *summary, uint32_t finding, int indent,
		       const struct look *look)
{
	const struct tried *tried = summary->tried;
	const struct tried_change *best;
	char line[LINE], with[UNITS_TIME], without[UNITS_TIME];

	if (!tried || !tried->finding || !tried->finding[finding].n)
		return;
	best = best_of(&tried->finding[finding]);
	if (best->is_withdrawn)
		snprintf(line, sizeof(line),
			 "withdrawn: what %s would give; the simulation is wrong about this kind",
			 best->change);
	else if (is_noise(&best->time, &tried->baseline))
		snprintf(line, sizeof(line), "simulated: no difference beyond chance with %s",
			 best->change);
	else
		snprintf(line, sizeof(line), "simulated: %s%s with %s, %s without: %+.0f %%",
			 best->is_bound ? "at best " : "", units_time(with, best->time.elapsed_ns),
			 best->change, units_time(without, tried->baseline.elapsed_ns),
			 change_of(best->time.elapsed_ns, tried->baseline.elapsed_ns));
	put_line(out, line, indent, look);
	put_experiments(out, tried, best, indent, look);
}

/* How far the simulation of the recorded run is from that run. */
static void say_baseline(char line[LINE], const struct tried *tried)
{
	char simulated[UNITS_TIME], measured[UNITS_TIME];
	double off = change_of(tried->baseline.elapsed_ns, tried->recorded_ns);

	units_time(simulated, tried->baseline.elapsed_ns);
	units_time(measured, tried->recorded_ns);
	if (tried->is_trusted)
		snprintf(line, LINE,
			 "simulated on %u worker%s, policy %s: %u %s each; the recorded run "
			 "simulates to %s, and took %s",
			 tried->n_workers, units_s(tried->n_workers), tried->policy, tried->n_runs,
			 tried->n_runs == 1 ? "run" : "runs", simulated, measured);
	else
		snprintf(line, LINE,
			 "no advice is simulated: the recorded run itself simulates to %s (policy "
			 "%s, %u worker%s), %+.0f %% of the measured %s",
			 simulated, tried->policy, tried->n_workers, units_s(tried->n_workers), off,
			 measured);
}

/* Experiments that no advice is about. */
static void put_others(FILE *out, const struct tried *tried, int indent, const struct look *look)
{
	char line[LINE], text[LINE + 32];

	for (uint32_t i = 0; i < tried->n_experiments; i++) {
		if (tried->experiment[i].is_of_advice)
			continue;
		say_experiment(line, &tried->experiment[i]);
		snprintf(text, sizeof(text), "%s (concerns no advice)", line);
		put_line(out, text, indent, look);
	}
}

void tried_put_end(FILE *out, const struct summary *summary, int indent, const struct look *look)
{
	const struct tried *tried = summary->tried;
	char line[LINE];

	if (!tried)
		return;
	if (tried->why_not)
		snprintf(line, sizeof(line), "no advice is simulated: %s", tried->why_not);
	else
		say_baseline(line, tried);
	put_line(out, line, indent, look);
	put_others(out, tried, indent, look);
	if (!tried->n_left_out)
		return;
	snprintf(line, sizeof(line),
		 "%u %s left out, as this trace is large: `tptrace simulate` tries one change",
		 tried->n_left_out, tried->n_left_out == 1 ? "finding is" : "findings are");
	put_line(out, line, indent, look);
}

/* ---- JSON ---- */

static void put_time(struct json *to, const struct tried_time *time)
{
	JSON_NUMBERS(to, { "elapsed_ns", time->elapsed_ns }, { "low_ns", time->low_ns },
		     { "high_ns", time->high_ns });
}

/* With --against only: by their places in the report's list. */
static void put_json_experiments(struct json *to, const struct tried *tried,
				 const struct tried_change *change)
{
	if (!tried->n_experiments)
		return;
	json_bool(to, "withdrawn", change->is_withdrawn);
	json_open(to, "experiments", '[');
	for (uint32_t i = 0; i < tried->n_experiments; i++)
		if (change->experiments >> i & 1)
			json_number(to, NULL, i);
	json_close(to, ']');
}

void tried_put_json_finding(struct json *to, const struct tried *tried, uint32_t finding)
{
	const struct tried_finding *of;

	if (!tried || !tried->finding)
		return;
	of = &tried->finding[finding];
	json_open(to, "what_if", '[');
	for (uint32_t i = 0; i < of->n; i++) {
		json_open(to, NULL, '{');
		json_text(to, "change", of->change[i].change);
		json_bool(to, "at_best", of->change[i].is_bound);
		put_time(to, &of->change[i].time);
		put_json_experiments(to, tried, &of->change[i]);
		json_close(to, '}');
	}
	json_close(to, ']');
}

static void put_simulation(struct json *to, const struct tried *tried)
{
	json_number(to, "workers", tried->n_workers);
	json_text(to, "policy", tried->policy);
	JSON_NUMBERS(to, { "runs", tried->n_runs }, { "seed", tried->seed },
		     { "recorded_ns", tried->recorded_ns });
	put_time(to, &tried->baseline);
	json_bool(to, "trusted", tried->is_trusted);
	json_number(to, "left_out", tried->n_left_out);
}

void tried_put_json(struct json *to, const struct tried *tried)
{
	if (!tried)
		return;
	json_open(to, "what_if", '{');
	json_text(to, "why_not", tried->why_not);
	if (!tried->why_not)
		put_simulation(to, tried);
	if (tried->n_experiments)
		json_open(to, "experiments", '[');
	for (uint32_t i = 0; i < tried->n_experiments; i++) {
		const struct tried_experiment *of = &tried->experiment[i];

		json_open(to, NULL, '{');
		json_text(to, "slowed", of->slowed);
		json_text(to, "verdict", of->name);
		JSON_REALS(to, "%.6f", { "measured", of->measured },
			   { "predicted", of->predicted });
		json_close(to, '}');
	}
	if (tried->n_experiments)
		json_close(to, ']');
	json_close(to, '}');
}
