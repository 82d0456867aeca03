/* SPDX-License-Identifier: MIT */
/*
 * mpi_tables.h - communicators, requests that a later call completes, and the orders of messages,
 * for any thread.  Neither a lock nor memory of the program's is needed to find one.
 *
 * They are of a fixed size: a message that finds no room is reported without communicator and
 * order, and a receive that finds none is counted as a lost call.
 */
#pragma once

#include "shims/mpi/mpi.h"

struct mpi_comm {
	_Atomic uint64_t handle;  /* 0: free; COMM_GONE: the program has freed it */
	_Atomic uint32_t n_users; /* its handle, requests and calls */
	uint32_t number;	  /* the same on all ranks; 0: not all are of MPI_COMM_WORLD, or of
				   * that of who spawned them */
	uint32_t n_ranks, n_members;
	uint32_t n_own; /* if it is between two groups: the ranks of this one; 0 */
	int *member;	/* by rank, of the other group if there are two: its rank of
			 * MPI_COMM_WORLD; NULL: the same */
	_Atomic uint32_t n_collective;
};

struct mpi_request {
	struct mpi_message message;
	struct mpi_comm *comm;
	word handle;
	uint64_t nth;	      /* of all that were made */
	bool in_task;	      /* a task has posted it */
	bool stays;	      /* a persistent one */
	_Atomic bool active;  /* .. which was started, and is not claimed */
	_Atomic int32_t left; /* parts of a send that are not ready; 0: it is not in parts */
	bool cancelled;	      /* the program asked for that: it may receive nothing */
	bool is_open;	      /* that, or it is from anybody: its status will say */
	int32_t parts;
	word makes;	 /* the handle of a communicator that is there with it; 0 */
	uint32_t posted; /* of those from anybody, or of any tag, the how manieth; 0: of others */
	bool known;	 /* from whom it received, as `received` says, before it is complete */
	struct mpi_message received;
	/* while a call completes it, or another one of that call: */
	struct mpi_request *next;
	bool complete;
	const int *status;	    /* .. then; NULL: there is none */
	struct mpi_request *before; /* mpi_posted.c's: the one that was posted before, or after */
	struct mpi_request *older, *newer; /* likewise: of all from anybody that are pending */
	int peeked[MPI_STATUS_INTS];
};

/* NULL: it is not known.  Those that nobody makes become known by mpi_comm_made(), too. */
struct mpi_comm *mpi_comm_of(word handle) CALL_HIDDEN;
void mpi_comm_made(word handle, enum mpi_kind kind) CALL_HIDDEN;
/* It is the one to those that spawned this rank, and MPI is there. */
bool mpi_is_parent(word handle) CALL_HIDDEN;
/* The program has freed it; its entry stays while requests that were posted on it use it, or calls
 * of other threads. */
void mpi_comm_forget(word handle) CALL_HIDDEN;
void mpi_comm_hold(struct mpi_comm *comm) CALL_HIDDEN; /* NULL is fine */
void mpi_comm_release(struct mpi_comm *comm) CALL_HIDDEN;

/*
 * Once a call has completed a request, another thread may be given its handle: for the call it is
 * the last one that was made until the call began.  All sends that were complete at once may share
 * one handle.
 */
uint64_t mpi_requests_made(void) CALL_HIDDEN;
#define MPI_NOW UINT64_MAX
/* NULL: nothing is to be reported. */
struct mpi_request *mpi_request_of(word handle, uint64_t until) CALL_HIDDEN;
/* For a call that has completed it.  NULL: nothing is to be reported, or another call has it. */
struct mpi_request *mpi_request_claim(word handle, uint64_t until) CALL_HIDDEN;
/* A new entry, which is claimed, on a communicator, or NULL.  NULL: the table is full, or it is one
 * that sends may share, and the first place that is not taken is behind another of it. */
struct mpi_request *mpi_request_made(word handle, struct mpi_comm *comm, bool shared) CALL_HIDDEN;
/* It is claimed no more: any thread finds it. */
void mpi_request_put(struct mpi_request *request) CALL_HIDDEN;
void mpi_request_forget(const struct mpi_request *request) CALL_HIDDEN;

/* The request is pending from now on; is to be cancelled; is over. */
void mpi_note_posted(struct mpi_request *request) CALL_HIDDEN;
void mpi_cancel(struct mpi_request *request) CALL_HIDDEN;
void mpi_close(struct mpi_request *request) CALL_HIDDEN;
bool mpi_is_open(void) CALL_HIDDEN; /* whether a request may need its status */
/* Of one from anybody: whether another that was posted before may have received its message. */
bool mpi_has_rival(const struct mpi_request *request) CALL_HIDDEN;
/* Those from anybody that the call has completed are given their orders as they were posted; and so
 * are those before them that are complete, too, and that the call did not report. */
void mpi_settle_posted(struct mpi_call *call) CALL_HIDDEN;
/* A receive that received nothing.  If nobody says so, it is one that was to be cancelled. */
bool mpi_is_cancelled(const struct mpi_request *request, const int *status) CALL_HIDDEN;

/* Gives the message its order; none if there is no room, or its communicator is not known.  If it
 * is one `again`, the next message has that, too. */
void mpi_order(struct mpi_message *message, const struct mpi_comm *comm) CALL_HIDDEN;
/* Such a message does not come: the next one has its order, if none has one behind it; else later
 * ones are matched with the messages before theirs, as after a send that is cancelled. */
void mpi_order_back(const struct mpi_message *message) CALL_HIDDEN;

/* Memory for this call alone.  NULL: there is none. */
void *mpi_memory_take(size_t bytes) CALL_HIDDEN;
void mpi_memory_give(void *taken, size_t bytes) CALL_HIDDEN;

/* Of a window whose number is not 0: by member, the epochs that it is in (enum mpi_epoch). */
static inline int *mpi_epochs(const struct mpi_comm *window)
{
	return window->member + window->n_members;
}
