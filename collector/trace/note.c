/* SPDX-License-Identifier: MIT */
/* note.c - writes gaps into a worker's stream. */
#include "collector/trace/note.h"

#include <stdbool.h>

#define NOTE_EVENTS_MAX (3 * WIRE_LOSSES + 2) /* LOST, SINCE, UNTIL each; NEXT_ID and RESUME */

static void event_add(struct encode_source *source, struct wire_event *event, uint64_t a,
		      uint64_t b)
{
	event[source->n++] = (struct wire_event){ a, b };
}

void note_untaken(const struct note_slots *slots, struct note_gap *gap)
{
	bool seen[WIRE_LOSS_OLD] = { false };

	for (uint64_t i = 0; i + 2 < slots->n; i += 3) {
		const struct wire_event *lost = &slots->slot[i], *since = lost + 1;
		uint64_t why = lost_why(lost->b);

		/* only the events at the very front are notes; what is counted there is counted
		 * once */
		if (event_kind(lost) != WIRE_LOST || event_kind(since) != WIRE_SINCE ||
		    why >= WIRE_LOSS_OLD || seen[why])
			return;
		seen[why] = true;
		gap[why].n = lost_n(lost->b);
		gap[why].since = since->b >> slots->shift;
	}
}

void note_put(struct trace_file *file, struct encoder *encoder, const struct note_place *place,
	      const struct note_gap *gap, uint32_t n_gaps)
{
	struct wire_event event[NOTE_EVENTS_MAX];
	struct wire_block block = { .worker = place->worker, .seqno = place->seqno };
	struct encode_source source = { .slot = event,
					.last_units = place->units,
					.n_ids = place->n_ids };
	uint64_t until = place->units;
	const void *body;
	int error;

	for (uint32_t i = 0; i < n_gaps && i < WIRE_LOSSES; i++) {
		if (gap[i].n == 0)
			continue;
		event_add(&source, event, WIRE_LOST, lost_make(gap[i].n, gap[i].why));
		event_add(&source, event, WIRE_SINCE, gap[i].since);
		event_add(&source, event, WIRE_UNTIL, gap[i].until);
		until = gap[i].until > until ? gap[i].until : until;
	}
	if (source.n == 0)
		return;
	/* ids were given out in the gap, too: later ones must not be taken for these */
	event_add(&source, event, WIRE_NEXT_ID, place->n_ids);
	if (place->running)
		event_add(&source, event, event_at(until, WIRE_RESUME), place->running);
	error = encode_block(encoder, &source, &block, &body);
	if (error)
		trace_file_no_memory(file, "cannot pack events");
	else
		trace_file_put(file, &block, body);
}
