/* SPDX-License-Identifier: MIT */
/* path_rows.c - runs the analyses by path, and names paths. */
#include "tools/summary/path_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"

#define NAME_BYTES 300 /* of a code on a path */

/* ---- codes ---- */

struct coded {
	const struct place *place;
	kind_id kind;
};

ORDER(by_code, struct coded, place_compare(x->place, y->place) ?: BY_LEAST(kind))

/* code[]: the least kind of the same name, file and line; that of roots is their own. */
static void find_codes(const struct place *place, uint32_t n_kinds, kind_id *code)
{
	FREED struct coded *coded = xmalloc((n_kinds + 1ull) * sizeof(*coded));

	for (kind_id k = 0; k < n_kinds; k++)
		coded[k] = (struct coded){ &place[k], k };
	qsort(coded + 1, n_kinds - 1ull, sizeof(*coded), by_code);
	for (uint32_t i = 0; i < n_kinds; i++) {
		bool same = i > 1 && place_compare(coded[i - 1].place, coded[i].place) == 0;

		code[coded[i].kind] = same ? code[coded[i - 1].kind] : coded[i].kind;
	}
}

/* ---- rows ---- */

struct costly {
	uint64_t cost;
	uint32_t path;
};

ORDER(by_cost, struct costly, BY_MOST(cost) ?: BY_LEAST(path))

void path_rows_sort(struct path_rows *rows)
{
	FREED struct costly *costly = xmalloc((rows->paths.n + 1ull) * sizeof(*costly));

	rows->row = xmalloc((rows->paths.n + 1ull) * sizeof(*rows->row));
	for (uint32_t p = 0; p < rows->paths.n; p++) {
		uint64_t cost = charge_sum(&rows->by.breakdown.kind[p]);

		if (rows->by.facts[p].n_tasks || breakdown_has(&rows->by.breakdown, p))
			costly[rows->n++] = (struct costly){ cost, p };
	}
	qsort(costly, rows->n, sizeof(*costly), by_cost);
	for (uint32_t i = 0; i < rows->n; i++)
		rows->row[i] = costly[i].path;
}

/* Tasks of one code that different stacks made are of kinds that differ.  code[]: of each. */
static void split_kinds(struct path_rows *rows, kind_id **code)
{
	callpaths_build(&rows->callpaths, rows->summary->dag, *code);

	free(*code);
	*code = xmalloc((rows->callpaths.dag.n_kinds + 1ull) * sizeof(**code));
	for (kind_id k = 0; k < rows->callpaths.dag.n_kinds; k++)
		(*code)[k] = k;
}

void path_rows_build(struct path_rows *rows, const struct summary *summary)
{
	path_rows_open(rows, summary, summary->rows.code);

	regrouped_build(&rows->by, &rows->paths.dag, summary, false);
	path_rows_sort(rows);
}

void path_rows_open(struct path_rows *rows, const struct summary *summary,
		    const struct place *place)
{
	const struct dag *dag = summary->dag;
	FREED kind_id *code = xmalloc((dag->n_kinds + 1ull) * sizeof(*code));

	find_codes(place, dag->n_kinds, code);

	*rows = (struct path_rows){ .summary = summary };
	if (summary->calls && dag->n_paths) {
		split_kinds(rows, &code);
		dag = &rows->callpaths.dag;
	}
	paths_build(&rows->paths, dag, run_selected(summary->run), code);
}

void path_rows_free(struct path_rows *rows)
{
	regrouped_free(&rows->by);
	paths_free(&rows->paths);
	callpaths_free(&rows->callpaths);
	free(rows->row);
	*rows = (struct path_rows){ 0 };
}

/* ---- names ---- */

uint32_t path_chain(const struct path_rows *rows, uint32_t path, uint32_t chain[PATHS_DEEPEST])
{
	const struct path *all = rows->paths.path;
	uint32_t n = all[path].depth + 1;

	for (uint32_t i = n; i-- > 0; path = all[path].parent)
		chain[i] = path;
	return n;
}

const struct place *path_code(const struct path_rows *rows, uint32_t path)
{
	kind_id kind = rows->paths.path[path].kind;

	return &rows->summary->rows.code[rows->callpaths.base ? rows->callpaths.base[kind] : kind];
}

