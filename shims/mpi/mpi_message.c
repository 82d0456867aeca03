/* SPDX-License-Identifier: MIT */
/* mpi_message.c - the arguments of a call, and what it sends, receives or does with others by them.
 */
#include "shims/mpi/mpi_message.h"
#include "shims/mpi/mpi_tables.h"

#include "preload/poison.h"

/* ---- arguments ---- */

word mpi_value(const struct mpi_call *call, unsigned at)
{
	word argument = call->argument[at - 1];

	return call->fortran ? (word)(intptr_t) * (const int *)argument : argument;
}

int mpi_int(const struct mpi_call *call, unsigned at)
{
	return (int)mpi_value(call, at);
}

/* Files are pointers in MPICH, too. */
static bool is_pointer(const struct mpi_call *call, enum mpi_kind kind)
{
	return !call->fortran && (mpi_library.open_mpi || kind == MPI_OF_FILE);
}

word mpi_handle_at(const struct mpi_call *call, unsigned at, uint32_t n)
{
	word argument = call->argument[at - 1];

	if (!argument)
		return 0; /* MPI will refuse it */
	return is_pointer(call, MPI_OF_COMM) ? ((const word *)argument)[n]
					     : ((const uint32_t *)argument)[n];
}

void mpi_handles(const struct mpi_call *call, unsigned at, word *out, uint32_t n)
{
	const void *from = (const void *)call->argument[at - 1];

	for (uint32_t i = 0; i < n && is_pointer(call, MPI_OF_COMM); i++) {
		out[i] = ((const word *)from)[i];
		__asm__("" : "+r"(i)); /* else compilers call memcpy() */
	}
	for (uint32_t i = 0; i < n && !is_pointer(call, MPI_OF_COMM); i++)
		out[i] = ((const uint32_t *)from)[i];
}

word mpi_comm_handle(const struct mpi_call *call, unsigned at, enum mpi_kind kind,
		     bool by_reference)
{
	word argument = call->argument[at - 1];

	if (by_reference && !argument)
		return 0;
	if (call->fortran && mpi_library.f2c[kind])
		return mpi_library.f2c[kind](*(const int *)argument);
	if (is_pointer(call, kind))
		return by_reference ? *(const word *)argument : argument;
	return by_reference || call->fortran ? *(const uint32_t *)argument : (uint32_t)argument;
}

struct mpi_comm *mpi_comm_at(const struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	word handle = mpi_library.comm_world;
	struct mpi_comm *comm;

	if (function->comm)
		handle = mpi_comm_handle(call, function->comm, (enum mpi_kind)function->of,
					 function->does == MPI_FORGETS);
	comm = mpi_comm_of(handle);
	if (!comm && (handle == mpi_library.comm_world || handle == mpi_library.comm_self ||
		      mpi_is_parent(handle))) {
		mpi_comm_made(handle, MPI_OF_COMM);
		comm = mpi_comm_of(handle);
	}
	return comm;
}

/* Of a part, it has 64 bits in Fortran, too. */
static int64_t count_of(const struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	word argument = call->argument[function->count - 1];

	if (call->fortran && (call->large || function->parts))
		return *(const int64_t *)argument;
	return call->large || function->parts ? (int64_t)argument : mpi_int(call, function->count);
}

/* MPICH and its relatives: the handle of a named type has its size, and to ask takes a lock; else
 * 0. [HANDLE_KIND_BUILTIN, MPIR_Datatype_get_basic_size()] */
static int named_bytes(word type)
{
	bool is_named = !mpi_library.open_mpi && ((uint32_t)type & 0xff000000) == 0x4c000000;

	return is_named ? (int)((uint32_t)type >> 8 & 0xff) : 0;
}

/*
 * 0: not known.  MPI ends the program that asks for the size of no type: only such are asked for
 * that the call itself is to use (the table says which), and only if it does.
 */
static uint64_t bytes_of(const struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	int bytes = 0, error, n_parts = 1;
	int64_t n;

	if (!function->type)
		return 0;
	n = count_of(call);
	if (function->parts)
		n_parts = mpi_int(call, function->parts);
	if (n <= 0 || n_parts <= 0)
		return 0;
	bytes = named_bytes(mpi_value(call, function->type));
	if (bytes)
		return (uint64_t)n * (uint64_t)n_parts * (uint64_t)bytes;
	if (call->fortran && mpi_library.fortran_type_size)
		mpi_library.fortran_type_size((const int *)call->argument[function->type - 1],
					      &bytes, &error);
	else if (!call->fortran && mpi_library.type_size)
		mpi_library.type_size(mpi_value(call, function->type), &bytes);
	return bytes > 0 ? (uint64_t)n * (uint64_t)n_parts * (uint64_t)bytes : 0;
}

/* ---- statuses ---- */

/* Whether the call has a status for each request. */
static bool has_many(const struct mpi_function *function)
{
	return function->count &&
	       (function->does == MPI_COMPLETES || function->does == MPI_COMPLETES_SOME);
}

static bool is_ignored(const struct mpi_call *call)
{
	word status = call->argument[call->function->status - 1];
	bool many = has_many(call->function);
	int **ignore = mpi_library.fortran_ignore[many];

	if (!call->fortran)
		return status == mpi_library.status_ignore;
	return (ignore && status == (word)*ignore) || status == (word)mpi_library.f08_ignore[many];
}

