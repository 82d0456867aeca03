/* SPDX-License-Identifier: MIT */
/*
 * mpi_call.c - one call of MPI: what it sends or receives, and how long its task waits.
 *
 * Hot path: mpi_begin(), begin_wait(), before(); mpi_end(), after(), tell(), leave().
 *
 * A test that finds nothing complete is not recorded, as programs call it again and again.  The
 * one that does begins with the first of those in a row before it, if its worker recorded nothing
 * between them and was longer in MPI than out of it: such a loop is a wait.
 */
#include "shims/mpi/mpi.h"

#include "preload/poison.h"

/* Of this thread. */
static __thread struct {
	uint32_t depth;			    /* of calls of MPI: a call may make others */
	uint64_t since, until, spent, head; /* tests in a row that found nothing; ticks */
} own __attribute__((tls_model("initial-exec")));

/* ---- arguments ---- */

/* A number, or a handle; of Fortran a reference to one. */
static word value(const struct mpi_call *call, unsigned at)
{
	word argument = call->argument[at - 1];

	return call->fortran ? (word)(intptr_t) * (const int *)argument : argument;
}

static int int_of(const struct mpi_call *call, unsigned at)
{
	return (int)value(call, at);
}

/* A handle that is the n-th of those that the argument points to. */
static word handle_at(const struct mpi_call *call, unsigned at, uint32_t n)
{
	word argument = call->argument[at - 1];

	if (call->fortran || !mpi_library.open_mpi)
		return ((const uint32_t *)argument)[n];
	return ((const word *)argument)[n];
}

/* A communicator's handle as C has it. */
static word comm_handle(const struct mpi_call *call, word handle)
{
	if (call->fortran && mpi_library.comm_f2c)
		return mpi_library.comm_f2c((int)handle);
	return mpi_library.open_mpi ? handle : (uint32_t)handle;
}

static struct mpi_comm *comm_of(const struct mpi_call *call, unsigned at)
{
	word handle = comm_handle(call, value(call, at));
	struct mpi_comm *comm = mpi_comm_of(handle);

	if (!comm && (handle == mpi_library.comm_world || handle == mpi_library.comm_self)) {
		mpi_comm_made(handle);
		comm = mpi_comm_of(handle);
	}
	return comm;
}

/*
 * 0: not known.  MPI ends the program that asks for the size of no type: only such are asked for
 * that the call itself is to use (the table says which), and only if it does.
 */
static uint64_t bytes_of(const struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	int bytes = 0, n, error;

	if (!function->type)
		return 0;
	n = int_of(call, function->count);
	if (n <= 0)
		return 0;
	if (call->fortran && mpi_library.fortran_type_size)
		mpi_library.fortran_type_size((const int *)call->argument[function->type - 1],
					      &bytes, &error);
	else if (!call->fortran && mpi_library.type_size)
		mpi_library.type_size(value(call, function->type), &bytes);
	return bytes > 0 ? (uint64_t)n * (uint64_t)bytes : 0;
}

/* ---- messages ---- */

static uint32_t rank_of(const struct mpi_comm *comm, int rank)
{
	return comm && comm->member && (uint32_t)rank < comm->n_ranks ? (uint32_t)comm->member[rank]
								      : (uint32_t)rank;
}

/* To or from that rank of the call's communicator; without an order yet. */
static struct mpi_message message_of(const struct mpi_call *call, enum wire_message field, int rank,
				     int tag)
{
	struct mpi_message message = { .field = (uint8_t)field, .tag = tag };

	if (rank == mpi_library.proc_null)
		return (struct mpi_message){ 0 };
	message.bytes = bytes_of(call);
	message.any = field == WIRE_MESSAGE_FROM && (rank == mpi_library.any_source || tag < 0);
	message.rank = rank_of(call->comm, rank);
	return message;
}

static struct mpi_message ordered(const struct mpi_call *call, struct mpi_message message)
{
	if (message.field && !message.any)
		mpi_order(&message, call->comm);
	return message;
}

