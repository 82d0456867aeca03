/* SPDX-License-Identifier: MIT */
/* otf2_comms.c - gathers members, and writes each message at its end of its wait. */
#include "tools/export/otf2_comms.h"

#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/export/otf2_lib.h"

/* ---- communicators ---- */

static void add_member(struct otf2_comms *comms, const struct job_times *times, uint32_t process,
		       const struct rank_message *message)
{
	uint32_t number = message->comm;
	struct otf2_comm *comm;
	uint64_t *known;

	job_other(&times->match, &times->rank[process], message->field, message->rank, &number);
	if (!number)
		return;
	known = map_put(&comms->by_number, number);
	if (!*known) {
		ARRAY_ADD(comms->comm, comms->n_comms, comms->room,
			  (struct otf2_comm){ .world = times->rank[process].nth_world,
					      .number = message->comm });
		*known = comms->n_comms;
	}
	comm = &comms->comm[*known - 1];
	if (!comm->n_members || comm->member[comm->n_members - 1] != process)
		ARRAY_ADD(comm->member, comm->n_members, comm->room, process);
}

void otf2_comms_find(struct otf2_comms *comms, const struct job_times *times)
{
	for (uint32_t i = 0; i < times->n; i++) {
		const struct job_rank *rank = &times->rank[i];

		*map_put(&comms->process_of, job_rank_id(rank->world, rank->rank)) = i + 1ull;
		for (uint32_t m = 0; m < rank->calls->n_messages; m++)
			if (rank->calls->message[m].comm)
				add_member(comms, times, i, &rank->calls->message[m]);
	}
}

void otf2_comms_free(struct otf2_comms *comms)
{
	for (uint64_t c = 0; c < comms->n_comms; c++)
		free(comms->comm[c].member);
	free(comms->comm);
	map_free(&comms->by_number);
	map_free(&comms->process_of);
	*comms = (struct otf2_comms){ 0 };
}

/* ---- messages ---- */

void otf2_messages_find(struct otf2_messages *messages, const struct otf2_comms *comms,
			const struct dag *dag)
{
	*messages = (struct otf2_messages){ .comms = comms, .dag = dag };
	for (uint64_t i = dag->n_messages; i-- > 0;) {
		uint64_t *first;

		if (dag->message[i].is_cut || dag->message[i].strand == STRAND_NONE)
			continue;
		first = map_put(&messages->first, dag->message[i].strand);
		*first = i + 1;
	}
}

void otf2_messages_free(struct otf2_messages *messages)
{
	map_free(&messages->first);
	map_free(&messages->waited);
	*messages = (struct otf2_messages){ 0 };
}

/* Where the message goes to, or comes from, as OTF2 has it. */
struct otf2_peer {
	OTF2_CommRef comm;
	uint32_t rank; /* in it */
};

/* False if a trace does not say, or has no trace. */
static bool find_peer(const struct otf2_messages *messages, const struct dag_message *message,
		      struct otf2_peer *peer)
{
	const struct otf2_comms *comms = messages->comms;
	uint32_t number = message->comm;
	uint64_t other = message->rank;
	if (messages->times)
		other = job_other(&messages->times->match,
				  &messages->times->rank[messages->process], message->field,
				  message->rank, &number);
	uint64_t *known = map_find(&comms->by_number, number);
	uint64_t *process = map_find(&comms->process_of, other);
	const struct otf2_comm *comm = known ? &comms->comm[*known - 1] : NULL;

	if (!comm || !number)
		return false;
	*peer = (struct otf2_peer){ comms->first + (OTF2_CommRef)(*known - 1),
				    OTF2_UNDEFINED_UINT32 };
	for (uint64_t m = 0; process && m < comm->n_members; m++)
		if (comm->member[m] == *process - 1)
			peer->rank = (uint32_t)m;
	return true;
}

static void put_point(struct otf2_messages *messages, const struct dag_message *message,
		      uint64_t ns)
{
	struct otf2_peer peer;
	OTF2_ErrorCode code;
	uint32_t tag = message->tag ? message->tag - 1 : 0;

	if (!find_peer(messages, message, &peer) || peer.rank == OTF2_UNDEFINED_UINT32)
		return;
	code = message->field == WIRE_MESSAGE_TO
		       ? otf2_lib.OTF2_EvtWriter_MpiSend(messages->writer, NULL, ns, peer.rank,
							 peer.comm, tag, message->bytes)
		       : otf2_lib.OTF2_EvtWriter_MpiRecv(messages->writer, NULL, ns, peer.rank,
							 peer.comm, tag, message->bytes);
	messages->failed |= code != OTF2_SUCCESS;
}