uint32_t path_calls(const struct path_rows *rows, uint32_t path, site_id call[PATH_CALLS])
{
	const struct defs *defs = rows->summary->defs;
	uint32_t n = 0, at;

	if (!rows->callpaths.base)
		return 0;
	for (at = rows->callpaths.path[rows->paths.path[path].kind]; at && n < PATH_CALLS;
	     at = defs->path[at].parent)
		call[n++] = defs->path[at].site;
	return n;
}

bool path_is_recursive(const struct path_rows *rows, uint32_t path)
{
	return rows->paths.path[rows->paths.path[path].lead].recursive;
}

/* The first name, in alphabetical order, of the lead's paths that comes after that one; NULL. */
static const char *name_after(const struct path_rows *rows, uint32_t lead, const char *last)
{
	const char *first = NULL;

	for (uint32_t p = lead; p != PATH_NONE; p = rows->paths.path[p].next) {
		const char *name = path_code(rows, p)->name;

		if ((!last || strcmp(name, last) > 0) && (!first || strcmp(name, first) < 0))
			first = name;
	}
	return first;
}

#define NAMES_MOST 3

char *path_lead_text(char *out, size_t room, const struct path_rows *rows, uint32_t path)
{
	const char *name = NULL;
	size_t used = 0;

	out[0] = 0;
	for (int n = 0; n <= NAMES_MOST && used + 1 < room; n++) {
		name = name_after(rows, path, name);
		if (!name)
			break;
		snprintf(out + used, room - used, "%s%s", n ? "|" : "",
			 n < NAMES_MOST ? name : "...");
		used += strlen(out + used);
	}
	return out;
}

uint32_t path_frames(const struct path_rows *rows, uint32_t path, const char *above,
		     struct place frame[PATH_CALLS])
{
	const char *own = path_code(rows, path)->name;
	site_id call[PATH_CALLS];
	uint32_t n = path_calls(rows, path, call), n_frames = 0;

	for (uint32_t i = n; i-- > 0;) {
		struct place place = rows_site(rows->summary->run, call[i]);

		if (place.name && !(i + 1 == n && above && strcmp(place.name, above) == 0) &&
		    !(i == 0 && strcmp(place.name, own) == 0))
			frame[n_frames++] = place;
	}
	return n_frames;
}

/* "f > g > ", what path_frames() gives. */
static size_t put_calls(char *out, size_t room, const struct path_rows *rows, uint32_t path,
			const char *above)
{
	struct place frame[PATH_CALLS];
	uint32_t n = path_frames(rows, path, above, frame);
	size_t used = 0;

	for (uint32_t i = 0; i < n; i++) {
		int bytes = snprintf(used < room ? out + used : NULL, used < room ? room - used : 0,
				     "%s > ", frame[i].name);

		used += bytes > 0 ? (size_t)bytes : 0;
	}
	return used;
}

/* Bytes of the chain's text without the codes chain[1..first-1]; written if there is room. */
static size_t put_chain(char *out, size_t room, const struct path_rows *rows, const uint32_t *chain,
			uint32_t n, uint32_t first)
{
	char lead[NAME_BYTES];
	size_t used = 0;

	for (uint32_t i = 0; i < n; i = i == 0 ? first : i + 1) {
		bool last = i + 1 == n, left_out = i && i == first && first > 1;
		const char *name = last ? path_code(rows, chain[i])->name
					: path_lead_text(lead, sizeof(lead), rows, chain[i]);
		const char *above = i ? path_code(rows, chain[i - 1])->name : NULL;
		int bytes =
			snprintf(used < room ? out + used : NULL, used < room ? room - used : 0,
				 "%s%s", i ? " > " : "",
				 left_out || rows->paths.path[chain[i]].guessed ? "... > " : "");

		used += bytes > 0 ? (size_t)bytes : 0;
		used += put_calls(used < room ? out + used : NULL, used < room ? room - used : 0,
				  rows, chain[i], above);
		bytes = snprintf(used < room ? out + used : NULL, used < room ? room - used : 0,
				 "%s%s", name,
				 path_is_recursive(rows, chain[i]) ? " (recursive)" : "");
		used += bytes > 0 ? (size_t)bytes : 0;
	}
	return used;
}

char *path_text(char *out, size_t room, const struct path_rows *rows, uint32_t path)
{
	uint32_t chain[PATHS_DEEPEST];
	uint32_t n = path_chain(rows, path, chain), first = 1;

	while (put_chain(out, room, rows, chain, n, first) >= room && first + 1 < n)
		first++;
	return out;
}
