/* SPDX-License-Identifier: MIT */
/* finish.c - writes definitions, ends and snapshots from what a drain has. */
#include "collector/drain/finish.h"

#include <errno.h>

#include "collector/drain/drain.h"
#include "collector/drain/figures.h"
#include "collector/trace/lines.h"
#include "collector/trace/note.h"

/* Notes the gap at the end of a worker's stream: dropped events that no note covers yet. */
static void put_dropped_of(struct drain *drain, struct trace_file *file, uint32_t w,
			   uint64_t end_units)
{
	struct worker *worker = drain->worker_at(drain->arg, w);
	struct note_gap gap[WIRE_LOSS_OLD];

	if (!worker)
		return;
	const struct checkpoint *written = checkpoint_written(drain, worker);
	struct note_place place = { .worker = w,
				    .seqno = drain->flight.max_bytes
						     ? flight_written(&drain->flight, w)
						     : written->n_blocks,
				    .units = written->last_units,
				    .n_ids = written->n_ids };

	for (uint32_t why = 0; why < WIRE_LOSS_OLD; why++)
		gap[why] = (struct note_gap){ .n = atomic_load(&worker->gap[why].n),
					      .since = atomic_load(&worker->gap[why].since) >>
						       drain->shift,
					      .until = end_units,
					      .why = (enum wire_loss)why };
	struct note_slots slots = stream_left(drain, worker, w);

	note_untaken(&slots, gap);
	for (uint32_t why = 0; why < WIRE_LOSS_OLD; why++) {
		uint64_t past = why == WIRE_LOSS_SIZE ? worker->n_past : 0;

		gap[why].n = lost_n(gap[why].n + past);
		if (past || gap[why].since < place.units)
			gap[why].since = place.units;
		if (gap[why].until < gap[why].since)
			gap[why].until = gap[why].since;
	}
	note_put(file, drain->threads.at[0]->encoder, &place, gap, WIRE_LOSS_OLD);
}

void finish_dropped(struct drain *drain, struct trace_file *file, uint64_t end_units)
{
	uint32_t n_workers = stream_workers(drain);

	for (uint32_t w = 0; w < n_workers; w++)
		put_dropped_of(drain, file, w, end_units);
}

void finish_definitions(struct drain *drain, const struct watermark *watermark)
{
	struct figures figures;

	/* its file is made at the end; but marks left in the session would fill it */
	if (drain->flight.max_bytes) {
		definitions_take_marks(&drain->definitions, drain->last, NULL);
		return;
	}
	figures = figures_of(drain);
	definitions_put(&drain->definitions, &figures, watermark, drain->last, false,
			&drain->lines);
	lines_put(&drain->lines, &drain->file);
}

/* Writes what the flight recorder has to a new file, but for its end. */
static int write_flight(struct drain *drain, struct trace_file *file, const struct clock_pair *end)
{
	uint64_t end_units = end->ticks >> drain->shift;
	struct figures figures = figures_of(drain);

	definitions_put(&drain->definitions, &figures, NULL, drain->last, true, &drain->lines);
	lines_put(&drain->lines, file);
	flight_write(&drain->flight, file, drain->threads.at[0]->encoder, drain->begin_units,
		     end_units);
	finish_dropped(drain, file, end_units);
	definitions_put_watermark(&drain->definitions, &figures,
				  &(struct watermark){ *end, end->ticks }, &drain->lines);
	lines_put(&drain->lines, file);
	return file->error ? file->error : file->full;
}

/* Whether an error says that there is no room for more bytes. */
static bool is_full(int error)
{
	return error == -ENOSPC || error == -EDQUOT || error == -EFBIG;
}

void finish_flight(struct drain *drain, struct trace_file *file, const struct clock_pair *end)
{
	int error = write_flight(drain, file, end);

	while (is_full(error) && !drain->as_is && stream_is_early(drain) &&
	       flight_halve(&drain->flight) && trace_file_empty(file) == 0) {
		drain->cut_error = error;
		error = write_flight(drain, file, end);
	}
}

/* Into a file that is a copy of what is there, or empty: then all comes from memory. */
static int write_snapshot(struct drain *drain, struct trace_file *file,
			  const struct clock_pair *now)
{
	struct figures figures = figures_of(drain);
	struct watermark watermark = { *now, now->ticks };
	bool kept = drain->flight.max_bytes;

	if (kept)
		write_flight(drain, file, now);
	else
		finish_dropped(drain, file, now->ticks >> drain->shift);
	definitions_put_snapshot(&drain->definitions, &figures, kept ? NULL : &watermark,
				 drain->n_snapshots, &drain->lines);
	lines_put(&drain->lines, file);
	return trace_file_finish(file);
}

int finish_snapshot(struct drain *drain, const char *path, const struct clock_pair *now,
		    struct err *err)
{
	struct trace_file file;
	int error = drain->flight.max_bytes ? trace_file_create(&file, path)
					    : trace_file_copy(&file, &drain->file, path);

	if (!error)
		error = write_snapshot(drain, &file, now);
	*err = file.err;
	trace_file_close(&file);
	return error;
}

void finish_last(struct drain *drain, struct clock_pair end, const char *how)
{
	struct figures figures = figures_of(drain);
	struct definitions_end last = { .at = end,
					.how = how,
					.unwritten = figures_unwritten(drain),
					.n_unread = drain->n_unread };

	/* last of all: threads of the program may still record, and late ones are counted here */
	figures_made(drain, &last);
	after_end_count(drain, &last);
	definitions_put_end(&drain->definitions, &figures, &last, &drain->lines);
	lines_put(&drain->lines, &drain->file);
}
