/* SPDX-License-Identifier: MIT */
/*
 * mpi_posted.c - receives from anybody, of which a call completes several, or a later one first.
 *
 * Of two that receive from one sender, the one that was posted first has the earlier message, in
 * whatever order they are complete. [MPI 4.0, 3.5]  Only requests of one call are looked at: those
 * of others another thread may complete meanwhile.
 */
#include "shims/mpi/mpi_message.h"
#include "shims/mpi/mpi_tables.h"

#include "preload/poison.h"

void mpi_note_posted(struct mpi_request *request)
{
	static _Atomic uint32_t n;

	request->known = false;
	request->posted = request->message.any ? atomic_fetch_add(&n, 1) + 1 : 0;
}

/* Whether its sender is to be found out. */
static bool is_open(const struct mpi_request *request)
{
	return request->posted && !request->known && !request->cancelled;
}

/* The last that is complete, by when they were posted, or 0; and whether all are in that order. */
static uint32_t last_of(const struct mpi_call *call, bool *in_order)
{
	uint32_t last = 0, before = 0;

	*in_order = true;
	for (const struct mpi_request *request = call->request; request; request = request->next) {
		if (!is_open(request))
			continue;
		if (request->posted < before)
			*in_order = false;
		before = request->posted;
		if (request->complete && request->posted > last)
			last = request->posted;
	}
	return last;
}

/* The first of them from `request` on; or, if they are in no order, the one after `posted`. */
static struct mpi_request *next_of(const struct mpi_call *call, struct mpi_request *request,
				   uint32_t posted, bool in_order)
{
	struct mpi_request *next = NULL;

	for (request = in_order ? request : call->request; request; request = request->next) {
		if (!is_open(request) || request->posted <= posted)
			continue;
		if (!next || request->posted < next->posted)
			next = request;
		if (in_order)
			break;
	}
	return next;
}

/* Of one that the call did not report, its status if it is complete. */
static const int *peek(const struct mpi_call *call, const struct mpi_request *request, int *status)
{
	word handle = request->handle;
	int is_complete = 0;

	if (call->fortran && mpi_library.request_f2c)
		handle = mpi_library.request_f2c((int)handle);
	if (!mpi_library.request_get_status ||
	    mpi_library.request_get_status(handle, &is_complete, status) != 0)
		return NULL;
	return is_complete ? status : NULL;
}

void mpi_settle_posted(struct mpi_call *call)
{
	bool in_order;
	uint32_t last = last_of(call, &in_order), posted = 0;
	struct mpi_request *request = call->request;

	while (posted < last && (request = next_of(call, request, posted, in_order))) {
		int own[MPI_STATUS_INTS];
		const int *status = request->complete ? request->status : peek(call, request, own);

		posted = request->posted;
		if (!status)
			continue; /* else settled without one, and counted as lost */
		request->received = request->message;
		mpi_settle(&request->received, request->comm, status);
		request->known = true;
	}
}
