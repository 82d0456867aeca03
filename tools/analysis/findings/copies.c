/* SPDX-License-Identifier: MIT */
/* copies.c - tasks that are given so much by value that to copy it takes their creator's time. */
#include "tools/analysis/findings/cause.h"

#define COPYING .5 /* of the samples in calls that create them */

static const struct kind_creation *creation_of(const struct clues *clues, kind_id k)
{
	const struct kind_creation *creation = clues->spots ? &clues->spots->creation[k] : NULL;

	return creation && creation->n_copying >= SURE_SAMPLES &&
			       (double)creation->n_copying >= COPYING * (double)creation->n
		       ? creation
		       : NULL;
}

uint64_t copies_each_ns(const struct clues *clues, kind_id kind)
{
	const struct kind_creation *creation = creation_of(clues, kind);
	uint64_t n = clues->facts[kind].n_begun;

	return creation && n ? (uint64_t)(samples_ns(clues, creation->n_copying) / (double)n) : 0;
}

/* While the creator copies, others have nothing, or it does not run what is ready itself. */
void copies_settle(struct ledger *ledger)
{
	const struct clues *clues = ledger->clues;

	for (kind_id k = KIND_OF_ROOTS + 1; k < clues->dag->n_kinds; k++) {
		const struct kind_creation *creation = creation_of(clues, k);
		struct loss *copies = ledger_row(ledger, ROW_COPIES, k);
		double left = creation ? samples_ns(clues, creation->n_copying) : 0;

		for (int lag = 0; lag < LAGS && left > 0; lag++) {
			struct loss taken = { 0 };

			if (lag != LAG_AWAY && lag != LAG_BURIED && lag != LAG_SYNC)
				taken = loss_take(ledger_lag(ledger, k, lag), left);
			loss_add(copies, &taken);
			left -= taken.ns;
		}
		if (left > 0) {
			struct loss taken = loss_take(ledger_row(ledger, ROW_PRODUCER, k), left);

			loss_add(copies, &taken);
		}
	}
}

static void find_copies(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	const struct clues *clues = ledger->clues;

	for (kind_id k = KIND_OF_ROOTS + 1; k < clues->dag->n_kinds; k++) {
		const struct kind_creation *creation = creation_of(clues, k);
		struct finding *finding;

		if (!creation)
			continue;
		claim(ledger, ledger_row(ledger, ROW_COPIES, k));
		finding = finding_claim(findings, cause, ledger, k);
		if (finding)
			FACTS(finding, fact_count("tasks", clues->facts[k].n_begun),
			      fact_ns("copying", (uint64_t)samples_ns(clues, creation->n_copying)),
			      fact_share("of_calls",
					 (double)creation->n_copying / (double)creation->n),
			      fact_kind("creator", clues->kind[k].creator));
	}
}

const struct cause cause_copies = {
	{ "copies", "large copies for tasks",
	  "Tasks get large arrays or structures by value, and whoever creates them copies those "
	  "for each one.",
	  "At least 16 stack samples of calls that create the tasks are in a function that copies "
	  "or clears memory, or asks the kernel for it.  So is half of all samples of these "
	  "calls.  With clang, the copy lies between two such calls; those samples count, too.  "
	  "Lost: the CPU time that these stand for, as far as tasks were ready meanwhile, or "
	  "others had nothing to do.",
	  "Share what the tasks only read; a pointer instead of the value; one copy for each "
	  "worker." },
	.what = "{creator} copied for {copying} what it gives to its {tasks} tasks by value, "
		"{of_calls:0} of the CPU time in the calls that create them",
	.advice = "shared() instead of firstprivate() for what they only read, or a pointer to it; "
		  "else a copy for each worker instead of each task",
	.find = find_copies,
};
