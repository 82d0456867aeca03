/* SPDX-License-Identifier: MIT */
/* clues_test.c - the clues of each golden trace share out its loss: all of it, and nothing twice.
 */
#include "tools/analysis/findings/clues.h"
#include "tools/analysis/findings/cause.h"
#include "tools/analysis/findings/findings.h"

#include <math.h>

#include "test/unit/goldens.h"

static double sum_of(const struct clues *clues)
{
	double sum = clues->waited.ns + clues->held.ns + clues->collapsed_ns;

	for (kind_id k = 0; k < clues->dag->n_kinds; k++)
		for (int lag = 0; lag < LAGS; lag++)
			sum += clues->kind[k].lag[lag].ns;
	for (uint32_t i = 0; i < clues->dag->n_waits; i++)
		sum += clues->wait[i].lock.ns + clues->wait[i].barred.ns + clues->wait[i].calls.ns +
		       clues->wait[i].met.ns;
	for (uint32_t i = 0; i < clues->n_parts; i++)
		sum += clues->part[i].loss.ns;
	return sum;
}

static double sum_of_rows(const struct ledger *ledger)
{
	double sum = 0;

	for (uint32_t i = 0; i < ledger->first[ROWS]; i++)
		sum += ledger->row[i].ns;
	return sum;
}

/* But for what sums of doubles round. */
static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (1 + b);
}

/* The ledger has all time of the workers, and no more; a claim takes rows out, once. */
static void check_ledger(const struct clues *clues)
{
	static const struct cause any = { .about = { .id = "any" } };
	double all;
	struct findings found = { 0 };
	struct ledger ledger;

	ledger_open(&ledger, clues);
	all = sum_of_rows(&ledger);
	check(is_near(all, (double)charge_sum(&clues->breakdown->total)));
	for (int twice = 0; twice < 2; twice++) {
		for (uint32_t i = 0; i < ledger.first[ROWS]; i++)
			claim(&ledger, &ledger.row[i]);
		finding_claim(&found, &any, &ledger, 0);
	}
	check(found.n <= 1 && is_near(sum_of_rows(&ledger), found.n ? 0 : all));
	check(found.n == 0 || fabs((double)found.finding[0].lost_ns - all) <= 1);
	ledger_free(&ledger);
	findings_free(&found);
}

/* Each worker waited for a CPU now and then, by its number. */
static void add_waits(struct machine *machine, const struct dag *dag)
{
	for (uint32_t w = 0; w < dag->n_slots; w++)
		for (uint32_t i = 0; i <= 8; i++) {
			uint64_t ns = dag->elapsed_ns * i / 8, waited = ns * (w % 4) / 4;

			machine_add(machine, w,
				    (struct machine_sample){ .ns = (int64_t)ns,
							     .run_ns = (ns - waited) / 2,
							     .wait_ns = waited,
							     .has_wait = true });
		}
	machine_settle(machine);
}

static void check_clues(const struct dag *dag, bool loaded)
{
	struct kind_facts *facts = calloc(dag->n_kinds + 1ull, sizeof(*facts));
	struct ready_path path;
	struct pauses pauses;
	struct breakdown breakdown;
	struct machine_rows rows;
	struct machine machine = { 0 };
	struct clues clues = { .breakdown = &breakdown,
			       .machine = &machine,
			       .machine_rows = &rows };
	struct findings_of of = {
		.dag = dag, .path = &path, .pauses = &pauses, .facts = facts, .machine = &machine
	};
	double lost;

	if (loaded)
		add_waits(&machine, dag);
	kinds_of(dag, NULL, facts);
	ready_path_build(&path, dag, RUNTIMES_ALL);
	pauses_find(&pauses, dag);
	breakdown_build(&breakdown, dag, &path, &pauses, NULL);
	machine_rows_build(&rows, &machine, dag, NULL);
	clues_gather(&clues, &of);
	lost = (double)(charge_sum(&breakdown.total) - breakdown.total.work_ns);
	/* collapsed tasks have expectations; the breakdown takes from delay what their work lacks
	 */
	if (!dag->n_collapsed && path.n)
		check(is_near(sum_of(&clues) + clues.unseen_ns, lost));
	check(loaded || clues.waited.ns <= 0);
	check_ledger(&clues);
	clues_free(&clues);
	machine_rows_free(&rows);
	machine_free(&machine);
	breakdown_free(&breakdown);
	pauses_free(&pauses);
	ready_path_free(&path);
	free(facts);
}

static void check_trace(const char *text, size_t n)
{
	struct reader *reader;
	struct dag dag;
	struct err err;

	check(trace_open(&reader, text, n, &err) == 0);
	check(dag_build(&dag, reader, &err) == 0);
	check_clues(&dag, false);
	check_clues(&dag, true);
	dag_free(&dag);
	reader_close(reader);
}

TEST(test_goldens)
{
	goldens_each(GOLDENS, check_trace);
}
