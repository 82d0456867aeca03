/* SPDX-License-Identifier: MIT */
/* perfetto_tracks.c - packets, and what stands above the events of a process. */
#include <stdlib.h>

#include "tools/export/facts.h"
#include "tools/export/perfetto.h"

/* ---- packets ---- */

void perfetto_packet(struct perfetto *to)
{
	protobuf_number(&to->packet, PACKET_SEQUENCE_ID, to->process + 1);
	protobuf_number(&to->packet, PACKET_SEQUENCE_FLAGS,
			to->begun ? SEQUENCE_NEEDS_STATE : SEQUENCE_CLEARED);
	to->begun = true;
	protobuf_write(to->out, TRACE_PACKET, &to->packet);
	protobuf_clear(&to->packet);
}

void perfetto_begin(struct perfetto *to, uint64_t uuid, unsigned type)
{
	protobuf_clear(&to->event);
	protobuf_number(&to->event, EVENT_TYPE, type);
	protobuf_number(&to->event, EVENT_TRACK, uuid);
}

void perfetto_end(struct perfetto *to, uint64_t ns)
{
	protobuf_number(&to->packet, PACKET_TIMESTAMP, job_times_at(to->times, to->process, ns));
	protobuf_message(&to->packet, PACKET_TRACK_EVENT, &to->event);
	perfetto_packet(to);
}

void perfetto_count(struct perfetto *to, uint64_t uuid, uint64_t ns, uint64_t value)
{
	perfetto_begin(to, uuid, TYPE_COUNTER);
	protobuf_number(&to->event, EVENT_COUNTER, value);
	perfetto_end(to, ns);
}

/* ---- tracks ---- */

static void begin_track(struct perfetto *to, uint64_t uuid, const char *name, uint64_t parent,
			uint64_t rank)
{
	protobuf_clear(&to->event);
	protobuf_number(&to->event, TRACK_UUID, uuid);
	protobuf_text(&to->event, TRACK_NAME, name);
	if (!parent)
		return;
	protobuf_number(&to->event, TRACK_PARENT, parent);
	protobuf_number(&to->event, TRACK_RANK, rank);
}

static void end_track(struct perfetto *to)
{
	protobuf_number(&to->event, TRACK_CHILD_ORDERING, ORDERING_EXPLICIT);
	protobuf_message(&to->packet, PACKET_TRACK_DESCRIPTOR, &to->event);
	perfetto_packet(to);
}

static void put_track(struct perfetto *to, uint64_t uuid, const char *name, uint64_t parent,
		      uint64_t rank)
{
	begin_track(to, uuid, name, parent, rank);
	end_track(to);
}

static void put_counter_track(struct perfetto *to, uint64_t uuid, const char *name, uint64_t parent,
			      uint64_t rank)
{
	begin_track(to, uuid, name, parent, rank);
	protobuf_clear(&to->inner);
	protobuf_message(&to->event, TRACK_COUNTER, &to->inner);
	end_track(to);
}

static void put_process(struct perfetto *to)
{
	const char *pid = facts_find(to->export, "pid");
	char name[EXPORT_NAME];

	facts_process(to->export, to->times, to->process, name);
	begin_track(to, perfetto_track(to, UUID_PROCESS), name, 0, 0);
	protobuf_clear(&to->inner);
	protobuf_number(&to->inner, PROCESS_PID, *pid ? strtoull(pid, NULL, 10) & INT32_MAX : 1);
	protobuf_text(&to->inner, PROCESS_NAME, name);
	protobuf_message(&to->event, TRACK_PROCESS, &to->inner);
	end_track(to);
}

static void put_worker_tracks(struct perfetto *to, uint32_t worker)
{
	static const char *const counted[] = { [ON_RUNNING] = "running on worker",
					       [ON_READY] = "ready, held by worker",
					       [ON_LOST] = "events lost on worker" };
	uint64_t slices = perfetto_worker(to, worker, ON_SLICES);
	char name[40];

	snprintf(name, sizeof(name), "worker %u", worker);
	put_track(to, slices, name, perfetto_track(to, UUID_PROCESS), worker + 10ull);
	for (unsigned on = ON_RUNNING; on <= ON_LOST; on++) {
		snprintf(name, sizeof(name), "%s %u", counted[on], worker);
		put_counter_track(to, perfetto_worker(to, worker, on), name, slices, on);
	}
}

void perfetto_tracks(struct perfetto *to)
{
	const struct operations *of = &to->operations;
	uint64_t process = perfetto_track(to, UUID_PROCESS);

	put_process(to);
	put_track(to, perfetto_track(to, UUID_ABOUT), "about this export", process, 1);
	put_counter_track(to, perfetto_track(to, UUID_RUNNING), "running", process, 2);
	put_counter_track(to, perfetto_track(to, UUID_READY), "ready", process, 3);
	put_counter_track(to, perfetto_track(to, UUID_LOST), "events lost", process, 4);
	put_track(to, perfetto_track(to, UUID_PATH), "ready path", process, 5);
	for (uint32_t w = 0; w < to->export->dag->n_slots; w++)
		if (to->export->worker[w])
			put_worker_tracks(to, w);
	for (uint64_t i = 0; i < of->n; i++)
		if (!i || of->of[i].lane != of->of[i - 1].lane)
			put_track(to, perfetto_track(to, OPERATION_FIRST + of->of[i].lane),
				  operation_device(to->export, &of->of[i]), process,
				  to->export->dag->n_slots + 10);
}

void perfetto_facts(struct perfetto *to)
{
	perfetto_begin(to, perfetto_track(to, UUID_ABOUT), TYPE_INSTANT);
	protobuf_text(&to->event, EVENT_NAME, "tptrace export");
	for (uint32_t i = 0; i < to->export->n_facts; i++) {
		protobuf_clear(&to->inner);
		protobuf_text(&to->inner, ANNOTATION_NAME, to->export->fact[i].key);
		protobuf_text(&to->inner, ANNOTATION_TEXT, to->export->fact[i].value);
		protobuf_message(&to->event, EVENT_ANNOTATION, &to->inner);
	}
	perfetto_end(to, 0);
}
