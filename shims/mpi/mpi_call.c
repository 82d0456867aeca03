/* SPDX-License-Identifier: MIT */
/*
 * mpi_call.c - one call of MPI: what it sends or receives, and how long its task waits.
 *
 * Hot path: mpi_begin(), begin_wait(), before(); mpi_end(), after(), mpi_tell().
 *
 * A test that finds nothing complete is not recorded, as programs call it again and again.  The
 * one that does begins with the first of those in a row before it, if its worker recorded nothing
 * between them and was longer in MPI than out of it: such a loop is a wait.
 */
#include "shims/mpi/mpi_message.h"
#include "shims/mpi/mpi_tables.h"

#include "preload/poison.h"

/* Of this thread. */
static __thread struct {
	uint32_t depth;			    /* of calls of MPI: a call may make others */
	uint64_t since, until, spent, head; /* tests in a row that found nothing; ticks */
} own __attribute__((tls_model("initial-exec")));

/* ---- how long its task waits ---- */

/* Whether it only notes what is to come: its time is the program's own. */
static bool is_short(const struct mpi_function *function)
{
	return function->does == MPI_POSTS || function->does == MPI_PREPARES ||
	       function->does == MPI_CANCELS ||
	       (function->does == MPI_FORGETS && function->request);
}

/* The strand ends; of a test only if it finds anything. */
static void begin_wait(struct mpi_call *call)
{
	struct worker *worker = waiting_worker();

	if (!worker || is_short(call->function))
		return;
	call->head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	call->ticks = record_ticks(worker);
	call->site = mpi_site(call->from, call->function);
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

/* Whether it goes on with the tests before it. */
static bool polls_on(const struct mpi_call *call)
{
	return own.head == call->head && own.until && call->ticks - own.since < 2 * own.spent;
}

/* A test found something: the wait began with the first that did not. */
static void end_test(struct mpi_call *call)
{
	uint64_t ticks = polls_on(call) ? own.since : call->ticks;

	own.until = 0;
	record_event_at(call->worker, ticks, WIRE_WAIT, site_make(call->site, WIRE_WAIT_MESSAGE));
}

/* A thread in no task completes what a task has posted, to fulfill its event, say: from then on it
 * is told of, too. */
static void begin_beside(struct mpi_call *call)
{
	if (!record_beside())
		return;
	begin_wait(call);
	if (call->worker && call->function->flag)
		end_test(call);
}

/* ---- requests ---- */

/* Of what MPI refuses, none. */
static uint32_t n_requests(const struct mpi_call *call)
{
	int n = call->function->count ? mpi_int(call, call->function->count) : 1;

	return n > 0 && call->argument[call->function->request - 1] ? (uint32_t)n : 0;
}

/* What the call may complete.  Once it has, the program's array does not say so any more. */
static void note_requests(struct mpi_call *call)
{
	call->n_handles = n_requests(call);
	if (call->n_handles > MPI_FEW)
		call->handle = mpi_memory_take(call->n_handles * sizeof(word));
	if (!call->handle) {
		record_lost_call();
		call->handle = call->few;
		call->n_handles = 0;
	}
	mpi_handles(call, call->function->request, call->handle, call->n_handles);
	call->since = mpi_requests_made();
	if (call->n_handles && call->function->status && mpi_is_open())
		mpi_want_status(call);
}

static void end_request(struct mpi_call *call, struct mpi_request *request)
{
	struct mpi_message message = request->known ? request->received : request->message;
	bool in_task = request->in_task;

	if (mpi_is_cancelled(request, request->status)) {
		mpi_order_back(&message);
		message.field = 0;
	}
	mpi_close(request);
	mpi_settle(&message, request->comm, request->status);
	if (request->makes)
		mpi_comm_made(request->makes, MPI_OF_COMM);
	if (!request->stays)
		mpi_request_forget(request);
	if (message.again && call->receives)
		return; /* for that is the wait */
	if (!call->worker && in_task)
		begin_beside(call);
	mpi_tell(call, &message);
}

static void add_request(struct mpi_call *call, struct mpi_request *request, bool complete)
{
	request->complete = complete;
	request->next = NULL;
	*call->last = request;
	call->last = &request->next;
}

/* Nothing, if nothing is reported of it, or as others have the same handle and the first was it. */
static void add_complete(struct mpi_call *call, int at, uint32_t nth)
{
	struct mpi_request *request = NULL;

	if (at >= 0 && (uint32_t)at < call->n_handles)
		request = mpi_request_claim(call->handle[at], call->since);
	if (!request)
		return;
	request->status = mpi_status_at(call, nth);
	add_request(call, request, true);
	call->receives |= request->message.field != WIRE_MESSAGE_TO;
	if (request->posted) {
		call->settles = call->from_any || mpi_has_rival(request);
		call->from_any = true;
	}
}

static void find_complete(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	const int *index = NULL;
	int n = (int)call->n_handles;

	call->last = &call->request;
	if (function->index)
		index = (const int *)call->argument[function->index - 1];
	if (function->does == MPI_COMPLETES_ONE)
		n = 1;
	else if (function->does == MPI_COMPLETES_SOME)
		n = *(const int *)call->argument[function->done - 1];
	for (int i = 0; i < n; i++)
		add_complete(call, index ? index[i] - call->fortran : i, (uint32_t)i);
}

/* Those of the call that may have received what others of it would have. */
static void add_pending(struct mpi_call *call)
{
	for (uint32_t i = 0; i < call->n_handles; i++) {
		struct mpi_request *request = mpi_request_of(call->handle[i], call->since);

		if (request && request->posted && (!request->stays || request->active))
			add_request(call, request, false);
	}
}

static void end_requests(struct mpi_call *call)
{
	find_complete(call);
	if (call->settles) {
		add_pending(call);
		mpi_settle_posted(call);
	}
	for (struct mpi_request *next, *request = call->request; request; request = next) {
		next = request->next;
		if (request->complete)
			end_request(call, request);
	}
}

/* It failed, and may have completed some. */
static void forget_requests(const struct mpi_call *call)
{
	for (uint32_t i = 0; i < call->n_handles; i++) {
		struct mpi_request *request = NULL;

		if (mpi_handle_at(call, call->function->request, i) != call->handle[i])
			request = mpi_request_claim(call->handle[i], call->since);
		if (!request)
			continue;
		mpi_close(request);
		mpi_request_forget(request);
	}
}

/* A later call completes the message.  Open MPI and MPICH have one request for all sends that were
 * complete at once: these are not told. */
static void post_request(struct mpi_call *call, const struct mpi_message *message)
{
	const struct mpi_function *function = call->function;
	word handle = mpi_handle_at(call, function->request, 0);
	bool stays = function->does == MPI_PREPARES, sends = message->field == WIRE_MESSAGE_TO;
	struct mpi_request *request;

	if (!message->field || (sends && !stays && !message->comm))
		return;
	request = mpi_request_made(handle, call->comm, sends && !stays);
	if (!request) {
		if (!sends || stays)
			record_lost_call();
		return;
	}
	request->message = *message;
	request->message.again = sends;
	request->in_task = call->worker || waiting_worker();
	request->stays = stays;
	if (!stays)
		mpi_note_posted(request);
	request->parts = function->parts && sends ? mpi_int(call, function->parts) : 0;
	request->makes =
		function->made ? mpi_comm_handle(call, function->made, MPI_OF_COMM, true) : 0;
	request->active = false;
	mpi_request_put(request);
}

/* A persistent one begins: the n-th time, if it is a collective call. */
static void start_request(struct mpi_call *call, struct mpi_request *request)
{
	struct mpi_message message = request->message;

	request->message.any = message.field == WIRE_MESSAGE_FROM &&
			       (message.tag < 0 || (int)message.rank == mpi_library.any_source);
	if (message.field > WIRE_MESSAGE_FROM)
		request->message.order += message.comm != 0;
	else if (!request->message.any) {
		request->message.again = false;
		mpi_order(&request->message, request->comm);
	}
	message = request->message;
	request->message.again = message.field == WIRE_MESSAGE_TO;
	mpi_note_posted(request);
	atomic_store(&request->left, request->parts);
	request->active = true;
	request->in_task = call->worker != NULL;
	if (message.field != WIRE_MESSAGE_FROM && !request->parts)
		mpi_tell(call, &message);
}

static void start_requests(struct mpi_call *call)
{
	uint32_t n = n_requests(call);

	for (uint32_t i = 0; i < n; i++) {
		struct mpi_request *request =
			mpi_request_of(mpi_handle_at(call, call->function->request, i), MPI_NOW);

		if (request)
			start_request(call, request);
	}
}

/* ---- a call ---- */

/* What it sends and receives, but for collective calls. */
static void find_messages(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	enum wire_message field = function->does == MPI_SENDS || function->does == MPI_EXCHANGES
					  ? WIRE_MESSAGE_TO
					  : WIRE_MESSAGE_FROM;

	if (function->does == MPI_PREPARES)
		field = (enum wire_message)function->rule;
	mpi_message_find(call, &call->message[0], field, mpi_int(call, function->peer),
			 mpi_int(call, function->tag));
	if (function->from)
		mpi_message_find(call, &call->message[1], WIRE_MESSAGE_FROM,
				 mpi_int(call, function->from), mpi_int(call, function->from_tag));
	if (function->status && (call->message[0].any || call->message[1].any))
		mpi_want_status(call);
}

static void forget_handle(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	struct mpi_request *request;

	if (function->comm) {
		mpi_comm_forget(
			mpi_comm_handle(call, function->comm, (enum mpi_kind)function->of, true));
		return;
	}
	request = mpi_request_of(mpi_handle_at(call, function->request, 0), MPI_NOW);
	if (!request)
		return;
	if (mpi_is_cancelled(request, NULL))
		mpi_order_back(&request->message);
	mpi_close(request);
	mpi_request_forget(request);
}

/* Whether it is, the call says that completes it. */
static void cancel(struct mpi_call *call)
{
	struct mpi_request *request =
		mpi_request_of(mpi_handle_at(call, call->function->request, 0), MPI_NOW);

	if (request && request->message.field == WIRE_MESSAGE_FROM)
		mpi_cancel(request);
}

static void before(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	bool collective = function->rule > WIRE_MESSAGE_FROM;

	if (function->comm || collective)
		call->comm = mpi_comm_at(call);
	if (collective)
		mpi_collect(call);
	switch ((enum mpi_does)function->does) {
	case MPI_SENDS:
	case MPI_RECEIVES:
	case MPI_EXCHANGES:
	case MPI_POSTS:
	case MPI_PREPARES:
		if (!collective)
			find_messages(call);
		break;
	case MPI_PEEKS:
	case MPI_MATCHES:
		if (function->status)
			mpi_want_status(call);
		break;
	case MPI_TAKES:
	case MPI_COMPLETES:
	case MPI_COMPLETES_ONE:
	case MPI_COMPLETES_SOME:
		note_requests(call);
		break;
	case MPI_CANCELS:
		cancel(call);
		break;
	case MPI_FORGETS:
		forget_handle(call);
		break;
	default:
		break;
	}
}

/* The request that the argument is. */
static struct mpi_request *request_at(const struct mpi_call *call)
{
	word handle = mpi_value(call, call->function->request);

	return mpi_request_of(mpi_library.open_mpi && !call->fortran ? handle : (uint32_t)handle,
			      MPI_NOW);
}

/* So many parts of the send are ready: with the last one it is sent. */
static void ready_parts(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	struct mpi_request *request = request_at(call);
	struct mpi_message message;
	int n = 1;

	if (function->done)
		n = mpi_int(call, function->done) - mpi_int(call, function->index) + 1;
	else if (function->count)
		n = mpi_int(call, function->count);
	if (!request || n <= 0 || atomic_fetch_sub(&request->left, n) != n)
		return;
	message = request->message;
	message.again = false;
	mpi_tell(call, &message);
}

/* A message that a later call receives: the request's, or what a probe found, which whoever takes
 * its handle receives, if it has one. */
static void find_probed(struct mpi_call *call)
{
	struct mpi_message *message = &call->message[0];
	bool probes = call->function->status != 0, takes = call->function->does == MPI_MATCHES;
	const struct mpi_request *request = probes ? NULL : request_at(call);

	if (probes)
		*message = (struct mpi_message){ .field = WIRE_MESSAGE_FROM,
						 .any = true,
						 .again = !takes };
	else if (request && request->message.field == WIRE_MESSAGE_FROM)
		*message = request->message;
	if (probes)
		mpi_settle(message, call->comm, mpi_status_at(call, 0));
	if (takes)
		post_request(call, message);
	message->again = true;
	if (!message->any)
		mpi_tell(call, message);
}

/* What it sent or received; or, if a later call completes that, what it sent. */
static void end_messages(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;

	for (unsigned i = 0; i < 2; i++) {
		struct mpi_message *message = &call->message[i];
		bool sends = message->field == WIRE_MESSAGE_TO;

		if (!message->field)
			continue;
		if (function->request && (!sends || function->does != MPI_EXCHANGES))
			post_request(call, message);
		if (function->request && (!sends || function->does == MPI_PREPARES))
			continue;
		mpi_settle(message, call->comm, function->status ? mpi_status_at(call, 0) : NULL);
		mpi_tell(call, message);
	}
}

/* What it made to ranks of another world, which it spawned, say, has its number by this call. */
static void end_making(struct mpi_call *call)
{
	const struct mpi_message *message = &call->message[0];
	enum mpi_kind kind = (enum mpi_kind)call->function->makes;
	word handle = mpi_comm_handle(call, call->function->made, kind, true);
	struct mpi_comm *made;

	mpi_comm_made(handle, kind);
	made = mpi_comm_of(handle);
	if (made && made->n_own && !made->number && message->order)
		made->number = wire_comm_nth(message->comm, message->order);
	mpi_tell(call, message);
}

/* It has succeeded. */
static void after(struct mpi_call *call)
{
	const struct mpi_function *function = call->function;

	switch ((enum mpi_does)function->does) {
	case MPI_SENDS:
	case MPI_RECEIVES:
	case MPI_EXCHANGES:
	case MPI_POSTS:
	case MPI_PREPARES:
		end_messages(call);
		break;
	case MPI_STARTS:
		start_requests(call);
		break;
	case MPI_READIES:
		ready_parts(call);
		break;
	case MPI_PEEKS:
	case MPI_MATCHES:
		find_probed(call);
		break;
	case MPI_TAKES:
	case MPI_COMPLETES:
	case MPI_COMPLETES_ONE:
	case MPI_COMPLETES_SOME:
		end_requests(call);
		break;
	case MPI_MAKES:
		end_making(call);
		break;
	case MPI_COLLECTS:
		if (function->request)
			post_request(call, &call->message[0]);
		mpi_tell(call, &call->message[0]);
		break;
	case MPI_FORGETS:
		mpi_tell(call, &call->message[0]);
		break;
	case MPI_EPOCHS:
		mpi_tell_epoch(call);
		break;
	default:
		break;
	}
}

void mpi_begin(struct mpi_call *call, const struct mpi_function *function, word *argument,
	       enum mpi_binding binding, const void *from)
{
	call->nested = own.depth++ > 0;
	if (call->nested)
		return;
	call->function = function;
	call->argument = argument;
	call->fortran = binding >= MPI_FORTRAN;
	call->large = binding == MPI_C_LARGE || binding == MPI_FORTRAN_LARGE;
	call->from = from;
	call->worker = NULL;
	call->comm = call->held = NULL;
	call->message[0] = call->message[1] = (struct mpi_message){ 0 };
	call->request = NULL;
	call->receives = call->from_any = call->settles = false;
	call->handle = call->few;
	call->n_handles = 0;
	call->statuses = NULL;
	begin_wait(call);
	before(call);
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

/* It has succeeded: whether it is no test, or found anything.  In a Fortran, true is -1. */
static bool has_found(const struct mpi_call *call)
{
	const struct mpi_function *function = call->function;
	int flag = function->flag ? *(const int *)call->argument[function->flag - 1] : 1;

	return function->flag == function->done ? flag > 0 : flag != 0;
}

void mpi_end(struct mpi_call *call, int error)
{
	bool found;

	own.depth--;
	if (call->nested)
		return;
	found = !error && has_found(call);
	if (call->worker && call->function->flag && found)
		end_test(call);
	if (found)
		after(call);
	else if (error)
		forget_requests(call);
	mpi_comm_release(call->held);
	if (call->handle != call->few)
		mpi_memory_give(call->handle, call->n_handles * sizeof(word));
	if (call->statuses)
		mpi_memory_give(call->statuses, call->n_handles * MPI_STATUS_BYTES);
	if (call->worker && call->function->flag && !found) {
		note_test(call); /* what it takes here is part of the test */
		return;
	}
	clock_fence();
	struct worker *worker = worker_self();

	if (call->worker && worker)
		record_resume(worker, call->task);
}
