/* SPDX-License-Identifier: MIT */
/* found.c - gives findings their places. */
#include "tools/summary/found.h"

#include <string.h>

#include "tools/summary/lock_names.h"

static char *name_kind(void *context, kind_id kind, char *out, size_t room)
{
	const struct summary *summary = context;

	return place_text(out, room, &rows_find(&summary->rows, kind)->code);
}

/* "critical(histogram) at scan, app.c:7". */
static char *name_lock(void *context, const struct lock *lock, char *out, size_t room)
{
	const struct summary *summary = context;
	struct place place = rows_site(summary->run, lock->site);
	char where[FINDING_TEXT];

	lock_name(out, room, &summary->run->sites, lock);
	if (place.name) {
		size_t n = strlen(out);

		snprintf(out + n, room - n, " at %s", place_text(where, sizeof(where), &place));
	}
	return out;
}

static const char *name_site(void *context, site_id site)
{
	const struct summary *summary = context;

	return site == SITE_NONE ? "" : rows_site(summary->run, site).name ?: "";
}

static const char *name_runtime(void *context, kind_id kind)
{
	const struct summary *summary = context;
	const struct defs *defs = summary->defs;
	const struct dag *dag = summary->dag;
	const char *only = "";
	uint32_t n_only = 0;

	for (uint32_t r = 0; r < defs->n_runtimes && r < DAG_RUNTIMES; r++) {
		const char *name = defs->runtime[r].name ?: "";

		if (dag->kind_runtimes[kind] >> r & 1 && *name)
			return name;
		if (defs->n_runtimes == 1 || dag->runtime[r].n_tasks) {
			only = name;
			n_only++;
		}
	}
	return n_only == 1 ? only : ""; /* a root's, too */
}

const char *found_runtime(const struct summary *summary)
{
	return name_runtime((void *)(uintptr_t)summary, KIND_OF_ROOTS);
}

/* Where the program waits; where that is not known, or in a library without lines, the code that
 * does. */
static struct place place_of_site(const struct found *found, const struct summary *summary)
{
	const struct finding *finding = found->finding;
	struct place place = rows_site(summary->run, finding->site);
	struct place code = rows_find(&summary->rows, finding->kind)->code;
	bool known = place.name && strcmp(place.name, SITES_TAIL_CALL) != 0;

	return known && (place.file || !place.module || !code.file) ? place : code;
}

static struct finding_names finding_names_of(const struct summary *summary)
{
	return (struct finding_names){ (void *)summary, name_kind, name_lock, name_site,
				       name_runtime };
}

const char *found_fact(const struct summary *summary, const struct fact *fact,
		       char out[FINDING_TEXT])
{
	struct finding_names names = finding_names_of(summary);

	return fact_text(fact, &names, out, FINDING_TEXT);
}

void found_say(struct found *found, const struct summary *summary, const struct finding *finding)
{
	found->finding = finding;
	found->names = finding_names_of(summary);
	if (finding->site == SITE_NONE)
		found->place = rows_find(&summary->rows, finding->kind)->code;
	else
		found->place = place_of_site(found, summary);
	found->lock[0] = 0;
	if (finding->lock)
		lock_name(found->lock, sizeof(found->lock), &summary->run->sites, finding->lock);
	place_text(found->where, sizeof(found->where), &found->place);
	findings_say(finding, &found->names, found->what, found->advice);
}
