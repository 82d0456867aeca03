/* SPDX-License-Identifier: MIT */
/* finish.c - writes definitions, ends and snapshots from what a drain has. */
#include "collector/drain/finish.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/drain/drain.h"
#include "collector/drain/figures.h"
#include "collector/drain/dropped.h"
#include "collector/trace/lines.h"

void finish_definitions(struct drain *drain, const struct watermark *watermark)
{
	struct figures figures;
	struct lines out = { 0 };

	/* its file is made at the end; but marks left in the session would fill it */
	if (drain->flight.max_bytes) {
		definitions_take_marks(&drain->definitions, drain->last, NULL);
		return;
	}
	figures = figures_of(drain);
	definitions_put_new(&drain->definitions, &figures, watermark, drain->last, &out);
	lines_put(&out, &drain->file);
}

/* Writes what the flight recorder has to a new file, but for its end. */
static int write_flight(struct drain *drain, struct trace_file *file, const struct clock_pair *end)
{
	uint64_t end_units = end->ticks >> drain->shift;
	uint32_t *seqno = malloc((drain->flight.n_workers + 1) * sizeof(*seqno));
	struct figures figures = figures_of(drain);
	struct lines out = { 0 };

	if (!seqno)
		return trace_file_fail(file, ENOMEM, "cannot write what was kept");
	definitions_put_all(&drain->definitions, &figures, &(struct watermark){ *end, end->ticks },
			    drain->last, &out);
	lines_put(&out, file);
	flight_write(&drain->flight, file, drain->threads.at[0]->encoder, drain->begin_units,
		     end_units, seqno);
	dropped_put(drain, file, end_units, seqno, drain->flight.n_workers);
	free(seqno);
	return file->error ? file->error : file->full;
}

/* Whether an error says that there is no room for more bytes. */
static bool is_full(int error)
{
	return error == -ENOSPC || error == -EDQUOT || error == -EFBIG;
}

int finish_flight(struct drain *drain, struct trace_file *file, const struct clock_pair *end)
{
	int error = write_flight(drain, file, end);

	while (is_full(error) && !drain->as_is && stream_is_early(drain) &&
	       flight_halve(&drain->flight) && trace_file_empty(file) == 0) {
		drain->cut_error = error;
		error = write_flight(drain, file, end);
	}
	return error;
}

/* Into a file that is a copy of what is there, or empty: then all comes from memory. */
static int write_snapshot(struct drain *drain, struct trace_file *file,
			  const struct clock_pair *now)
{
	struct figures figures = figures_of(drain);
	struct watermark watermark = { *now, now->ticks };
	bool kept = drain->flight.max_bytes;
	struct lines out = { 0 };

	if (kept)
		write_flight(drain, file, now);
	else
		dropped_put(drain, file, now->ticks >> drain->shift, NULL, 0);
	definitions_put_snapshot(&drain->definitions, &figures, kept ? NULL : &watermark,
				 drain->n_snapshots, &out);
	lines_put(&out, file);
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
	struct lines out = { 0 };

	/* last of all: threads of the program may still record, and late ones are counted here */
	figures_made(drain, &last);
	after_end_count(drain, &last);
	definitions_put_end(&drain->definitions, &figures, &last, &out);
	lines_put(&out, &drain->file);
}
