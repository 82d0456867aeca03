/* SPDX-License-Identifier: MIT */
/* clues_test.c - the clues of each golden trace share out its loss: all of it, and nothing twice.
 */
#include "tools/analysis/findings/clues.h"
#include "tools/analysis/findings/findings.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "test/unit/check.h"
#include "test/unit/trace.h"

static double sum_of(const struct clues *clues)
{
	double sum = clues->held.ns + clues->collapsed_ns;

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

static void check_clues(const struct dag *dag)
{
	struct kind_facts *facts = calloc(dag->n_kinds + 1ull, sizeof(*facts));
	struct ready_path path;
	struct pauses pauses;
	struct breakdown breakdown;
	struct clues clues = { .breakdown = &breakdown };
	struct findings_of of = { .dag = dag, .path = &path, .pauses = &pauses, .facts = facts };
	double lost;

	check(kinds_of(dag, NULL, facts) == 0);
	check(ready_path_build(&path, dag, RUNTIMES_ALL) == 0);
	check(pauses_find(&pauses, dag) == 0);
	check(breakdown_build(&breakdown, dag, &path, &pauses, NULL) == 0);
	check(clues_gather(&clues, &of) == 0);
	lost = (double)(charge_sum(&breakdown.total) - breakdown.total.work_ns);
	/* collapsed tasks have expectations; the breakdown takes from delay what their work lacks
	 */
	if (!dag->n_collapsed && path.n)
		check(fabs(sum_of(&clues) - lost) <= 1 + lost / 1000);
	clues_free(&clues);
	breakdown_free(&breakdown);
	pauses_free(&pauses);
	ready_path_free(&path);
	free(facts);
}

static void test_goldens(void **state)
{
	glob_t found;

	(void)state;
	check(glob("test/golden/report/*.txt", 0, NULL, &found) == 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *in = fopen(found.gl_pathv[i], "r");
		struct bytes text = bytes_of(in);
		struct reader *reader;
		struct dag dag;
		struct err err;

		name = found.gl_pathv[i];
		fclose(in);
		check(trace_open(&reader, text.at, text.n, &err) == 0);
		check(dag_build(&dag, reader, &err) == 0);
		check_clues(&dag);
		dag_free(&dag);
		reader_close(reader);
		bytes_free(&text);
	}
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_goldens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
