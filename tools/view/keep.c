/* SPDX-License-Identifier: MIT */
/* keep.c - marks strands by why they matter, and takes the longest of each mark; or takes those of
 * a stretch of time; and of all of them, those above in the tree. */
#include "tools/view/keep.h"

#include <stdlib.h>
#include <string.h>

#include "tools/analysis/released.h"
#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"

#define LENGTHS 512u
#define DEPTHS 4096u
#define FEW 64u	 /* strands of a task, which come all or none */
#define SHARE 8u /* pauses, and findings, have strands of one in so many at most */

/* In number[] until they are numbered, in the order in which they are kept; KEPT in task[], too. */
enum mark { KEPT, MARK_FIRST, MARK_FOUND, MARK_MOVED, MARK_TOP, MARK_REST };

#define LEFT_OUT 0xffffffffu

/* Lengths by eighths of powers of two. */
static unsigned class_of(uint64_t length)
{
	unsigned log2 = length ? 63u - (unsigned)__builtin_clzll(length) : 0;

	return log2 < 3 ? (unsigned)length : log2 * 8 + (unsigned)(length >> (log2 - 3) & 7);
}

static void mark(struct keep *keep, const struct dag *dag, strand_id s, enum mark as)
{
	if (s != STRAND_NONE && !dag_is_node(dag, s) && keep->number[s] > as)
		keep->number[s] = as;
}

/* The length of the pause before strand i of all rows; 0 before a row's first. */
static uint64_t pause_before(const struct keep_wanted *wanted, uint32_t row, uint64_t i)
{
	const strand_id *strand = wanted->lives->strand;

	if (i == wanted->lives->row_first[row])
		return 0;
	return dag_start(wanted->dag, strand[i]) - dag_end(wanted->dag, strand[i - 1]);
}

/* The class of the shortest pauses that are among the widest n. */
static unsigned widest_pauses(const struct keep_wanted *wanted, uint64_t most)
{
	const struct lives *lives = wanted->lives;
	uint64_t n[LENGTHS] = { 0 };
	unsigned least = LENGTHS;

	for (uint32_t row = 0; row < wanted->n_rows; row++)
		for (uint64_t i = lives->row_first[row]; i < lives->row_first[row + 1]; i++)
			n[class_of(pause_before(wanted, row, i))]++;
	while (least > 1 && n[least - 1] <= most)
		most -= n[--least];
	return least;
}

/* Who ran before and after the widest pauses, and who ended them. */
static void mark_pauses(struct keep *keep, const struct keep_wanted *wanted)
{
	const struct lives *lives = wanted->lives;
	unsigned least = widest_pauses(wanted, wanted->most / SHARE / 3);
	uint32_t hint = 0;

	for (uint32_t row = 0; row < wanted->n_rows; row++)
		for (uint64_t i = lives->row_first[row]; i < lives->row_first[row + 1]; i++) {
			strand_id s = lives->strand[i];

			if (class_of(pause_before(wanted, row, i)) < least)
				continue;
			mark(keep, wanted->dag, lives->strand[i - 1], MARK_FIRST);
			mark(keep, wanted->dag, s, MARK_FIRST);
			mark(keep, wanted->dag, dag_releaser(wanted->dag, s, &hint), MARK_FIRST);
		}
}

/* What ran in the stretch of a finding; of a long one, `half` strands of a row at each end. */
static void mark_stretch(struct keep *keep, const struct keep_wanted *wanted,
			 const struct finding *of, uint64_t half)
{
	const struct lives *lives = wanted->lives;

	for (uint32_t row = 0; row < wanted->n_rows; row++) {
		uint64_t from = lives_before(lives, wanted->dag, row, of->from_ns);
		uint64_t to = lives_before(lives, wanted->dag, row, of->to_ns);
		const strand_id *strand = lives->strand + lives->row_first[row];

		from -= from > 0;
		for (uint64_t i = from; i < to; i++) {
			if (i == from + half && to - i > half)
				i = to - half;
			mark(keep, wanted->dag, strand[i], MARK_FOUND);
		}
	}
}

static void mark_findings(struct keep *keep, const struct keep_wanted *wanted)
{
	const struct findings *findings = wanted->findings;

	for (uint32_t f = 0; f < findings->n; f++)
		mark_stretch(keep, wanted, &findings->finding[f],
			     wanted->most / SHARE / 2 / (findings->n * wanted->n_rows + 1ull) + 1);
}

