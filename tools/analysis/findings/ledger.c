/* SPDX-License-Identifier: MIT */
/* ledger.c - opens the ledger of what was lost, and books claims. */
#include "tools/analysis/findings/ledger.h"

#include <stdlib.h>

#include "tools/analysis/findings/cause.h"
#include "tools/base/at_most.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"

static void lay_out(struct ledger *ledger, const struct dag *dag)
{
	const uint32_t n[ROWS] = {
		[ROW_WAITED] = 1,
		[ROW_HELD] = 1,
		[ROW_LAG] = dag->n_kinds * LAGS,
		[ROW_COLLAPSED] = dag->n_kinds,
		[ROW_PRODUCER] = dag->n_kinds,
		[ROW_COPIES] = dag->n_kinds,
		[ROW_FINE] = dag->n_kinds,
		[ROW_EVENTS] = dag->n_kinds,
		[ROW_CALLS] = dag->n_waits,
		[ROW_CALL_EVENTS] = dag->n_waits,
		[ROW_LOCK] = dag->n_waits,
		[ROW_BARRED] = dag->n_waits,
		[ROW_MET] = dag->n_waits,
		[ROW_PART] = ledger->clues->n_parts,
		[ROW_REST] = 1,
		[ROW_WORK] = dag->n_kinds,
		[ROW_WORK_SLEPT] = dag->n_kinds,
		[ROW_WORK_WAITED] = 1,
	};

	for (int row = 0; row < ROWS; row++)
		ledger->first[row + 1] = ledger->first[row] + n[row];
}

/* Of the kind's work, as much of it as of all work had a CPU. */
static double work_on_cpu(const struct clues *clues, kind_id k)
{
	double work = (double)clues->breakdown->total.work_ns, off = without_cpu(clues);
	double kind = (double)clues->breakdown->kind[k].work_ns;

	return work > off ? kind * (1 - off / work) : 0;
}

static void fill_kind(struct ledger *ledger, kind_id k, uint64_t n_collapsed)
{
	const struct clues *clues = ledger->clues;
	const struct kind_collapsed *collapsed = clues->dag->kind_collapsed[k];

	ledger_row(ledger, ROW_WORK, k)->ns = work_on_cpu(clues, k);
	for (int lag = 0; lag < LAGS; lag++)
		*ledger_lag(ledger, k, lag) = clues->kind[k].lag[lag];
	if (collapsed && n_collapsed)
		ledger_row(ledger, ROW_COLLAPSED, k)->ns =
			clues->collapsed_ns * (double)collapsed->n_tasks / (double)n_collapsed;
}

static struct loss *row_of_part(struct ledger *ledger, uint32_t i)
{
	const struct part *part = &ledger->clues->part[i];

	return part->role == ROLE_LOCK	     ? ledger_row(ledger, ROW_LOCK, part->wait)
	       : part->role == ROLE_PRODUCER ? ledger_row(ledger, ROW_PRODUCER, part->kind)
					     : ledger_row(ledger, ROW_PART, i);
}

/* The rows but for work are all that workers lost, and no more: of collapsed tasks the clues are
 * expected values, which may be more than that. */
static void fill_rest(struct ledger *ledger)
{
	const struct charge *total = &ledger->clues->breakdown->total;
	double lost = (double)(charge_sum(total) - total->work_ns), sum = 0;

	for (uint32_t i = 0; i < ledger->first[ROW_WORK]; i++)
		sum += ledger->row[i].ns;
	for (uint32_t i = 0; sum > lost && i < ledger->first[ROW_WORK]; i++)
		loss_take(&ledger->row[i], ledger->row[i].ns * (1 - lost / sum));
	ledger_row(ledger, ROW_REST, 0)->ns += sum < lost ? lost - sum : 0;
}

static void fill(struct ledger *ledger)
{
	const struct clues *clues = ledger->clues;
	const struct dag *dag = clues->dag;
	uint64_t n_collapsed = 0; /* in the part that is analysed */

	for (kind_id k = 0; k < dag->n_kinds; k++)
		n_collapsed += dag->kind_collapsed[k] ? dag->kind_collapsed[k]->n_tasks : 0;
	*ledger_row(ledger, ROW_WAITED, 0) = clues->waited;
	*ledger_row(ledger, ROW_HELD, 0) = clues->held;
	ledger_row(ledger, ROW_WORK_WAITED, 0)->ns = without_cpu(clues);
	for (kind_id k = 0; k < dag->n_kinds; k++)
		fill_kind(ledger, k, n_collapsed);
	for (uint32_t i = 0; i < dag->n_waits; i++) {
		*ledger_row(ledger, ROW_CALLS, i) = clues->wait[i].calls;
		*ledger_row(ledger, ROW_LOCK, i) = clues->wait[i].lock;
		*ledger_row(ledger, ROW_BARRED, i) = clues->wait[i].barred;
		*ledger_row(ledger, ROW_MET, i) = clues->wait[i].met;
	}
	for (uint32_t i = 0; i < clues->n_parts; i++)
		loss_add(row_of_part(ledger, i), &clues->part[i].loss);
	fill_rest(ledger);
}

