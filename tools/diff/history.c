/* SPDX-License-Identifier: MIT */
/* history.c - judges versions one after the other, and finds the first bad one. */
#include "tools/diff/history.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/diff/why.h"
#include "tools/base/ratio.h"
#include "tools/base/written.h"

uint64_t history_recorded(const struct side *side)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < side->n; i++)
		if (side->run[i].recorded < first)
			first = side->run[i].recorded;
	return side->n ? first : 0;
}

enum noise history_noise(const struct history *history, uint32_t version)
{
	struct interval a = side_interval(history->version[version - 1].side, FIGURE_ELAPSED);
	struct interval b = side_interval(history->version[version].side, FIGURE_ELAPSED);

	return interval_noise(&a, &b);
}

double history_share(const struct history *history, uint32_t finding, uint32_t version)
{
	uint64_t all = history->middle[version]->figure[FIGURE_CUMULATIVE];

	return all ? (double)matches_value(&history->findings, finding, version, VALUE_LOST) /
			       (double)all
		   : 0;
}

/* ---- findings ---- */

static double share_of(const struct history *history, const struct item *const *item)
{
	double most = 0;

	for (uint32_t i = 0; i < history->n; i++) {
		uint64_t all = history->middle[i]->figure[FIGURE_CUMULATIVE];
		double share = item[i] ? ratio(item[i]->value[VALUE_LOST], all) : 0;

		most = share > most ? share : most;
	}
	return most;
}

static int largest_share_first(const void *x, const void *y, void *context)
{
	const struct item *const *a = x, *const *b = y;
	const struct history *history = context;
	double of_a = share_of(history, a), of_b = share_of(history, b);

	return (of_a < of_b) - (of_a > of_b) ?: item_compare_rows(a, b, history->n);
}

static int match_findings(struct history *history)
{
	struct matches *list = &history->findings;

	history->middle = calloc(history->n + 1ull, sizeof(*history->middle));
	if (!history->middle)
		return -ENOMEM;
	for (uint32_t i = 0; i < history->n; i++)
		history->middle[i] = side_outcome(history->version[i].side);
	if (matches_build(list, history->middle, history->n, LIST_FINDINGS) < 0)
		return -ENOMEM;
	qsort_r(list->item, list->n, history->n * sizeof(*list->item), largest_share_first,
		history);
	return 0;
}

/* ---- verdicts ---- */

static int keep_why(struct version *version, const struct comparison *c)
{
	version->why = written(why_put, c, NULL);
	return version->why ? 0 : -ENOMEM;
}

static int judge_version(struct history *history, uint32_t i, uint32_t against, struct err *err)
{
	const struct question question = { .threshold = history->threshold };
	struct version *version = &history->version[i];
	struct side pair[] = { *history->version[against].side, *version->side }; /* borrowed */
	struct comparison comparison = { 0 };
	int error = comparison_build(&comparison, pair, 2, NULL, &question, err);

	if (error)
		return error;
	version->against = against;
	version->verdict = comparison.verdict;
	version->noise = comparison.noise;
	version->undecided = comparison.undecided;
	version->ratio = ratio(comparison.b, comparison.a);
	if (keep_why(version, &comparison) < 0)
		error = err_no_memory(err);
	comparison_free(&comparison);
	if (side_is_torn(&pair[0]) || side_is_torn(&pair[1])) {
		version->undecided = true;
		version->verdict = VERDICT_SAME;
	}
	return error;
}

static void find_first_bad(struct history *history)
{
	uint32_t suspect = HISTORY_NONE;

	history->first_bad = history->first_suspect = HISTORY_NONE;
	for (uint32_t i = 0; i < history->n; i++) {
		const struct version *version = &history->version[i];

		if (version->undecided) {
			suspect = suspect == HISTORY_NONE ? i : suspect;
			continue;
		}
		if (version->verdict != VERDICT_WORSE) {
			history->first_bad = history->first_suspect = HISTORY_NONE;
		} else if (history->first_bad == HISTORY_NONE) {
			history->first_bad = i;
			history->first_suspect = suspect;
		}
		suspect = HISTORY_NONE;
	}
}

int history_build(struct history *history, struct side *side, uint32_t n, size_t skipped,
		  double threshold, struct err *err)
{
	uint32_t reference = 0;
	int error = 0;

	*history = (struct history){ .n = n, .threshold = threshold };
	history->version = calloc(n + 1ull, sizeof(*history->version));
	if (!history->version)
		return err_no_memory(err);
	for (uint32_t i = 0; i < n; i++)
		history->version[i] = (struct version){ .side = &side[i],
							.name = side[i].label + skipped,
							.against = HISTORY_NONE };
	for (uint32_t i = 1; i < n && !error; i++) {
		const struct version *version = &history->version[i];

		error = judge_version(history, i, reference, err);
		/* a damaged first one is no mark for others */
		if (!error &&
		    ((version->verdict == VERDICT_BETTER && version->noise == NOISE_BEYOND) ||
		     side_is_torn(&side[reference])))
			reference = i;
	}
	if (!error && match_findings(history) < 0)
		error = err_no_memory(err);
	find_first_bad(history);
	return error;
}

void history_free(struct history *history)
{
	for (uint32_t i = 0; history->version && i < history->n; i++)
		free(history->version[i].why);
	free(history->version);
	free(history->middle);
	matches_free(&history->findings);
	*history = (struct history){ 0 };
}