/* Strands that went to another worker than what released them is on. */
static void mark_moved(struct keep *keep, const struct dag *dag)
{
	uint32_t hint = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id releaser;

		if (dag_is_node(dag, s))
			continue;
		releaser = dag_releaser(dag, s, &hint);
		if (released_move(dag, s, releaser) == MOVE_NONE)
			continue;
		mark(keep, dag, s, MARK_MOVED);
		mark(keep, dag, releaser, MARK_MOVED);
	}
}

/* All of tasks from the roots down, as deep as half of what is wanted goes: a tree, whose leaves
 * stand for what is below them.  Tasks below DEPTHS are not in it. */
static void mark_top(struct keep *keep, const struct keep_wanted *wanted)
{
	const struct dag *dag = wanted->dag;
	const uint16_t *depth = wanted->lives->depth;
	uint64_t n[DEPTHS] = { 0 }, most = wanted->most / 2;
	uint32_t end = 0;

	for (task_id t = 0; t < dag->n_tasks; t++)
		n[at_most(depth[t], DEPTHS - 1)] += wanted->lives->n_strands[t];
	for (; end < DEPTHS - 1 && n[end] <= most; end++)
		most -= n[end];
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (dag->strand[s].task != TASK_NONE && depth[dag->strand[s].task] < end)
			mark(keep, dag, s, MARK_TOP);
}

/* ---- ranks: by mark, the longest of each mark first, those alike from all over the run ---- */

#define HALF 0x10000u /* values of the upper, and of the lower half of a rank */

static uint32_t mark_rank(uint32_t mark, uint64_t length, strand_id s)
{
	return mark << 28 | (LENGTHS - 1 - class_of(length)) << 19 | s * 2654435761u >> 13;
}

/* The first strand of its task, or, of a first one, who created it: what has it in the tree. */
static strand_id hung_on(const struct dag *dag, const struct lives *lives, strand_id s)
{
	strand_id up;

	if (dag_is_node(dag, s))
		return STRAND_NONE;
	up = lives->first[dag->strand[s].task];
	if (up == s)
		up = dag->strand[s].pred;
	return up == STRAND_NONE || dag_is_node(dag, up) ? STRAND_NONE : up;
}

/* No strand has a better rank than those that have it in the tree: these have smaller numbers. */
static void raise_ancestors(struct keep *keep, const struct dag *dag, const struct lives *lives)
{
	for (strand_id s = dag->n_strands; s-- > 0;) {
		strand_id up = hung_on(dag, lives, s);

		if (up != STRAND_NONE && keep->number[up] > keep->number[s])
			keep->number[up] = keep->number[s];
	}
}

/* Those of a small task have the best rank of them, which its first one has. */
static void gather_tasks(struct keep *keep, const struct dag *dag, const struct lives *lives)
{
	for (strand_id s = 0; s < dag->n_strands; s++) {
		task_id task = dag->strand[s].task;

		if (task != TASK_NONE && lives->n_strands[task] <= FEW)
			keep->number[s] = keep->number[lives->first[task]];
	}
}

/* Which half has the most-th of them; *most: the how-manieth in there it is. */
static uint32_t half_of(const uint64_t *n, uint64_t *most)
{
	uint32_t half = 0;

	while (half < HALF - 1 && n[half] <= *most)
		*most -= n[half++];
	return half;
}

/* Keeps the `most` best ranks; of equal ones, the first. */
static void keep_best(struct keep *keep, const struct dag *dag, uint64_t most)
{
	FREED uint64_t *n = xcalloc(HALF, sizeof(*n));
	uint32_t upper, worst;

	for (strand_id s = 0; s < dag->n_strands; s++)
		n[keep->number[s] / HALF]++;
	upper = half_of(n, &most);
	memset(n, 0, HALF * sizeof(*n));
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (keep->number[s] / HALF == upper)
			n[keep->number[s] % HALF]++;
	worst = upper * HALF + half_of(n, &most);
	for (strand_id s = 0; s < dag->n_strands; s++) {
		bool is_kept = keep->number[s] < worst || (keep->number[s] == worst && most > 0);

		most -= is_kept && keep->number[s] == worst;
		keep->number[s] = is_kept ? KEPT : LEFT_OUT;
	}
}

/* ---- numbers ---- */

/* Whom the sums of one that is left out go to: KEEP_LEFT and its number, or LEFT_OUT. */
static uint32_t owner_of(const struct keep *keep, const struct dag *dag, const struct lives *lives,
			 strand_id s)
{
	strand_id up = dag->strand[s].pred;

	if (up == STRAND_NONE || dag_is_node(dag, up))
		up = hung_on(dag, lives, s);
	return up == STRAND_NONE ? LEFT_OUT : keep->number[up] | KEEP_LEFT;
}