void mpi_want_status(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;

	call->held = call->comm;
	mpi_comm_hold(call->held);
	if (!is_ignored(call))
		return;
	if (!has_many(function)) {
		call->argument[function->status - 1] = (word)call->status;
		return;
	}
	call->statuses = mpi_memory_take(call->n_handles * MPI_STATUS_BYTES);
	if (call->statuses)
		call->argument[function->status - 1] = (word)call->statuses;
}

const int *mpi_status_at(const struct mpi_call *call, uint32_t n)
{
	word status = call->function->status ? call->argument[call->function->status - 1] : 0;

	if (!status || is_ignored(call))
		return NULL;
	return (const int *)(status + (word)n * mpi_library.status_bytes);
}

/* ---- messages ---- */

static uint32_t rank_of(const struct mpi_comm *comm, int rank)
{
	return comm && comm->member && (uint32_t)rank < comm->n_members
		       ? (uint32_t)comm->member[rank]
		       : (uint32_t)rank;
}

void mpi_message_find(const struct mpi_call *call, struct mpi_message *message,
		      enum wire_message field, int rank, int tag)
{
	if (rank == mpi_library.proc_null)
		return;
	message->field = (uint8_t)field;
	message->tag = tag;
	message->bytes = bytes_of(call);
	message->any = field == WIRE_MESSAGE_FROM && (rank == mpi_library.any_source || tag < 0);
	message->rank = message->any ? (uint32_t)rank : rank_of(call->comm, rank);
	if (call->function->does != MPI_PREPARES && !message->any)
		mpi_order(message, call->comm);
}

void mpi_settle(struct mpi_message *message, const struct mpi_comm *comm, const int *status)
{
	if (!message->any)
		return;
	message->any = false;
	if (!status) {
		record_lost_call();
		message->field = 0;
		return;
	}
	message->rank = rank_of(comm, status[mpi_library.source_at]);
	message->tag = status[mpi_library.source_at + 1];
	if (status[mpi_library.source_at] < 0)
		message->field = 0; /* from nobody: it was cancelled, say */
	else
		mpi_order(message, comm);
}

/* Between two groups, the root's own has it alone in the call. */
static void find_root(struct mpi_message *message, const struct mpi_comm *comm, int root)
{
	int own = 0;

	message->rank = rank_of(comm, root);
	if (!comm || !comm->n_own)
		return;
	message->n_ranks = 1 + (root == mpi_library.root ? comm->n_members : comm->n_own);
	if (root == mpi_library.proc_null)
		message->field = 0;
	if (root != mpi_library.root)
		return;
	mpi_library.comm_rank(mpi_library.comm_world, &own);
	message->rank = (uint32_t)own;
}

void mpi_collect(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	struct mpi_message *message = &call->message[0];

	message->field = function->rule;
	message->tag = -1;
	message->bytes = bytes_of(call);
	message->n_ranks = call->comm ? call->comm->n_ranks : 0;
	if (function->peer)
		find_root(message, call->comm, mpi_int(call, function->peer));
	if (!call->comm || !call->comm->number) {
		message->n_ranks = 0;
		if (function->of != MPI_OF_COMM)
			message->field = 0;
		return;
	}
	message->comm = call->comm->number;
	message->order = atomic_fetch_add(&call->comm->n_collective, 1) + 1;
	if (function->does != MPI_PREPARES)
		return;
	/* it is begun in any order */
	message->comm = wire_comm_nth(message->comm, message->order) | WIRE_COMM_WITHIN;
	message->order = 0;
}

#define MOST_PARTS 7u /* of a message */

static void store_parts(struct worker *worker, const uint64_t *part, unsigned n)
{
	struct store store = worker_enter(worker, WORKER_OUTSIDE, n);

	if (!store.slot) {
		for (unsigned i = 0; i < n; i++)
			record_detail(worker, WIRE_MESSAGE, part[i]);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		worker_fill(store.slot + i, WIRE_MESSAGE, part[i]);
	worker_leave(worker, store, store.was);
}

/* The call sent or received it. */
void mpi_tell(const struct mpi_call *call, const struct mpi_message *message)
{
	struct worker *worker = worker_self();
	uint64_t part[MOST_PARTS];
	unsigned n = 0;

	if (!message->field || !call->worker || !worker)
		return;
	part[n++] = field_make(message->field, message->rank);
	if (message->comm) {
		part[n++] = field_make(WIRE_MESSAGE_COMM, message->comm);
		part[n++] = field_make(WIRE_MESSAGE_ORDER, message->order);
	}
	if (message->tag >= 0)
		part[n++] = field_make(WIRE_MESSAGE_TAG, (uint32_t)message->tag);
	if (message->bytes)
		part[n++] = field_make(WIRE_MESSAGE_BYTES, message->bytes);
	if (message->n_ranks)
		part[n++] = field_make(WIRE_MESSAGE_RANKS, message->n_ranks);
	if (message->again)
		part[n++] = field_make(WIRE_MESSAGE_AGAIN, 1);
	store_parts(worker, part, n);
}
