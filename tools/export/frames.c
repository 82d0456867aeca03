/* SPDX-License-Identifier: MIT */
/* frames.c - numbers names by what they are made of. */
#include "tools/export/frames.h"

#include <stdlib.h>

#define KIND_SHIFT 40 /* fewer tasks than that are collapsed below one */
#define IS_CALL (UINT64_C(1) << 63)

static uint64_t key_of_task(const struct export *export, strand_id s)
{
	return (uint64_t)dag_kind(export->dag, s) << KIND_SHIFT ^ export_collapsed(export, s);
}

/* The word is the same pointer wherever it is used. */
static uint64_t key_of_call(const struct export *export, strand_id s)
{
	return IS_CALL | (uintptr_t)export_ended_by(export, s);
}

static void add(struct frames *frames, uint64_t key, struct frame frame)
{
	uint64_t *number;

	if (map_find(&frames->by_key, key))
		return;
	number = map_put(&frames->by_key, key);
	array_grow(&frames->frame, &frames->room, frames->n + 1ull, sizeof(*frames->frame));
	*number = frames->n;
	frames->frame[frames->n++] = frame;
}

static void add_strand(struct frames *frames, strand_id s)
{
	const struct export *export = frames->export;
	struct frame task = { .kind = dag_kind(export->dag, s),
			      .n_collapsed = export_collapsed(export, s),
			      .strand = s };
	struct frame call = { .call = export_ended_by(export, s), .strand = s };

	if (!(export->flags[s] & EXPORT_GOES_ON))
		add(frames, key_of_task(export, s), task);
	if (export->flags[s] & EXPORT_PAUSES)
		add(frames, key_of_call(export, s), call);
}

void frames_find(struct frames *frames, const struct export *export)
{
	*frames = (struct frames){ .export = export };
	for (strand_id s = 0; s < export->dag->n_strands; s++)
		if (export_has(export, s))
			add_strand(frames, s);
}

void frames_free(struct frames *frames)
{
	free(frames->frame);
	free(frames->open);
	map_free(&frames->by_key);
	*frames = (struct frames){ 0 };
}

uint32_t frames_step(struct frames *frames, enum slice_step step, strand_id s)
{
	const struct export *export = frames->export;
	uint64_t key = step == SLICE_ENTER ? key_of_task(export, s) : key_of_call(export, s);

	if (!frames_opens(step))
		return frames->open[--frames->n_open];
	array_grow(&frames->open, &frames->open_room, frames->n_open + 1, sizeof(*frames->open));
	return frames->open[frames->n_open++] = (uint32_t)*map_find(&frames->by_key, key);
}

const char *frames_name(const struct frames *frames, uint32_t frame, char out[EXPORT_NAME])
{
	const struct frame *of = &frames->frame[frame];

	return of->call ? of->call : export_name(frames->export, of->strand, out);
}

const struct place *frames_place(const struct frames *frames, uint32_t frame)
{
	const struct frame *of = &frames->frame[frame];

	return of->call ? NULL : &frames->export->summary->rows.code[of->kind];
}
