/* SPDX-License-Identifier: MIT */
/* findings.c - the table of known causes, and what they find. */
#include "tools/analysis/findings/findings.h"

#include <stdlib.h>
#include <string.h>

#include "tools/analysis/findings/cause.h"
#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/xalloc.h"

#define ROW(id, remedies) &cause_##id,
static const struct cause *const causes[] = { CAUSES(ROW) };
#define N_CAUSES (sizeof(causes) / sizeof(causes[0]))

static const struct cause *cause_of(const char *id)
{
	for (size_t i = 0; i < N_CAUSES; i++)
		if (strcmp(causes[i]->about.id, id) == 0)
			return causes[i];
	return NULL;
}

ORDER(by_loss, struct finding,
      BY_LEAST(is_behind) ?: BY_MOST(lost_ns) ?: BY_LEAST(kind) ?: strcmp(x->id, y->id))

static kind_id held_most(const struct clues *clues)
{
	kind_id most = 0;

	for (kind_id k = 1; k < clues->dag->n_kinds; k++)
		if (clues_events(clues, k) > clues_events(clues, most))
			most = k;
	return most;
}

struct clues *findings_gather(const struct findings_of *of)
{
	struct clues *clues = xcalloc(1, sizeof(*clues));

	clues_gather(clues, of);
	return clues;
}

/* What recording took: what workers waited for it, and for events no more than was not work. */
static uint64_t recorder_ns(const struct clues *clues, const struct findings_of *of)
{
	const struct charge *total = &of->breakdown->total;
	bool part = of->select && of->select->part;
	uint64_t held_ns =
		part ? charge_sum(&of->breakdown->state[STATE_TRACER]) : of->dag->held_ns;
	uint64_t lost_ns = charge_sum(total) - total->work_ns;
	uint64_t ps = clues->event_ps + dag_calls_ps(of->dag) / 2;
	uint64_t events_ns = (uint64_t)((unsigned __int128)of->n_events * ps / 1000);

	return held_ns + (lost_ns > held_ns ? at_most(events_ns, lost_ns - held_ns) : 0);
}

/* What other analyses found. */
static void complete(struct clues *clues, const struct findings_of *of)
{
	clues->breakdown = of->breakdown;
	clues->facts = of->facts;
	clues->machine = of->machine;
	clues->machine_rows = of->machine_rows;
	clues->locks = of->locks;
	clues->spots = of->spots;
	clues->stretch = of->stretch;
	clues->elapsed_ns = of->elapsed_ns;
	clues->collector_ns = of->select && of->select->part ? 0 : of->collector_ns;
	clues->held_most = held_most(clues);
	clues->event_ps = grain_event_ps(clues, of->event_ps, of->strand_ps);
	clues->between_ps = clues->event_ps - at_most(clues->event_ps, of->strand_ps / 2);
	clues->tracer_ns = recorder_ns(clues, of);
}

/* What findings have of the work of the kind: causes of its stretch, or within it. */
static uint64_t taken_of(const struct findings *findings, kind_id kind)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < findings->n; i++)
		if (findings->finding[i].kind == kind)
			sum_ns += findings->finding[i].in_work_ns;
	return sum_ns;
}

/* What the baseline tells of tasks that others stretch, and so of what the cures of all causes of
 * that can gain together. */
static void note_stretch(struct finding *finding, const struct findings *findings,
			 const struct findings_of *of)
{
	const struct kind_stretch *stretch = of->stretch ? &of->stretch[finding->kind] : NULL;
	uint64_t work_ns = of->breakdown->kind[finding->kind].work_ns;

	if (!stretch || !stretch->is_known || !cause_of(finding->id)->is_stretch)
		return;
	FACTS(finding, fact_real("stretch", stretch->factor));
	if (stretch->is_sure && stretch->factor > 1)
		finding->gain_ns = (uint64_t)((double)work_ns * (1 - 1 / stretch->factor) *
					      (double)finding->in_work_ns /
					      (double)taken_of(findings, finding->kind)) /
				   finding->n_workers;
}

