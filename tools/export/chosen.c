/* SPDX-License-Identifier: MIT */
/* chosen.c - reads a list of workers. */
#include "tools/export/chosen.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/xalloc.h"

/* The next range of the list; false at its end, or where it is none: then *text is not at a NUL. */
static bool next_range(const char **text, unsigned long *from, unsigned long *to)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	*from = *to = strtoul(*text, &end, 10);
	if (*end == '-') {
		const char *last = end + 1;

		*to = strtoul(last, &end, 10);
		if (*last < '0' || *last > '9' || *to < *from)
			return false;
	}
	if (*end && (*end != ',' || !end[1]))
		return false;
	*text = end + (*end == ',');
	return true;
}

bool chosen_is_list(const char *text)
{
	unsigned long from, to;
	bool any = false;

	while (next_range(&text, &from, &to))
		any = true;
	return any && !*text;
}

static void find_seen(struct export *export)
{
	const struct dag *dag = export->dag;

	for (strand_id s = 0; s < dag->n_strands; s++)
		if (!dag_is_node(dag, s))
			export->worker[dag->strand[s].worker] = true;
}

int chosen_workers(struct export *export, struct err *err)
{
	const char *list = export->cut.workers;
	unsigned long from = 0, to = 0;
	FREED bool *wanted = xcalloc(export->dag->n_slots + 1ull, sizeof(*wanted));
	uint32_t n = 0;

	find_seen(export);
	while (list && next_range(&list, &from, &to))
		for (; from <= to && from < export->dag->n_slots; from++)
			wanted[from] = true;
	for (uint32_t w = 0; w < export->dag->n_slots; w++) {
		export->worker[w] &= !list || wanted[w];
		n += export->worker[w];
	}
	if (!n)
		return err_set(err, ENODATA, "%s: nothing ran on --worker %s",
			       export->summary->file->path, export->cut.workers);
	return 0;
}