/* Of a receive from anybody, once its status is known. */
static void settle_any(struct mpi_message *message, const struct mpi_comm *comm, const int *status)
{
	if (!message->any)
		return;
	message->any = false;
	if (!status) {
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

static void tell_part(struct worker *worker, enum wire_message field, uint64_t part)
{
	record_detail(worker, WIRE_MESSAGE, message_make(field, part));
}

/* The call sent or received it. */
static void tell(const struct mpi_call *call, const struct mpi_message *message)
{
	struct worker *worker = worker_self();

	if (!message->field || !call->worker || !worker)
		return;
	tell_part(worker, (enum wire_message)message->field, message->rank);
	if (message->comm) {
		tell_part(worker, WIRE_MESSAGE_COMM, message->comm);
		tell_part(worker, WIRE_MESSAGE_ORDER, message->order);
	}
	if (message->tag >= 0)
		tell_part(worker, WIRE_MESSAGE_TAG, (uint32_t)message->tag);
	if (message->bytes)
		tell_part(worker, WIRE_MESSAGE_BYTES, message->bytes);
	if (message->n_ranks)
		tell_part(worker, WIRE_MESSAGE_RANKS, message->n_ranks);
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

/* For calls of many statuses that the program does not want: whoever comes first has it. */
#define SCRATCH 1024u
static int scratch[SCRATCH * MPI_STATUS_INTS];
static _Atomic bool scratch_taken;

/* The call is to say from whom it received: it gets statuses where the program wants none. */
static void want_status(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;

	if (!is_ignored(call))
		return;
	if (!has_many(function))
		call->argument[function->status - 1] = (word)call->status;
	else if ((uint32_t)int_of(call, function->count) <= SCRATCH &&
		 !atomic_exchange(&scratch_taken, true)) {
		call->has_scratch = true;
		call->argument[function->status - 1] = (word)scratch;
	}
}

/* The n-th; NULL if there is none. */
static const int *status_at(const struct mpi_call *call, uint32_t n)
{
	word status = call->argument[call->function->status - 1];

	if (is_ignored(call))
		return NULL;
	return (const int *)(status + (word)n * mpi_library.status_bytes);
}

/* ---- requests ---- */

/* Of a count that MPI refuses, none. */
static uint32_t n_requests(const struct mpi_call *call)
{
	int n = call->function->count ? int_of(call, call->function->count) : 1;

	return n > 0 ? (uint32_t)n : 0;
}

/* Those of the call that are to be told once they are complete. */
static void gather_requests(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	uint32_t n = n_requests(call);
	struct mpi_request **last = &call->request;
	bool any = false;

	for (uint32_t i = 0; i < n; i++) {
		struct mpi_request *request = mpi_request_of(handle_at(call, function->request, i));

		if (!request || !request->active)
			continue;
		request->at = i;
		request->next = NULL;
		*last = request;
		last = &request->next;
		any |= request->message.any;
	}
	if (any)
		want_status(call);
}

static void end_request(struct mpi_call *call, struct mpi_request *request, const int *status)
{
	struct mpi_message message = request->message;

	settle_any(&message, request->comm, status);
	request->active = false;
	if (!request->stays)
		mpi_request_forget(request);
	tell(call, &message);
}

static void complete_at(struct mpi_call *call, int index, uint32_t nth)
{
	int at = call->fortran ? index - 1 : index;

	for (struct mpi_request *request = call->request; request; request = request->next)
		if ((int)request->at == at) {
			end_request(call, request, status_at(call, nth));
			return;
		}
}

static void complete_some(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	const int *index = (const int *)call->argument[function->index - 1];
	int n = *(const int *)call->argument[function->done - 1];

	for (int i = 0; i < n; i++)
		complete_at(call, index[i], (uint32_t)i);
}

static void end_requests(struct mpi_call *call)
{
	struct mpi_request *next;

	for (struct mpi_request *request = call->request; request; request = next) {
		next = request->next;
		end_request(call, request, status_at(call, request->at));
	}
}

/* A later call completes the message. */
static void post_request(struct mpi_call *call, bool stays)
{
	const struct mpi_message *message = &call->message[0];
	struct mpi_request *request;

	if (!message->field)
		return;
	request = mpi_request_made(handle_at(call, call->function->request, 0));
	if (!request)
		return;
	request->message = *message;
	request->comm = call->comm;
	request->stays = stays;
	request->active = !stays;
}

/* Persistent requests begin. */
static void start_requests(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	uint32_t n = n_requests(call);

	for (uint32_t i = 0; i < n; i++) {
		struct mpi_request *request = mpi_request_of(handle_at(call, function->request, i));

		if (!request)
			continue;
		request->message.any = request->message.field == WIRE_MESSAGE_FROM &&
				       (request->message.tag < 0 ||
					(int)request->message.rank == mpi_library.any_source);
		request->active = request->message.field == WIRE_MESSAGE_FROM;
		if (!request->message.any)
			mpi_order(&request->message, request->comm);
		if (!request->active)
			tell(call, &request->message);
	}
}

/* ---- a call ---- */

static void collect(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	struct mpi_message *message = &call->message[0];

	message->field = function->rule;
	message->tag = -1;
	message->bytes = bytes_of(call);
	if (function->peer)
		message->rank = rank_of(call->comm, int_of(call, function->peer));
	if (!call->comm || !call->comm->number)
		return;
	message->comm = call->comm->number;
	message->n_ranks = call->comm->n_ranks;
	message->order = atomic_fetch_add(&call->comm->n_collective, 1) + 1;
}

static void before(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	enum wire_message field = function->does == MPI_SENDS || function->does == MPI_EXCHANGES
					  ? WIRE_MESSAGE_TO
					  : WIRE_MESSAGE_FROM;

	switch ((enum mpi_does)function->does) {
	case MPI_SENDS:
	case MPI_RECEIVES:
	case MPI_EXCHANGES:
	case MPI_POSTS:
	case MPI_PREPARES:
		call->comm = comm_of(call, function->comm);
		if (function->does == MPI_PREPARES)
			field = (enum wire_message)function->rule;
		call->message[0] = message_of(call, field, int_of(call, function->peer),
					      int_of(call, function->tag));
		if (function->does != MPI_PREPARES)
			call->message[0] = ordered(call, call->message[0]);
		if (function->from)
			call->message[1] =
				ordered(call, message_of(call, WIRE_MESSAGE_FROM,
							 int_of(call, function->from),
							 int_of(call, function->from_tag)));
		if (function->status && (call->message[0].any || call->message[1].any))
			want_status(call);
		break;
	case MPI_COLLECTS:
		call->comm = comm_of(call, function->comm);
		collect(call);
		break;
	case MPI_MATCHES:
		call->comm = comm_of(call, function->comm);
		want_status(call);
		break;
	case MPI_COMPLETES:
	case MPI_COMPLETES_ONE:
	case MPI_COMPLETES_SOME:
		gather_requests(call);
		break;
	case MPI_TAKES:
		call->request = mpi_request_of(handle_at(call, function->request, 0));
		break;
	case MPI_FORGETS:
		if (function->comm)
			mpi_comm_forget(comm_handle(call, handle_at(call, function->comm, 0)));
		else if ((call->request = mpi_request_of(handle_at(call, function->request, 0))))
			mpi_request_forget(call->request);
		break;
	default:
		break;
	}
}

/* The message that it found is whoever's takes its handle. */
static void match(struct mpi_call *call)
{
	call->message[0] = (struct mpi_message){ .field = WIRE_MESSAGE_FROM, .any = true };
	settle_any(&call->message[0], call->comm, status_at(call, 0));
	post_request(call, false);
	call->message[0].field = 0;
}

/* It has succeeded. */
static void after(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;

	switch ((enum mpi_does)function->does) {
	case MPI_SENDS:
	case MPI_RECEIVES:
	case MPI_EXCHANGES:
		for (unsigned i = 0; i < 2; i++) {
			settle_any(&call->message[i], call->comm,
				   function->status ? status_at(call, 0) : NULL);
			tell(call, &call->message[i]);
		}
		break;
	case MPI_POSTS:
	case MPI_PREPARES:
		post_request(call, function->does == MPI_PREPARES);
		break;
	case MPI_STARTS:
		start_requests(call);
		break;
	case MPI_MATCHES:
		match(call);
		break;
	case MPI_TAKES:
		if (call->request)
			end_request(call, call->request, NULL);
		break;
	case MPI_COMPLETES:
		end_requests(call);
		break;
	case MPI_COMPLETES_ONE:
		complete_at(call, *(const int *)call->argument[function->index - 1], 0);
		break;
	case MPI_COMPLETES_SOME:
		complete_some(call);
		break;
	case MPI_COLLECTS:
		if (function->request)
			post_request(call, false);
		tell(call, &call->message[0]);
		break;
	case MPI_MAKES_COMM:
		mpi_comm_made(comm_handle(call, handle_at(call, function->comm, 0)));
		break;
	default:
		break;
	}
}

/* Whether it only notes what is to come: its time is the program's own. */
static bool is_short(const struct mpi_function *function)
{
	return function->does == MPI_POSTS || function->does == MPI_PREPARES ||
	       function->does == MPI_FORGETS;
}

/* The strand ends; of a test only if it finds anything. */
static void begin_wait(struct mpi_call *call, const void *from)
{
	struct worker *worker = waiting_worker();

	if (!worker || is_short(call->function))
		return;
	call->head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	call->ticks = record_ticks(worker);
	call->site = mpi_site(from, call->function);
	if (!call->site) {
		worker_turn(worker, WORKER_INSIDE);
		return;
	}
	call->worker = worker;
	call->task = worker->task;
	if (!call->function->flag)
		record_event_at(worker, call->ticks, WIRE_WAIT,
				site_make(call->site, WIRE_WAIT_MESSAGE));
}

void mpi_begin(struct mpi_call *call, const void *from)
{
	call->nested = own.depth++ > 0;
	if (call->nested)
		return;
	begin_wait(call, from);
	before(call);
}

/* Whether it goes on with the tests before it. */
static bool polls_on(const struct mpi_call *call)
{
	return own.head == call->head && own.until && call->ticks - own.since < 2 * own.spent;
}

/* A test found nothing: the strand goes on. */
static void note_test(struct mpi_call *call)
{
	uint64_t now = worker_ticks(call->worker);

	if (!polls_on(call)) {
		own.since = call->ticks;
		own.spent = 0;
		own.head = call->head;
	}
	own.spent += now - call->ticks;
	own.until = now;
	worker_turn(call->worker, WORKER_INSIDE);
}

/* A test found something: the wait began with the first that did not. */
static void end_test(struct mpi_call *call)
{
	uint64_t ticks = polls_on(call) ? own.since : call->ticks;

	own.until = 0;
	record_event_at(call->worker, ticks, WIRE_WAIT, site_make(call->site, WIRE_WAIT_MESSAGE));
}

void mpi_end(struct mpi_call *call, int error)
{
	const struct mpi_function *function = call->function;
	bool found = !function->flag || *(const int *)call->argument[function->flag - 1] > 0;

	own.depth--;
	if (call->nested)
		return;
	if (call->worker && function->flag && (error || !found)) {
		note_test(call);
		call->worker = NULL;
	} else if (call->worker && function->flag) {
		end_test(call);
	}
	if (!error && found)
		after(call);
	if (call->has_scratch)
		atomic_store(&scratch_taken, false);
	clock_fence();
	struct worker *worker = worker_self();

	if (call->worker && worker)
		record_resume(worker, call->task);
}
