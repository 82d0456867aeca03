/* SPDX-License-Identifier: MIT */
/*
 * to_folded.c - creation paths as folded stacks, as `report --folded` prints them.
 *
 * With a cut by worker, kind or task they are sums of the work of what is left; a task that stands
 * for collapsed ones counts with theirs.  The format has no place for facts.
 */
#include <errno.h>
#include <stdlib.h>

#include "tools/export/format.h"
#include "tools/base/xalloc.h"
#include "tools/export/folded.h"
#include "tools/summary/path_rows.h"

static void put_cut(const struct export *export, FILE *out)
{
	const struct dag *dag = export->dag;
	struct path_rows rows;
	uint64_t *work = NULL;

	path_rows_build(&rows, export->summary);

	work = xcalloc(rows.paths.n + 1ull, sizeof(*work));
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (export_has(export, s))
			work[rows.paths.of_task[dag->strand[s].task]] += dag_work(dag, s);
	for (uint32_t p = 0; p < rows.paths.n; p++)
		folded_put(out, &rows, p, work[p]);
	free(work);
	path_rows_free(&rows);
}

static int write_folded(const struct export *export, FILE *out, struct err *err)
{
	const struct export_cut *cut = &export->cut;

	if (!cut->workers && !cut->kind && !cut->top) {
		folded_print(out, export->summary, (enum folded)cut->folded, NULL);
	} else if (cut->folded == FOLDED_WORK) {
		put_cut(export, out);
	} else
		return err_set(err, EINVAL,
			       "only work can be cut by worker, kind and task; leave out --stacks");
	return 0;
}

const struct format format_folded = {
	.name = "folded",
	.suffix = ".folded",
	.reader = "flamegraph.pl or speedscope",
	.file = write_folded,
};