/* ---- the ledger ---- */

void ledger_open(struct ledger *ledger, const struct clues *clues)
{
	*ledger = (struct ledger){ .clues = clues };
	lay_out(ledger, clues->dag);
	ledger->row = xcalloc(ledger->first[ROWS] + 1ull, sizeof(*ledger->row));
	ledger->claimed = xcalloc(ledger->first[ROWS] + 1ull, sizeof(*ledger->claimed));
	fill(ledger);
}

void ledger_free(struct ledger *ledger)
{
	free(ledger->row);
	free(ledger->claimed);
	*ledger = (struct ledger){ 0 };
}

/* ---- claims ---- */

double ledger_work_taken(const struct ledger *ledger, kind_id kind)
{
	return work_on_cpu(ledger->clues, kind) - ledger_row(ledger, ROW_WORK, kind)->ns;
}

void claim_part(struct ledger *ledger, const struct loss *row, double ns)
{
	struct loss left = *row, part;

	if (row->ns <= 0 || ns <= 0)
		return;
	part = loss_take(&left, ns);
	ledger->claimed[ledger->n_claimed++] =
		(struct claimed){ (uint32_t)(row - ledger->row), part };
	loss_add(&ledger->claim, &part);
}

void claim(struct ledger *ledger, const struct loss *row)
{
	claim_part(ledger, row, row->ns);
}

void claim_rest(struct ledger *ledger, double ns)
{
	for (uint32_t i = ledger->first[ROW_WORK]; i-- > 0 && ns > 0;) {
		double before = ledger->claim.ns;

		claim_part(ledger, &ledger->row[i], ns);
		ns -= ledger->claim.ns - before;
	}
}

bool claim_is_worth(const struct ledger *ledger)
{
	return is_worth(ledger->clues, &ledger->claim);
}

void claim_drop(struct ledger *ledger)
{
	ledger->n_claimed = 0;
	ledger->claim = (struct loss){ 0 };
}

/* What is gathered is in no row from now on: a finding has it. */
static void claim_book(struct ledger *ledger)
{
	for (uint32_t i = 0; i < ledger->n_claimed; i++) {
		const struct claimed *claimed = &ledger->claimed[i];

		loss_take(&ledger->row[claimed->row], claimed->loss.ns);
	}
	claim_drop(ledger);
}

/* Of what is gathered. */
static double work_claimed(const struct ledger *ledger)
{
	double ns = 0;

	for (uint32_t i = 0; i < ledger->n_claimed; i++)
		if (ledger->claimed[i].row >= ledger->first[ROW_WORK])
			ns += ledger->claimed[i].loss.ns;
	return ns;
}

/* Of what is gathered; NULL if it is not worth one. */
static struct finding *add(struct findings *findings, const struct cause *cause,
			   struct ledger *ledger, kind_id kind)
{
	uint32_t n_workers = ledger->clues->dag->n_workers;
	const struct loss *loss = &ledger->claim;
	struct finding *finding;

	if (!is_worth(ledger->clues, loss))
		return NULL;
	finding = ARRAY_ADD(findings->finding, findings->n, findings->room,
			    (struct finding){ .id = cause->about.id,
					      .lost_ns = (uint64_t)(loss->ns + .5),
					      .path_ns = (uint64_t)(loss->path_ns + .5),
					      .kind = kind,
					      .site = SITE_NONE,
					      .n_workers = n_workers });
	finding->elapsed_ns = n_workers ? finding->lost_ns / n_workers : 0;
	FACTS(finding, fact_count("workers", n_workers));
	return finding;
}

struct finding *finding_claim(struct findings *findings, const struct cause *cause,
			      struct ledger *ledger, kind_id kind)
{
	struct finding *finding = add(findings, cause, ledger, kind);

	if (finding) {
		finding->in_work_ns =
			at_most((uint64_t)(work_claimed(ledger) + .5), finding->lost_ns);
		findings->total_ns += finding->in_work_ns;
		claim_book(ledger);
	}
	claim_drop(ledger);
	return finding;
}

void finding_add_claim(struct finding *finding, struct ledger *ledger)
{
	finding->lost_ns += (uint64_t)ledger->claim.ns;
	finding->path_ns += (uint64_t)ledger->claim.path_ns;
	finding->elapsed_ns = finding->lost_ns / finding->n_workers;
	claim_book(ledger);
}

/* ---- what causes make findings with ---- */

/* What other programs left of the workers' time: findings may claim no more. */
static double left_ns(const struct clues *clues)
{
	double all = (double)charge_sum(&clues->breakdown->total);

	return machine_is_oversubscribed(clues->machine, clues->dag)
		       ? all
		       : all - clues->waited.ns - without_cpu(clues);
}

bool is_worth(const struct clues *clues, const struct loss *loss)
{
	return loss->ns >= 1 && loss->ns >= FINDING_SHARE * left_ns(clues);
}

uint64_t not_explained(const struct findings *findings)
{
	uint64_t explained = 0;

	for (uint32_t i = 0; i < findings->n; i++)
		explained += findings->finding[i].lost_ns;
	return findings->total_ns - at_most(explained, findings->total_ns);
}
