/* SPDX-License-Identifier: MIT */
/* rank.c - names what a rank's calls are of, and hands it over. */
#include "tools/report/rank.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

static const char *copy(const char *text, bool *all)
{
	char *own = text ? strdup(text) : NULL;

	*all &= own || !text;
	return own;
}

/* The numbers of those that are kept. */
struct places {
	struct rank *rank;
	const struct summary *summary;
	struct map by_kind, by_site; /* number + 1 */
	uint64_t room, work_room;
};

static int add_place(struct places *places, const struct place *from, uint64_t work_ns)
{
	struct rank *rank = places->rank;
	struct place *to;
	bool all = true;

	if (!array_grow(&rank->place, &places->room, rank->n_places + 1ull, sizeof(*to)) ||
	    !array_grow(&rank->work_ns, &places->work_room, rank->n_places + 1ull,
			sizeof(*rank->work_ns)))
		return -ENOMEM;
	rank->work_ns[rank->n_places] = work_ns;
	to = &rank->place[rank->n_places++];
	*to = *from;
	to->name = copy(from->name ?: "?", &all);
	to->file = copy(from->file, &all);
	to->module = copy(from->module, &all);
	return all ? 0 : -ENOMEM;
}

/* Of a kind, or of a site: in place of its number that of its place. */
static int number_place(struct places *places, struct map *map, uint32_t *number)
{
	const struct summary *summary = places->summary;
	bool is_kind = map == &places->by_kind;
	uint64_t *known = map_put(map, *number);
	int error = 0;

	if (!known)
		return -ENOMEM;
	if (!*known) {
		struct place place =
			is_kind ? summary->rows.code[*number] : rows_site(summary->run, *number);

		error = add_place(places, &place,
				  is_kind ? summary->breakdown.kind[*number].work_ns : 0);
		*known = places->rank->n_places;
	}
	*number = (uint32_t)*known - 1;
	return error;
}

int rank_of(struct rank *rank, const struct summary *summary)
{
	struct places places = { .rank = rank, .summary = summary };
	struct rank_calls *calls = &rank->calls;
	int error = 0;

	*rank = (struct rank){ 0 };
	if (!run_selected(summary->run))
		error = rank_calls_find(calls, summary->dag, &summary->pauses,
					&summary->run->machine, summary->defs->first.ns);
	for (uint32_t i = 0; i < calls->n_steps && !error; i++)
		error = number_place(&places, &places.by_kind, &calls->step[i].kind);
	for (uint32_t i = 0; i < calls->n_calls && !error; i++)
		error = number_place(&places, &places.by_site, &calls->call[i].site);
	/* other ranks may be late with what this one did in time */
	for (uint32_t i = 0; i < summary->rows.n && calls->n_calls && !error; i++) {
		uint32_t kind = summary->rows.row[i].kind;

		error = number_place(&places, &places.by_kind, &kind);
	}
	map_free(&places.by_kind);
	map_free(&places.by_site);
	return error;
}

void rank_free(struct rank *rank)
{
	for (uint32_t i = 0; i < rank->n_places; i++) {
		free((char *)rank->place[i].name);
		free((char *)rank->place[i].file);
		free((char *)rank->place[i].module);
	}
	free(rank->place);
	free(rank->work_ns);
	rank_calls_free(&rank->calls);
	*rank = (struct rank){ 0 };
}

/* ---- as bytes ---- */

static void put_array(FILE *out, const void *array, uint32_t n, size_t entry_bytes)
{
	bytes_put(out, &n, sizeof(n));
	if (n)
		bytes_put(out, array, n * entry_bytes);
}

static void get_array(struct bytes *bytes, void *array, uint32_t *n, size_t entry_bytes)
{
	void **to = array;

	*n = bytes_get_n(bytes, entry_bytes);
	*to = *n ? malloc(*n * entry_bytes) : NULL;
	if (*to)
		bytes_get(bytes, *to, *n * entry_bytes);
	else
		bytes->short_of |= *n > 0;
	*n = *to ? *n : 0;
}

void rank_write(FILE *out, const struct rank *rank)
{
	const struct rank_calls *calls = &rank->calls;

	bytes_put(out, &calls->begin_ns, sizeof(calls->begin_ns));
	bytes_put(out, &calls->end_ns, sizeof(calls->end_ns));
	put_array(out, calls->call, calls->n_calls, sizeof(*calls->call));
	put_array(out, calls->message, calls->n_messages, sizeof(*calls->message));
	put_array(out, calls->step, calls->n_steps, sizeof(*calls->step));
	put_array(out, rank->work_ns, rank->n_places, sizeof(*rank->work_ns));
	put_array(out, rank->place, rank->n_places, sizeof(*rank->place));
	for (uint32_t i = 0; i < rank->n_places; i++) {
		bytes_put_text(out, rank->place[i].name);
		bytes_put_text(out, rank->place[i].file);
		bytes_put_text(out, rank->place[i].module);
	}
}

int rank_read(struct rank *rank, struct bytes *bytes)
{
	struct rank_calls *calls = &rank->calls;

	*rank = (struct rank){ 0 };
	bytes_get(bytes, &calls->begin_ns, sizeof(calls->begin_ns));
	bytes_get(bytes, &calls->end_ns, sizeof(calls->end_ns));
	get_array(bytes, &calls->call, &calls->n_calls, sizeof(*calls->call));
	get_array(bytes, &calls->message, &calls->n_messages, sizeof(*calls->message));
	get_array(bytes, &calls->step, &calls->n_steps, sizeof(*calls->step));
	get_array(bytes, &rank->work_ns, &rank->n_places, sizeof(*rank->work_ns));
	get_array(bytes, &rank->place, &rank->n_places, sizeof(*rank->place));
	for (uint32_t i = 0; i < rank->n_places; i++) {
		rank->place[i].name = bytes_get_text(bytes);
		rank->place[i].file = bytes_get_text(bytes);
		rank->place[i].module = bytes_get_text(bytes);
	}
	return bytes->short_of ? -ENOMEM : 0;
}