/* Who waits for whom is what a trace says of a collective call. */
static OTF2_CollectiveOp operation(const struct dag_message *message)
{
	switch (message->field) {
	case WIRE_MESSAGE_FROM_ROOT:
		return OTF2_COLLECTIVE_OP_BCAST;
	case WIRE_MESSAGE_TO_ROOT:
		return OTF2_COLLECTIVE_OP_GATHER;
	case WIRE_MESSAGE_SCAN:
		return OTF2_COLLECTIVE_OP_SCAN;
	default:
		return message->bytes ? OTF2_COLLECTIVE_OP_ALLTOALL : OTF2_COLLECTIVE_OP_BARRIER;
	}
}

/* Of one that does not block the begin is written, and the wait for it is not. */
static bool is_written(struct otf2_messages *messages, const struct dag_message *message)
{
	uint64_t *seen = map_put(&messages->waited, (uint64_t)message->comm << 32 | message->order);
	uint64_t index = (uint64_t)(message - messages->dag->message) + 1;

	*seen = *seen ?: index;
	return *seen != index;
}

static void put_collective(struct otf2_messages *messages, const struct dag_message *message,
			   uint64_t ns, bool ends)
{
	bool rooted =
		message->field == WIRE_MESSAGE_FROM_ROOT || message->field == WIRE_MESSAGE_TO_ROOT;
	struct otf2_peer peer;
	OTF2_ErrorCode code;

	if (is_written(messages, message) || !find_peer(messages, message, &peer))
		return;
	code = ends ? otf2_lib.OTF2_EvtWriter_MpiCollectiveEnd(
			      messages->writer, NULL, ns, operation(message), peer.comm,
			      rooted ? peer.rank : OTF2_UNDEFINED_UINT32, message->bytes,
			      message->bytes)
		    : otf2_lib.OTF2_EvtWriter_MpiCollectiveBegin(messages->writer, NULL, ns);
	messages->failed |= code != OTF2_SUCCESS;
}

static void put_end_of(struct otf2_messages *messages, const struct dag_message *message,
		       uint64_t ns, bool ends)
{
	if (message->field > WIRE_MESSAGE_FROM)
		put_collective(messages, message, ns, ends);
	else if (!message->again && ends == (message->field == WIRE_MESSAGE_FROM))
		put_point(messages, message, ns);
}

static void put_wait(struct otf2_messages *messages, strand_id s, uint64_t ns, bool ends)
{
	const struct dag *dag = messages->dag;
	uint64_t *first = map_find(&messages->first, s);

	for (uint64_t i = first ? *first - 1 : dag->n_messages; i < dag->n_messages; i++) {
		const struct dag_message *message = &dag->message[i];

		if (message->strand != s || message->is_cut)
			break;
		put_end_of(messages, message, ns, ends);
	}
}

void otf2_messages_begin(struct otf2_messages *messages, strand_id s, uint64_t ns)
{
	put_wait(messages, s, ns, false);
}

void otf2_messages_end(struct otf2_messages *messages, strand_id s, uint64_t ns)
{
	put_wait(messages, s, ns, true);
}

static uint64_t messages_ns(const struct otf2_messages *messages, uint64_t ns)
{
	return job_times_at(messages->times, messages->process, ns);
}

void otf2_messages_behind(struct otf2_messages *messages, uint32_t worker, bool first, uint64_t ns)
{
	const struct dag *dag = messages->dag;

	for (uint64_t i = 0; i < dag->n_messages; i++) {
		const struct dag_message *message = &dag->message[i];
		bool nowhere = message->strand == STRAND_NONE;

		if (nowhere ? !first
			    : !message->is_cut || dag->strand[message->strand].worker != worker)
			continue;
		ns = at_least(ns, messages_ns(messages, message->begin_ns));
		put_end_of(messages, message, ns, false);
		ns = at_least(ns, messages_ns(messages, message->end_ns));
		put_end_of(messages, message, ns, true);
	}
}