static void sum_up(struct findings *findings, const struct findings_of *of)
{
	double all = (double)charge_sum(&of->breakdown->total);

	for (uint32_t i = 0; i < findings->n; i++)
		if (!cause_of(findings->finding[i].id)->gains_nothing)
			findings->finding[i].gain_ns = findings->finding[i].elapsed_ns;
	for (uint32_t i = 0; i < findings->n; i++)
		note_stretch(&findings->finding[i], findings, of);
	for (uint32_t i = 0; i < findings->n; i++) {
		struct finding *finding = &findings->finding[i];

		finding->is_behind = cause_of(finding->id)->is_last ||
				     (double)finding->lost_ns < FINDING_LARGE * all;
	}
	SORT(findings->finding, findings->n, by_loss);
	findings->not_explained_ns = not_explained(findings);
}

/* With the rows moved to what they belong to (ledger.h). */
static void open_ledger(struct ledger *ledger, const struct clues *clues)
{
	ledger_open(ledger, clues);

	calls_settle(ledger);
	lock_settle(ledger);
	copies_settle(ledger);
	fine_settle(ledger);
	asleep_settle(ledger);
}

void findings_build(struct findings *findings, const struct findings_of *of, struct clues *clues)
{
	struct ledger ledger = { 0 };

	*findings = (struct findings){ 0 };
	complete(clues, of);
	findings->event_ps = clues->event_ps;
	findings->tracer_ns = clues->tracer_ns;
	findings->total_ns = charge_sum(&of->breakdown->total) - of->breakdown->total.work_ns;
	findings->grain = xcalloc(of->dag->n_kinds + 1ull, sizeof(*findings->grain));
	open_ledger(&ledger, clues);
	for (size_t i = 0; i < N_CAUSES; i++) {
		if (causes[i]->find)
			causes[i]->find(&ledger, findings, causes[i]);
	}
	ledger_free(&ledger);
	for (kind_id k = 0; k < of->dag->n_kinds; k++)
		findings->grain[k] = grain_of(clues, k);
	clues_free(clues);
	free(clues);
	sum_up(findings, of);
}

void findings_free(struct findings *findings)
{
	free(findings->finding);
	free(findings->grain);
	*findings = (struct findings){ 0 };
}

void findings_say(const struct finding *finding, const struct finding_names *names,
		  char what[FINDING_TEXT], char advice[FINDING_TEXT])
{
	const struct cause *cause = cause_of(finding->id);
	struct sentence found = { finding, names, what, FINDING_TEXT };
	struct sentence hint = { finding, names, advice, FINDING_TEXT };

	say(&found, cause->what ?: "");
	if (cause->ways) {
		say(&found, cause->ways[finding->variant].what ?: "");
		say(&hint, cause->ways[finding->variant].advice ?: "");
	}
	say(&hint, cause->advice ?: "");
	if (cause->say)
		cause->say(finding, &found, &hint);
	if (fact_of(finding, "hot"))
		say(&found, "\n{hot} of its CPU time is ");
	if (fact_of(finding, "hot_at"))
		say(&found, "at {hot_at}");
	if (fact_of(finding, "hot_in"))
		say(&found, fact_of(finding, "hot_at") ? ", most in {hot_in}" : "in {hot_in}");
	if (fact_of(finding, "stretch") && !fact_of(finding, "factor"))
		say(&found, "\nthese tasks take {stretch} x the CPU time that they take with one "
			    "worker");
}

bool finding_is_of_machine(const struct finding *finding)
{
	return cause_of(finding->id)->of_machine;
}

bool finding_divides(const struct finding *finding)
{
	return cause_of(finding->id)->divides;
}

const struct explanation *findings_explain(const char *id)
{
	const struct cause *cause = cause_of(id);

	return cause ? &cause->about : NULL;
}
