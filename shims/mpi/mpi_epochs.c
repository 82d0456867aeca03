/* SPDX-License-Identifier: MIT */
/*
 * mpi_epochs.c - windows that some of their ranks expose to others: a post lets the starts of its
 * group go on, and a completion the waits of the group that its start had.  Both are messages on
 * the window's number, without bytes.  [MPI 4.0, 12.5.2]
 *
 * A start need not wait for the posts, but then the completion does: the first is a further end of
 * the post, as a probe is one of a message.
 */
#include "shims/mpi/mpi_message.h"
#include "shims/mpi/mpi_tables.h"

#include "preload/poison.h"

enum { TAG_POSTED, TAG_COMPLETE };

static word group_of_call(const struct mpi_call *call)
{
	word group = mpi_value(call, call->function->group);

	if (call->fortran && mpi_library.group_f2c)
		return mpi_library.group_f2c((int)group);
	return mpi_library.open_mpi ? group : (uint32_t)group;
}

/* Those of the call's group are in the epoch. */
static void note_group(const struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	const struct mpi_comm *window = call->comm;
	word group = group_of_call(call), all = 0;
	int n = 0;

	mpi_library.group_of[MPI_OF_WINDOW](
		mpi_comm_handle(call, function->comm, MPI_OF_WINDOW, false), &all);
	mpi_library.group_size(group, &n);
	for (int i = 0; i < n; i++) {
		int at = -1;

		mpi_library.group_translate(group, 1, &i, all, &at);
		if (at >= 0 && (uint32_t)at < window->n_members)
			mpi_epochs(window)[at] |= function->epoch;
	}
	mpi_library.group_free(&all);
}

static void tell(const struct mpi_call *call, uint32_t at, enum wire_message field, int tag,
		 bool again)
{
	struct mpi_message message = { .field = (uint8_t)field,
				       .again = again,
				       .rank = (uint32_t)call->comm->member[at],
				       .tag = tag };

	mpi_order(&message, call->comm);
	mpi_tell(call, &message);
}

void mpi_tell_epoch(const struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	enum wire_message field = (enum wire_message)function->rule;
	int *epochs;

	if (!call->comm || !call->comm->number)
		return;
	epochs = mpi_epochs(call->comm);
	if (function->group)
		note_group(call);
	for (uint32_t at = 0; at < call->comm->n_members; at++) {
		if (!(epochs[at] & function->epoch))
			continue;
		if (function->group) {
			tell(call, at, field, TAG_POSTED, field == WIRE_MESSAGE_FROM);
			continue;
		}
		if (function->epoch == MPI_ACCESS)
			tell(call, at, WIRE_MESSAGE_FROM, TAG_POSTED, false);
		tell(call, at, field, TAG_COMPLETE, false);
		epochs[at] &= ~function->epoch;
	}
}
