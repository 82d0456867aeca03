/* SPDX-License-Identifier: MIT */
/*
 * perfetto.h - packets of Perfetto's protobuf, and the tracks of a process.
 *
 * Field numbers are those of Perfetto's protos/perfetto/trace: trace_packet.proto, track_event/
 * track_event.proto, track_descriptor.proto, debug_annotation.proto, interned_data.proto.
 *
 * An event is begun, given more fields in ->event, and ended.  Times are ns of the process's
 * window.  One thread.
 */
#pragma once

#include "tools/export/frames.h"
#include "tools/export/job_times.h"
#include "tools/export/device_lanes.h"
#include "tools/export/protobuf.h"
#include "tools/summary/path_rows.h"

enum { TRACE_PACKET = 1 };
enum { /* TracePacket */
       PACKET_TIMESTAMP = 8,
       PACKET_SEQUENCE_ID = 10,
       PACKET_TRACK_EVENT = 11,
       PACKET_INTERNED_DATA = 12,
       PACKET_SEQUENCE_FLAGS = 13,
       PACKET_TRACK_DESCRIPTOR = 60
};
enum { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };
enum { /* TrackDescriptor */
       TRACK_UUID = 1,
       TRACK_NAME = 2,
       TRACK_PROCESS = 3,
       TRACK_PARENT = 5,
       TRACK_COUNTER = 8,
       TRACK_CHILD_ORDERING = 11,
       TRACK_RANK = 12
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { ORDERING_EXPLICIT = 3 };
enum { /* TrackEvent */
       EVENT_ANNOTATION = 4,
       EVENT_TYPE = 9,
       EVENT_NAME_IID = 10,
       EVENT_TRACK = 11,
       EVENT_NAME = 23,
       EVENT_COUNTER = 30,
       EVENT_FLOW = 47,
       EVENT_FLOW_END = 48,
       EVENT_CALLSTACK = 56
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { ANNOTATION_UINT = 3, ANNOTATION_TEXT = 6, ANNOTATION_NAME = 10, ANNOTATION_NAME_IID = 1 };
enum { /* InternedData */
       INTERNED_EVENT_NAME = 2,
       INTERNED_ANNOTATION_NAME = 3,
       INTERNED_FUNCTION = 5,
       INTERNED_FRAME = 6,
       INTERNED_CALLSTACK = 7
};
enum { INTERNED_IID = 1, INTERNED_TEXT = 2 };
enum { FRAME_FUNCTION = 2, STACK_FRAME = 2 };

/* Our tracks, of a process.  Those of workers are WORKER_FIRST + WORKER_TRACKS * worker + one of
 * these. */
enum { UUID_PROCESS = 1, UUID_ABOUT, UUID_PATH, UUID_RUNNING, UUID_READY, UUID_LOST };
enum { ON_SLICES, ON_RUNNING, ON_READY, ON_LOST };
#define WORKER_FIRST 100u
#define WORKER_TRACKS 4u
#define OPERATION_FIRST (1u << 31) /* + lane */

/* Bits of a track, a flow: below, what the process numbers itself. */
#define PROCESS_TRACKS 32u
#define PROCESS_FLOWS 40u
#define FLOW_OF_MESSAGE (1ull << 63) /* of any process */
#define FLOW_OF_OPERATION (1ull << 62)

struct perfetto {
	/* of all processes */
	FILE *out;
	struct protobuf packet, event, inner;
	const struct job_times *times; /* NULL: of one */
	/* of the one at hand */
	const struct export *export;
	uint64_t process;	 /* from 0 */
	uint64_t rank;		 /* of MPI_COMM_WORLD */
	struct frames frames;	 /* whose names are interned, by 1 + number; then instants[] */
	struct path_rows stacks; /* likewise, by path */
	struct operations operations;
	bool begun;
};

static inline uint64_t perfetto_track(const struct perfetto *to, uint64_t number)
{
	return to->process << PROCESS_TRACKS | number;
}

static inline uint64_t perfetto_worker(const struct perfetto *to, uint32_t worker, unsigned what)
{
	return perfetto_track(to, WORKER_FIRST + (uint64_t)WORKER_TRACKS * worker + what);
}

void perfetto_packet(struct perfetto *to); /* writes ->packet */
void perfetto_begin(struct perfetto *to, uint64_t uuid, unsigned type);
void perfetto_end(struct perfetto *to, uint64_t ns);
void perfetto_count(struct perfetto *to, uint64_t uuid, uint64_t ns, uint64_t value);

/* The process at hand, its workers and counters; and what is known of the export. */
void perfetto_tracks(struct perfetto *to);
void perfetto_facts(struct perfetto *to);
