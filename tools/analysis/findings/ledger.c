/* SPDX-License-Identifier: MIT */
/* ledger.c - opens the ledger of what was lost, and books claims. */
#include "tools/analysis/findings/ledger.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/analysis/findings/cause.h"

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

static void lay_out(struct ledger *ledger, const struct dag *dag)
{
	const uint32_t n[ROWS] = {
		[ROW_HELD] = 1,
		[ROW_LAG] = dag->n_kinds * LAGS,
		[ROW_COLLAPSED] = dag->n_kinds,
		[ROW_PRODUCER] = dag->n_kinds,
		[ROW_FINE] = dag->n_kinds,
		[ROW_EVENTS] = dag->n_kinds,
		[ROW_CALLS] = dag->n_waits,
		[ROW_CALL_EVENTS] = dag->n_waits,
		[ROW_LOCK] = dag->n_waits,
		[ROW_BARRED] = dag->n_waits,
		[ROW_MET] = dag->n_waits,
		[ROW_PART] = ledger->clues->n_parts,
	};

	for (int row = 0; row < ROWS; row++)
		ledger->first[row + 1] = ledger->first[row] + n[row];
}

static void fill_kind(struct ledger *ledger, kind_id k, uint64_t n_collapsed)
{
	const struct clues *clues = ledger->clues;
	const struct kind_collapsed *collapsed = clues->dag->kind_collapsed[k];

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

static void fill(struct ledger *ledger)
{
	const struct clues *clues = ledger->clues;
	const struct dag *dag = clues->dag;
	uint64_t n_collapsed = 0; /* in the part that is analysed */

	for (kind_id k = 0; k < dag->n_kinds; k++)
		n_collapsed += dag->kind_collapsed[k] ? dag->kind_collapsed[k]->n_tasks : 0;
	*ledger_row(ledger, ROW_HELD, 0) = clues->held;
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
}

/* ---- CPU wait ---- */

/* The state of workers that lost what such rows have; IDLE also stands for RUNTIME. */
static enum state state_of(enum row row)
{
	return row == ROW_HELD ? STATE_TRACER : row == ROW_LOCK ? STATE_BLOCKED : STATE_IDLE;
}

/* What waited for a CPU lost that to the machine: of all rows of a state the same part. */
static void take_wait(struct ledger *ledger, enum state state, double waited)
{
	double lost = 0;

	for (int row = 0; row < ROWS; row++)
		for (uint32_t i = ledger->first[row]; i < ledger->first[row + 1]; i++)
			lost += state_of(row) == state ? ledger->row[i].ns : 0;
	for (int row = 0; row < ROWS && lost > 0; row++)
		for (uint32_t i = ledger->first[row]; i < ledger->first[row + 1]; i++) {
			struct loss *loss = &ledger->row[i], taken;

			if (state_of(row) != state)
				continue;
			taken = loss_take(loss, loss->ns * lesser(1, waited / lost));
			loss_add(&ledger->waited, &taken);
		}
}

static void charge_wait(struct ledger *ledger, const struct cpu_wait *wait)
{
	const double *ns = wait->ns;

	take_wait(ledger, STATE_TRACER, ns[STATE_TRACER]);
	take_wait(ledger, STATE_BLOCKED, ns[STATE_BLOCKED]);
	take_wait(ledger, STATE_IDLE, ns[STATE_IDLE] + ns[STATE_RUNTIME]);
}

/* ---- the ledger ---- */

int ledger_open(struct ledger *ledger, const struct clues *clues, const struct cpu_wait *wait)
{
	*ledger = (struct ledger){ .clues = clues };
	lay_out(ledger, clues->dag);
	ledger->row = calloc(ledger->first[ROWS] + 1ull, sizeof(*ledger->row));
	ledger->claimed = calloc(ledger->first[ROWS] + 1ull, sizeof(*ledger->claimed));
	if (!ledger->row || !ledger->claimed)
		return -ENOMEM;
	fill(ledger);
	if (wait)
		charge_wait(ledger, wait);
	return 0;
}

void ledger_free(struct ledger *ledger)
{
	free(ledger->row);
	free(ledger->claimed);
	*ledger = (struct ledger){ 0 };
}

/* ---- claims ---- */

void claim(struct ledger *ledger, const struct loss *row)
{
	if (row->ns <= 0)
		return;
	ledger->claimed[ledger->n_claimed++] = (uint32_t)(row - ledger->row);
	loss_add(&ledger->claim, row);
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

/* The rows that are gathered are empty from now on. */
static void book(struct ledger *ledger)
{
	for (uint32_t i = 0; i < ledger->n_claimed; i++)
		ledger->row[ledger->claimed[i]] = (struct loss){ 0 };
	claim_drop(ledger);
}

struct finding *finding_claim(struct findings *findings, const struct cause *cause,
			      struct ledger *ledger, kind_id kind)
{
	struct finding *finding = finding_add(findings, cause, ledger, &ledger->claim, kind);

	if (finding)
		book(ledger);
	claim_drop(ledger);
	return finding;
}

void finding_add_claim(struct finding *finding, struct ledger *ledger)
{
	finding->lost_ns += (uint64_t)ledger->claim.ns;
	finding->path_ns += (uint64_t)ledger->claim.path_ns;
	finding->elapsed_ns = finding->lost_ns / finding->n_workers;
	book(ledger);
}
