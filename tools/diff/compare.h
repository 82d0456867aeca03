/* SPDX-License-Identifier: MIT */
/*
 * compare.h - the sides of a diff beside each other: what the last has more or less of than the
 * first, of each figure, kind, place and finding, and whether that is worse.
 *
 * All differences are of the sides' middle runs (side.h), last minus first, so they add up as the
 * figures do, and turned round they only change their signs.  Times are ns.
 */
#pragma once

#include "tools/diff/match.h"
#include "tools/diff/side.h"

struct stretch_sum {
	uint64_t n, a_ns, b_ns;
};

struct stretch_task {
	uint32_t a, b; /* the lineages' task[] */
	uint32_t row;  /* of the kinds' matches */
};

/* Tasks in the second run: all, those that were stolen there, and the others. */
struct stretch_row {
	struct stretch_sum all, stolen, local;
};

#define STRETCH_TASKS 5u /* those whose work differs most are kept */

struct stretch {
	struct stretch_row sum;
	struct stretch_row *row; /* by row of the kinds' matches */
	uint64_t n_other;	 /* of the same lineage and another kind: not the same task */
	struct stretch_task most[STRETCH_TASKS]; /* the largest difference first */
	uint32_t n_most;
};

static inline double stretch_of(const struct stretch_sum *sum)
{
	return sum->a_ns ? (double)sum->b_ns / (double)sum->a_ns : 0;
}

#define THRESHOLD_SHARE 0.05 /* unless another one is asked for */

enum verdict { VERDICT_SAME, VERDICT_BETTER, VERDICT_WORSE };
extern const char *const verdict_name[]; /* "same", .. as in the JSON report */

/* What is asked for. */
struct question {
	double threshold;     /* a share of the first: differences up to it are "same" */
	const char *kind;     /* compare the core-seconds of this kind; NULL: elapsed time */
	uint64_t baseline_ns; /* seconds of a run without tasks; 0: none */
};

struct comparison {
	struct side *side; /* n of them; the first is what others are compared with */
	uint32_t n;
	struct side *baseline; /* a run that stretch is against; NULL: the first side */
	struct question question;
	const struct outcome **run; /* of all sides and then the baseline, n_runs */
	uint32_t *first;	    /* n + 1: by side, the number of its first run in run[] */
	uint64_t *value;	    /* n_runs: room for those that an interval is of */
	uint32_t n_runs;
	struct matches list[LISTS]; /* what changed most comes first */
	struct shared_tallies tallies;
	uint32_t kind_row;	/* of question.kind */
	struct stretch stretch; /* of the last side against the baseline */
	bool has_stretch;	/* both have lineages */
	uint64_t a, b;		/* what the verdict is about */
	enum noise noise;	/* of b - a */
	enum verdict verdict;
	/* without what other programs took of both it is another one: then it is VERDICT_SAME */
	bool undecided;
};

/* `sides` and the baseline are borrowed.  0, or -errno and *err: ENODATA if there is no such kind.
 */
int comparison_build(struct comparison *comparison, struct side *side, uint32_t n,
		     struct side *baseline, const struct question *question, struct err *err);
void comparison_free(struct comparison *comparison); /* a zeroed one is fine */

/* The middle run of a side, as its number in run[]; that of the baseline for side n. */
uint32_t comparison_middle(const struct comparison *comparison, uint32_t side);

static inline const struct side *comparison_last(const struct comparison *comparison)
{
	return &comparison->side[comparison->n - 1];
}

/* What stretch is against. */
static inline const struct side *comparison_base(const struct comparison *comparison)
{
	return comparison->baseline ? comparison->baseline : &comparison->side[0];
}

/* Last minus first. */
int64_t comparison_figure(const struct comparison *comparison, enum figure figure);
int64_t comparison_value(const struct comparison *comparison, enum list list, uint32_t row,
			 enum value value);
/* Of a side's middle run. */
uint64_t comparison_item(const struct comparison *comparison, enum list list, uint32_t row,
			 uint32_t side, enum value value);

/* How much of a difference runs of one side have among themselves. */
enum noise comparison_noise(const struct comparison *comparison, enum figure figure);
enum noise comparison_item_noise(const struct comparison *comparison, enum list list, uint32_t row,
				 enum value value);

/*
 * The tasks of a kind that are known to be the same in the last run and the baseline: those that
 * lineage.h matches.  Where tasks are collapsed, the others are those that were long or stolen in
 * one of the runs, no sample of all: then all tasks of the kind, if both runs have as many, else
 * none.
 */
struct stretch_sum comparison_same(const struct comparison *comparison, uint32_t row);
/* Work of a kind in the last run against that in the baseline, of the same tasks or, if none are
 * known, of all; 0 if it is not in both. */
double comparison_stretch(const struct comparison *comparison, uint32_t row);
/* Whether most tasks of both runs cannot be matched, because some are collapsed. */
bool comparison_collapsed(const struct comparison *comparison);

/* The same tasks of one program work longer on more workers, which waits for CPUs do not explain.
 */
struct stretched {
	struct stretch_sum all; /* tasks known to be the same: comparison_same() */
	uint32_t row;		/* the kind that grew most, .. */
	double share;		/* .. and its share of what those that grew did */
};
/* False if that is less than a tenth, or the last side has no more workers than the other. */
bool comparison_stretched(const struct comparison *comparison, struct stretched *stretched);

/* Elapsed time of the baseline, else of the first side, over the side's; and that by worker. */
double comparison_speedup(const struct comparison *comparison, uint32_t side);
double comparison_efficiency(const struct comparison *comparison, uint32_t side);
