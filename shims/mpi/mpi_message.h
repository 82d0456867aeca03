/* SPDX-License-Identifier: MIT */
/*
 * mpi_message.h - the arguments of a call as C has them, and the messages that they make.  A
 * message has its order from when the call begins; one from anybody, from when its status is known.
 */
#pragma once

#include "shims/mpi/mpi.h"

/* A number, or a handle; of Fortran a reference to one. */
word mpi_value(const struct mpi_call *call, unsigned at) CALL_HIDDEN;
int mpi_int(const struct mpi_call *call, unsigned at) CALL_HIDDEN;
/* The request that is the n-th of those that the argument points to. */
word mpi_handle_at(const struct mpi_call *call, unsigned at, uint32_t n) CALL_HIDDEN;
void mpi_handles(const struct mpi_call *call, unsigned at, word *out,
		 uint32_t n) CALL_HIDDEN; /* the first n */
/* What the argument names, or points to; as C has it. */
word mpi_comm_handle(const struct mpi_call *call, unsigned at, enum mpi_kind kind,
		     bool by_reference) CALL_HIDDEN;
struct mpi_comm *mpi_comm_at(const struct mpi_call *call) CALL_HIDDEN;

/* To or from that rank of the call's communicator; an empty one becomes that. */
void mpi_message_find(const struct mpi_call *call, struct mpi_message *message,
		      enum wire_message field, int rank, int tag) CALL_HIDDEN;
void mpi_settle(struct mpi_message *message, const struct mpi_comm *comm,
		const int *status) CALL_HIDDEN; /* of one from anybody, as its status is known */
void mpi_collect(struct mpi_call *call) CALL_HIDDEN;
void mpi_tell_epoch(const struct mpi_call *call) CALL_HIDDEN; /* mpi_epochs.c: it succeeded */
void mpi_tell(const struct mpi_call *call, const struct mpi_message *message) CALL_HIDDEN;

/* The call is to say from whom it received: it gets statuses where the program wants none. */
void mpi_want_status(struct mpi_call *call) CALL_HIDDEN;
/* The n-th; NULL if there is none. */
const int *mpi_status_at(const struct mpi_call *call, uint32_t n) CALL_HIDDEN;
