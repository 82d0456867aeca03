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
#include "tools/export/folded.h"
#include "tools/summary/path_rows.h"

static int put_cut(const struct export *export, FILE *out)
{
	const struct dag *dag = export->dag;
	struct path_rows rows;
	uint64_t *work = NULL;
	int error = path_rows_build(&rows, export->summary);

	if (error)
		return error;
	work = calloc(rows.paths.n + 1ull, sizeof(*work));
	for (strand_id s = 0; work && s < dag->n_strands; s++)
		if (export_has(export, s))
			work[rows.paths.of_task[dag->strand[s].task]] += dag_work(dag, s);
	for (uint32_t p = 0; work && p < rows.paths.n; p++)
		folded_put(out, &rows, p, work[p]);
	error = work ? 0 : -ENOMEM;
	free(work);
	path_rows_free(&rows);
	return error;
}

static int write_folded(const struct export *export, FILE *out, struct err *err)
{
	const struct export_cut *cut = &export->cut;
	int error;

	if (!cut->workers && !cut->kind && !cut->top)
		error = folded_print(out, export->summary, (enum folded)cut->folded, NULL);
	else if (cut->folded == FOLDED_WORK)
		error = put_cut(export, out);
	else
		return err_set(err, EINVAL,
			       "only work can be cut by worker, kind and task; leave out --stacks");
	return error ? err_no_memory(err) : 0;
}

const struct format format_folded = {
	.name = "folded",
	.suffix = ".folded",
	.reader = "flamegraph.pl or speedscope",
	.file = write_folded,
};
