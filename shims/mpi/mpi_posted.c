/* SPDX-License-Identifier: MIT */
/*
 * mpi_posted.c - receives from anybody, of which a call completes several, or a later one first.
 *
 * Of two that receive from one sender, the one that was posted first has the earlier message, in
 * whatever order they are complete. [MPI 4.0, 3.5]  Only requests of one call are settled: those of
 * others another thread may complete meanwhile.  Of one that has its message, but not yet all of
 * it, MPI tells nobody the sender: if a later one from that sender is complete before it, the two
 * have each other's orders.
 */
#include "shims/mpi/mpi_message.h"
#include "shims/mpi/mpi_tables.h"

#include "preload/libc.h"
#include "preload/poison.h"

static _Atomic uint32_t n_open;

/* The last of those from anybody that are pending; the others by `older`, as they were posted. */
static struct mpi_request *newest;
static _Atomic uint32_t pending_lock;

static void add_newest(struct mpi_request *request)
{
	libc_take(&pending_lock);
	request->newer = NULL;
	request->older = newest;
	if (newest)
		newest->newer = request;
	newest = request;
	libc_give(&pending_lock);
}

static void take_out(const struct mpi_request *request)
{
	libc_take(&pending_lock);
	if (request->older)
		request->older->newer = request->newer;
	*(request->newer ? &request->newer->older : &newest) = request->older;
	libc_give(&pending_lock);
}

static bool is_any(const struct mpi_message *message)
{
	return (int)message->rank == mpi_library.any_source;
}

/* Whether there may be messages that both receive. */
static bool is_rival(const struct mpi_request *one, const struct mpi_request *other)
{
	const struct mpi_message *x = &one->message, *y = &other->message;

	return one->comm == other->comm && (x->tag == y->tag || x->tag < 0 || y->tag < 0) &&
	       (x->rank == y->rank || is_any(x) || is_any(y));
}

bool mpi_has_rival(const struct mpi_request *request)
{
	const struct mpi_request *older;

	libc_take(&pending_lock);
	for (older = request->older; older && !is_rival(older, request);)
		older = older->older;
	libc_give(&pending_lock);
	return older != NULL;
}

void mpi_note_posted(struct mpi_request *request)
{
	static _Atomic uint32_t n;

	mpi_close(request); /* a persistent one whose end nobody saw */
	request->known = false;
	request->posted = 0;
	if (!request->message.any)
		return;
	request->posted = atomic_fetch_add(&n, 1) + 1;
	request->is_open = true;
	atomic_fetch_add(&n_open, 1);
	add_newest(request);
}

void mpi_cancel(struct mpi_request *request)
{
	request->cancelled = true;
	atomic_fetch_add(&n_open, !request->is_open);
	request->is_open = true;
}

void mpi_close(struct mpi_request *request)
{
	if (!request->is_open)
		return;
	if (request->posted)
		take_out(request);
	atomic_fetch_sub(&n_open, 1);
	request->is_open = request->cancelled = false;
}

bool mpi_is_open(void)
{
	return atomic_load_explicit(&n_open, memory_order_relaxed) != 0;
}

bool mpi_is_cancelled(const struct mpi_request *request, const int *status)
{
	int is = request->cancelled;

	if (is && status)
		mpi_library.test_cancelled(status, &is);
	return is;
}

/* Of two lists, the last posted first, one such list. */
static struct mpi_request *merged(struct mpi_request *a, struct mpi_request *b)
{
	struct mpi_request *first, **link = &first;

	while (a && b) {
		struct mpi_request **later = a->posted > b->posted ? &a : &b;

		*link = *later;
		link = &(*link)->before;
		*later = *link;
	}
	*link = a ? a : b;
	return first;
}

#define LISTS 32u /* the n-th is of 2^n, or is empty */

/* Those of the call whose senders are to be found out, the last posted first. */
static struct mpi_request *open_requests(const struct mpi_call *call)
{
	struct mpi_request *list[LISTS] = { NULL }, *all = NULL, *next = call->request;

	while (next) {
		struct mpi_request *some = NULL; /* as many as are in order */
		unsigned n = 0;

		for (; next && (!some || !next->posted || next->posted > some->posted);
		     next = next->next)
			if (next->posted && !next->known) {
				next->before = some;
				some = next;
			}
		for (; list[n]; n++) {
			some = merged(list[n], some);
			list[n] = NULL;
		}
		list[n] = some;
	}
	for (unsigned n = 0; n < LISTS; n++)
		all = merged(list[n], all);
	return all;
}

/* Of one that the call did not report, its status if it is complete. */
static const int *peek(const struct mpi_call *call, struct mpi_request *request)
{
	word handle = request->handle;
	int is_complete = 0;

	if (call->fortran && mpi_library.request_f2c)
		handle = mpi_library.request_f2c((int)handle);
	if (!mpi_library.request_get_status ||
	    mpi_library.request_get_status(handle, &is_complete, request->peeked) != 0)
		return NULL;
	return is_complete ? request->peeked : NULL;
}

/* Those of the list that are complete and may have taken messages before others, the first posted
 * first.  The last are asked first: what comes meanwhile is for those before them. */
static struct mpi_request *complete_ones(const struct mpi_call *call, struct mpi_request *last)
{
	struct mpi_request *first = NULL, *before;

	for (; last; last = before) {
		bool is_wanted = last->complete;

		before = last->before;
		for (struct mpi_request *other = first; other && !is_wanted; other = other->before)
			is_wanted = is_rival(last, other);
		if (!is_wanted)
			continue;
		if (!last->complete)
			last->status = peek(call, last);
		if (!last->status)
			continue; /* else settled without one, and counted as lost */
		last->before = first;
		first = last;
	}
	return first;
}

void mpi_settle_posted(struct mpi_call *call)
{
	struct mpi_request *request = complete_ones(call, open_requests(call));

	for (; request; request = request->before) {
		if (mpi_is_cancelled(request, request->status))
			continue;
		request->received = request->message;
		mpi_settle(&request->received, request->comm, request->status);
		request->known = true;
	}
}