static void number_strands(struct keep *keep, const struct dag *dag, const struct lives *lives)
{
	keep->n = 0;
	for (strand_id s = 0; s < dag->n_strands; s++)
		keep->number[s] =
			keep->number[s] != LEFT_OUT ? keep->n++ : owner_of(keep, dag, lives, s);
}

static void number_tasks(struct keep *keep, const struct dag *dag, const struct lives *lives)
{
	keep->task = xmalloc((dag->n_tasks + 1ull) * sizeof(*keep->task));
	memset(keep->task, 0xff, (dag->n_tasks + 1ull) * sizeof(*keep->task));
	for (strand_id s = 0; s < dag->n_strands; s++) {
		task_id task = dag->strand[s].task;

		if (keep_number(keep, s) == STRAND_NONE)
			continue;
		for (; task != TASK_NONE && keep->task[task] == LEFT_OUT;
		     task = lives_parent(lives, dag, task))
			keep->task[task] = KEPT;
	}
	keep->n_tasks = 0;
	for (task_id t = 0; t < dag->n_tasks; t++)
		if (keep->task[t] != LEFT_OUT)
			keep->task[t] = keep->n_tasks++;
}

void keep_choose(struct keep *keep, const struct keep_wanted *wanted)
{
	const struct dag *dag = wanted->dag;

	*keep = (struct keep){ .n = dag->n_strands, .n_tasks = dag->n_tasks };
	if (dag->n_strands <= wanted->most)
		return;
	keep->number = xmalloc(dag->n_strands * sizeof(*keep->number));
	for (strand_id s = 0; s < dag->n_strands; s++)
		keep->number[s] = MARK_REST;
	for (uint32_t i = 0; i < wanted->path->n; i++)
		keep->number[wanted->path->strand[i]] = MARK_FIRST;
	mark_pauses(keep, wanted);
	mark_findings(keep, wanted);
	mark_moved(keep, dag);
	mark_top(keep, wanted);
	for (strand_id s = 0; s < dag->n_strands; s++)
		keep->number[s] = mark_rank(keep->number[s], dag_length(dag, s), s);
	raise_ancestors(keep, dag, wanted->lives);
	gather_tasks(keep, dag, wanted->lives);
	keep_best(keep, dag, at_most(wanted->most, KEEP_LEFT - 1));
	number_strands(keep, dag, wanted->lives);
	number_tasks(keep, dag, wanted->lives);
}

/* ---- of a stretch of time ---- */

static void take(struct keep *keep, strand_id s)
{
	if (s != STRAND_NONE)
		keep->number[s] = KEPT;
}

/* What comes before it. */
static void take_before(struct keep *keep, const struct dag *dag, strand_id s, uint32_t *hint)
{
	take(keep, dag->strand[s].pred);
	take(keep, ready_path_released_by(dag, s, hint));
	if (!(dag->how[s] & STRAND_EXTRA))
		return;
	for (uint32_t e = dag_extras(dag, s, hint); e < dag->n_extras && dag->extra[e].to == s; e++)
		take(keep, dag->extra[e].from);
}

void keep_window(struct keep *keep, const struct keep *base, const struct dag *dag,
		 const struct lives *lives, uint32_t n_rows, uint64_t from_ns, uint64_t to_ns)
{
	*keep = (struct keep){ .number = xmalloc((dag->n_strands + 1ull) * sizeof(*keep->number)) };
	for (strand_id s = 0; s < dag->n_strands; s++)
		keep->number[s] = keep_number(base, s) == STRAND_NONE ? LEFT_OUT : KEPT;
	for (uint32_t row = 0; row < n_rows; row++) {
		const strand_id *of = lives->strand + lives->row_first[row];
		uint64_t n = lives->row_first[row + 1] - lives->row_first[row];
		uint64_t at = lives_before(lives, dag, row, from_ns),
			 hi = lives_before(lives, dag, row, to_ns);
		uint32_t hint = 0;

		for (at -= at > 0; at <= hi && at < n; at++) {
			take(keep, of[at]);
			take_before(keep, dag, of[at], &hint);
		}
	}
	raise_ancestors(keep, dag, lives);
	number_strands(keep, dag, lives);
	number_tasks(keep, dag, lives);
}

void keep_free(struct keep *keep)
{
	free(keep->number);
	free(keep->task);
	*keep = (struct keep){ 0 };
}
