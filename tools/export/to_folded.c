/* SPDX-License-Identifier: MIT */
/*
 * to_folded.c - creation paths as folded stacks, as `report --folded` prints them.
 *
 * With a cut by worker, kind or task they are sums of the work of what is left; a task that stands
 * for collapsed ones counts with theirs.  The format has no place for facts.
 */
#include "tools/export/format.h"
#include "tools/base/xalloc.h"
#include "tools/export/folded.h"
#include "tools/summary/path_rows.h"

static void put_cut(const struct export *export, FILE *out)
{
	const struct dag *dag = export->dag;
	AT_END(path_rows_free) struct path_rows rows;
	FREED uint64_t *work = NULL;

	path_rows_build(&rows, export->summary);

	work = xcalloc(rows.paths.n + 1ull, sizeof(*work));
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (export_has(export, s))
			work[rows.paths.of_task[dag->strand[s].task]] += dag_work(dag, s);
	for (uint32_t p = 0; p < rows.paths.n; p++)
		folded_put(out, &rows, p, work[p]);
}

static bool is_cut(const struct export_cut *cut)
{
	return cut->workers || cut->kind || cut->top;
}

static const char *folded_why_not(const struct export *export)
{
	return is_cut(&export->cut) && export->cut.folded != FOLDED_WORK
		       ? "only work can be cut by worker, kind and task; leave out --stacks"
		       : NULL;
}

static void write_folded(const struct export *export, FILE *out)
{
	if (is_cut(&export->cut))
		put_cut(export, out);
	else
		folded_print(out, export->summary, (enum folded)export->cut.folded, NULL);
}

const struct format format_folded = {
	.name = "folded",
	.suffix = ".folded",
	.reader = "flamegraph.pl or speedscope",
	.why_not = folded_why_not,
	.file = write_folded,
};
