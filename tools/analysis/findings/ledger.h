/* SPDX-License-Identifier: MIT */
/*
 * ledger.h - the core-seconds of the clues as rows, of which each cause takes what it explains.
 *
 * A row is what a clue lost (clues.h): of a kind, of a wait, or of a part of the ready path.  The
 * causes come in the order of their table.  One gathers rows with claim(), or parts of them, and
 * finding_claim() takes these out of the ledger if they are worth a finding; so no core-second is
 * in two findings, and what is left is not explained.  The clues themselves stay as they are, as
 * evidence.
 *
 * Work has rows, too: what a cause takes out of them is lost besides, and what is left was needed.
 *
 * CPU wait has rows of its own, and is in no other.  Before any cause, calls_settle() and its like
 * (cause.h) move what belongs together: the rows of tasks that are too fine, what recording took of
 * rows, the places of one lock, and work that slept.
 */
#pragma once

#include "tools/analysis/findings/clues.h"

struct findings;
struct finding;
struct cause;

enum row {
	ROW_WAITED,	 /* one: for a CPU, which is in no other row */
	ROW_HELD,	 /* one */
	ROW_LAG,	 /* by kind and lag: ledger_lag() */
	ROW_COLLAPSED,	 /* by kind: inside of its collapsed tasks */
	ROW_PRODUCER,	 /* by kind: while the ready path created its tasks */
	ROW_COPIES,	 /* by kind: while what its tasks get was copied */
	ROW_FINE,	 /* by kind: all that its tasks lost, since they are too fine */
	ROW_EVENTS,	 /* by kind: what recording took of that */
	ROW_CALLS,	 /* by wait, and these as wait_clues has them */
	ROW_CALL_EVENTS, /* by wait: what recording took of the calls */
	ROW_LOCK,	 /* by wait: there, or while the ready path held the lock */
	ROW_BARRED,
	ROW_MET,
	ROW_PART, /* by number of the part; those of ROLE_LOCK and ROLE_PRODUCER are in the rows
		     above */
	ROW_REST, /* one: of what no clue has, as where events are missing */
	ROW_WORK, /* by kind: its work, but for the part without a CPU, .. */
	ROW_WORK_SLEPT,	 /* .. of which its tasks slept so much */
	ROW_WORK_WAITED, /* one: work without a CPU, for certain */
	ROWS
};

struct claimed {
	uint32_t row;
	struct loss loss; /* of it */
};

struct ledger {
	const struct clues *clues;
	struct loss *row;
	uint32_t first[ROWS + 1]; /* in row[] */
	struct claimed *claimed;  /* what is gathered: n_claimed, of each row once */
	uint32_t n_claimed;
	struct loss claim; /* their sum */
};

void ledger_open(struct ledger *ledger, const struct clues *clues);
void ledger_free(struct ledger *ledger); /* a zeroed one is fine */

static inline struct loss *ledger_row(const struct ledger *ledger, enum row row, uint32_t i)
{
	return &ledger->row[ledger->first[row] + i];
}

static inline struct loss *ledger_lag(const struct ledger *ledger, kind_id kind, enum lag lag)
{
	return ledger_row(ledger, ROW_LAG, kind * LAGS + lag);
}

static inline void ledger_move(struct loss *to, struct loss *from)
{
	loss_add(to, from);
	*from = (struct loss){ 0 };
}

/* Gathers a row for the next finding; or so many ns of it, at most all. */
void claim(struct ledger *ledger, const struct loss *row);
void claim_part(struct ledger *ledger, const struct loss *row, double ns);
/* So much of what no cause has, at most all, where nothing else is gathered; CPU wait is the last.
 */
void claim_rest(struct ledger *ledger, double ns);
/* What is taken of the kind's work: by findings, or since its tasks slept. */
double ledger_work_taken(const struct ledger *ledger, kind_id kind);
/* Whether what is gathered is worth a finding. */
bool claim_is_worth(const struct ledger *ledger);
/* Gathers nothing any more. */
void claim_drop(struct ledger *ledger);
/*
 * A finding of what is gathered, whose place is the kind: it is in no row then.  NULL if it is not
 * worth one, and the rows keep what they have.
 */
struct finding *finding_claim(struct findings *findings, const struct cause *cause,
			      struct ledger *ledger, kind_id kind);
/* What is gathered belongs to that finding, too, and is in no row then; none of it is work. */
void finding_add_claim(struct finding *finding, struct ledger *ledger);
