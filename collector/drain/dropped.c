/* SPDX-License-Identifier: MIT */
/* dropped.c - notes dropped events behind each worker's last block. */
#include "collector/drain/dropped.h"

#include "collector/drain/drain.h"
#include "collector/trace/note.h"

/* Notes the gap at the end of a worker's stream: dropped events that no note covers yet. */
static void put_dropped_of(struct drain *drain, struct trace_file *file, uint32_t w, uint32_t seqno,
			   uint64_t end_units)
{
	struct worker *worker = drain->worker_at(drain->arg, w);
	struct note_gap gap[WIRE_LOSS_OLD];

	if (!worker)
		return;
	const struct checkpoint *written = checkpoint_written(drain, worker);
	struct note_place place = { .worker = w,
				    .seqno = seqno == UINT32_MAX ? written->n_blocks : seqno,
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

void dropped_put(struct drain *drain, struct trace_file *file, uint64_t end_units,
		 const uint32_t *seqno, uint32_t n)
{
	uint32_t n_workers = stream_workers(drain);

	for (uint32_t w = 0; w < n_workers; w++)
		put_dropped_of(drain, file, w,
			       !seqno  ? UINT32_MAX
			       : w < n ? seqno[w]
				       : 0,
			       end_units);
}
