/* SPDX-License-Identifier: MIT */
/*
 * otf2_comms.h - the communicators of a job, and the messages of one of its ranks as OTF2 events.
 *
 * A trace says of a communicator its number, and OTF2 wants its members: they are the ranks that
 * used it, in the order of MPI_COMM_WORLD.
 */
#pragma once

#include <otf2/otf2.h>

#include "tools/base/map.h"
#include "tools/dag/dag.h"
#include "tools/export/job_times.h"

struct otf2_comm {
	uint32_t world;	  /* of its ranks: nth_world */
	uint32_t number;  /* in the traces */
	uint64_t *member; /* n_members: processes of the job, ascending */
	uint64_t n_members, room;
};

struct otf2_comms {
	struct otf2_comm *comm; /* n_comms, as they were met */
	uint64_t n_comms, room;
	struct map by_number;  /* as job_other() has it -> index + 1 */
	struct map process_of; /* by job_rank_id(): + 1 */
	OTF2_CommRef first;    /* the archive's number of comm[0] */
};

void otf2_comms_find(struct otf2_comms *comms, const struct job_times *times);
void otf2_comms_free(struct otf2_comms *comms); /* a zeroed one is fine */

/* The messages of one rank. */
struct otf2_messages {
	const struct otf2_comms *comms;
	const struct dag *dag;
	OTF2_EvtWriter *writer;	       /* of the location at hand */
	const struct job_times *times; /* NULL: of one */
	uint32_t process;
	struct map first;  /* strand that ended with a wait -> its first message, + 1 */
	struct map waited; /* collective calls that are written: message_key() */
	bool failed;
};

void otf2_messages_find(struct otf2_messages *messages, const struct otf2_comms *comms,
			const struct dag *dag);
void otf2_messages_free(struct otf2_messages *messages); /* a zeroed one is fine */

/* What the wait behind the strand sends and begins; and what it received and ended. */
void otf2_messages_begin(struct otf2_messages *messages, strand_id s, uint64_t ns);
void otf2_messages_end(struct otf2_messages *messages, strand_id s, uint64_t ns);
/* Those of waits behind the window, of the worker; of no worker, if it is the `first` one. */
void otf2_messages_behind(struct otf2_messages *messages, uint32_t worker, bool first, uint64_t ns);
