/* SPDX-License-Identifier: MIT */
/* remedy.c - what can be simulated of a cause's advice; causes.h says whose is which. */
#include "tools/analysis/findings/remedy.h"

#include <math.h>
#include <string.h>

#include "tools/analysis/findings/cause.h"
#include "tools/base/at_most.h"

#define TASKS_A_WORKER 10u /* as the advice of `coarse` says */
#define SPLIT_MOST 9999u

struct remedies {
	const struct finding *finding;
	const struct dag *dag;
	const struct breakdown *breakdown;
	struct remedy *remedy;
	uint32_t n;
};

static struct remedy *add(struct remedies *remedies, enum remedy_what what, kind_id kind)
{
	struct remedy *remedy = &remedies->remedy[remedies->n++];

	*remedy = (struct remedy){ .what = what, .kind = kind, .site = remedies->finding->site };
	return remedy;
}

static void split(struct remedies *remedies, kind_id kind, uint64_t n)
{
	if (n > 1)
		add(remedies, REMEDY_SPLIT, kind)->n = at_most(n, SPLIT_MOST);
}

static uint64_t tasks_wanted(const struct remedies *remedies)
{
	return (uint64_t)TASKS_A_WORKER * remedies->finding->n_workers;
}

#define none NULL

static void serial(struct remedies *remedies)
{
	const struct fact *doing = fact_of(remedies->finding, "doing");

	if (!doing || doing->text != machine_doing_name[MACHINE_BLOCKS])
		split(remedies, remedies->finding->kind, tasks_wanted(remedies));
}

/* One of them is longer than the others. */
static void split_long(struct remedies *remedies, kind_id kind)
{
	const struct finding *finding = remedies->finding;
	uint64_t n = quotient_up(fact_n(finding, "longest"), fact_n(finding, "median"));

	split(remedies, kind, at_most(n, tasks_wanted(remedies)));
}

static void tail(struct remedies *remedies)
{
	if (remedies->finding->variant == TAIL_LATE)
		add(remedies, REMEDY_LONGEST_FIRST, remedies->finding->kind);
	split_long(remedies, remedies->finding->kind);
}

/* From one wait to the next. */
static void wait(struct remedies *remedies)
{
	const struct finding *finding = remedies->finding;
	const struct fact *n_tasks = fact_of(finding, "tasks_a_wait");
	kind_id kind = (kind_id)fact_n(finding, "task");

	if (finding->variant == WAIT_UNEVEN) {
		add(remedies, REMEDY_LONGEST_FIRST, kind);
		split_long(remedies, kind);
	} else if (finding->variant == WAIT_FEW) {
		split(remedies, kind,
		      (uint64_t)ceil((double)tasks_wanted(remedies) / n_tasks->real));
	}
}

static void coarse(struct remedies *remedies)
{
	uint64_t n_tasks = fact_n(remedies->finding, "tasks");
	uint64_t n = quotient_up(tasks_wanted(remedies), n_tasks);

	split(remedies, remedies->finding->kind, n > TASKS_A_WORKER ? n : TASKS_A_WORKER);
}

static void imbalance(struct remedies *remedies)
{
	split(remedies, remedies->finding->kind, TASKS_A_WORKER);
}

static void fine(struct remedies *remedies)
{
	const struct finding *finding = remedies->finding;
	const struct kind_collapsed *collapsed = remedies->dag->kind_collapsed[finding->kind];
	uint64_t more = fact_n(finding, "more");

	if (fact_of(finding, "lock"))
		return;
	if (collapsed && 2 * collapsed->n_tasks > fact_n(finding, "tasks")) {
		add(remedies, REMEDY_FREE_INSIDE, finding->kind)->is_bound = true;
		return;
	}
	if (fact_n(finding, "mean") && more > 1)
		add(remedies, REMEDY_MERGE, finding->kind)->n = at_most(more, SPLIT_MOST);
	add(remedies, REMEDY_CALL, finding->kind)->n = fact_n(finding, "aim");
}

/* Only the runtime's part can be taken away; the loop's own code has to be done by somebody. */
static void producer(struct remedies *remedies)
{
	const struct finding *finding = remedies->finding;
	kind_id kind = (kind_id)fact_n(finding, "task");

	if (finding->variant != PRODUCER_SLOW)
		add(remedies, REMEDY_FREE_STEAL, kind)->is_bound = true;
	else if (fact_n(finding, "create") > fact_n(finding, "own"))
		add(remedies, REMEDY_FREE_CREATE, kind)->is_bound = true;
}

static void away(struct remedies *remedies)
{
	add(remedies, REMEDY_NO_THROTTLE, remedies->finding->kind)->is_bound = true;
}

static void lock(struct remedies *remedies)
{
	if (remedies->finding->site != SITE_NONE)
		add(remedies, REMEDY_WITHOUT_LOCK, remedies->finding->kind)->is_bound = true;
}

static void untied(struct remedies *remedies)
{
	add(remedies, REMEDY_UNTIED, remedies->finding->kind);
}

static void stretch(struct remedies *remedies)
{
	const struct finding *finding = remedies->finding;
	uint64_t work_ns = remedies->breakdown->kind[finding->kind].work_ns;
	const struct fact *with_one = fact_of(finding, "stretch");

	if (with_one && with_one->real > 1)
		add(remedies, REMEDY_SPEED, finding->kind)->factor = with_one->real;
	else if (finding->lost_ns < work_ns)
		add(remedies, REMEDY_SPEED, finding->kind)->factor =
			(double)work_ns / (double)(work_ns - finding->lost_ns);
}

#define ROW(id, remedies) { #id, remedies },

static const struct {
	const char *id;
	void (*of)(struct remedies *remedies);
} rows[] = { CAUSES(ROW) };

uint32_t remedies_of(const struct finding *finding, const struct dag *dag,
		     const struct breakdown *breakdown, struct remedy remedy[REMEDIES_MOST])
{
	struct remedies remedies = { finding, dag, breakdown, remedy, 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].of && strcmp(rows[i].id, finding->id) == 0)
			rows[i].of(&remedies);
	return remedies.n;
}
