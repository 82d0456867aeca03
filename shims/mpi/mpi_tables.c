/* SPDX-License-Identifier: MIT */
/*
 * mpi_tables.c - communicators, requests that a later call completes, and the orders of messages:
 * tables of a fixed size, searched a few places from where a key belongs.
 */
#include "shims/mpi/mpi_tables.h"

#include <stddef.h>
#include <sys/mman.h>

#include "preload/libc.h"

#define COMMS 1024u /* all sizes are powers of two */
#define REQUESTS 8192u
#define ORDERS 8192u
#define PROBES 16u
#define COMM_GONE UINT64_MAX /* freed by the program, and used by requests */

static struct mpi_comm comms[COMMS];
static struct mpi_request requests[REQUESTS];
struct order {
	_Atomic uint64_t key; /* 0: free; entries stay */
	_Atomic uint32_t n;
};
static struct order orders[ORDERS];
static struct order comm_orders[COMMS]; /* of those of the same members */

static uint64_t mixed(uint64_t key)
{
	key ^= key >> 31;
	key *= 0x9e3779b97f4a7c15u;
	return key ^ key >> 29;
}

/* ---- orders ---- */

/* NULL: there is no room. */
static struct order *order_of(struct order *table, uint32_t n, uint64_t key)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct order *order = &table[(mixed(key) + i) % n];
		uint64_t seen = atomic_load_explicit(&order->key, memory_order_acquire);

		if (!seen && atomic_compare_exchange_strong(&order->key, &seen, key))
			seen = key;
		if (seen == key)
			return order;
	}
	return NULL;
}

/* The next number, from 1, which is taken, or not; 0: there is no room. */
static uint32_t order_next(struct order *order, bool take)
{
	return order ? atomic_fetch_add_explicit(&order->n, take, memory_order_relaxed) + 1 : 0;
}

static struct order *order_of_message(const struct mpi_message *message)
{
	uint64_t key = mixed((uint64_t)message->rank << 32 | (uint32_t)message->tag);

	return order_of(orders, ORDERS, mixed(key ^ message->comm) << 2 | message->field);
}

void mpi_order_back(const struct mpi_message *message)
{
	struct order *order = message->order ? order_of_message(message) : NULL;
	uint32_t last = message->order;

	if (order)
		atomic_compare_exchange_strong(&order->n, &last, last - 1);
}

void mpi_order(struct mpi_message *message, const struct mpi_comm *comm)
{
	message->comm = comm ? comm->number : 0;
	if (message->comm)
		message->order = order_next(order_of_message(message), !message->again);
	if (!message->order)
		message->comm = 0;
}

/* ---- communicators ---- */

struct mpi_comm *mpi_comm_of(word handle)
{
	for (uint32_t i = 0; i < PROBES && handle; i++) {
		struct mpi_comm *comm = &comms[(mixed(handle) + i) % COMMS];

		if (atomic_load_explicit(&comm->handle, memory_order_acquire) == handle)
			return comm;
	}
	return NULL;
}

static size_t members_bytes(uint32_t n)
{
	return 2 * (size_t)n * sizeof(int); /* and ranks to be translated; then a window's epochs */
}

static void free_members(int **member, uint32_t n)
{
	if (*member)
		munmap(*member, members_bytes(n));
	*member = NULL;
}

/* A group that is asked of a handle.  Its members' ranks of MPI_COMM_WORLD, in memory of its own;
 * NULL if they cannot be had, or are none of that. */
static int *members_of(int (*group_of)(word, word *), word handle, uint32_t *n_members)
{
	word group = 0, world = 0;
	int *rank = NULL, n = 0;

	group_of(handle, &group);
	mpi_library.group_of[MPI_OF_COMM](mpi_library.comm_world, &world);
	mpi_library.group_size(group, &n);
	*n_members = (uint32_t)n;
	if (n > 0)
		rank = mmap(NULL, members_bytes(*n_members), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (rank == MAP_FAILED)
		rank = NULL;
	for (int i = 0; rank && i < n; i++)
		rank[n + i] = i;
	if (rank)
		mpi_library.group_translate(group, n, rank + n, world, rank);
	mpi_library.group_free(&group);
	mpi_library.group_free(&world);
	for (int i = 0; rank && i < n; i++)
		if (rank[i] < 0)
			free_members(&rank, *n_members);
	return rank;
}

static uint64_t members_hash(const int *member, uint32_t n)
{
	uint64_t hash = n;

	for (uint32_t i = 0; i < n; i++)
		hash = mixed(hash << 1 ^ (uint32_t)member[i]);
	return hash;
}

/*
 * The number that all its ranks find for it: by who they are, and how many of just these there were
 * before, as all of them make these in one order.  0: the table is full.
 */
static uint32_t comm_number(uint64_t hash)
{
	uint32_t nth = order_next(order_of(comm_orders, COMMS, hash ? hash : 1), true);

	return nth ? (uint32_t)mixed(hash + nth) | WIRE_COMM_WITHIN : 0;
}

/* Whether there is an MPI_COMM_WORLD: a session may go on without. */
static bool has_world(void)
{
	int begun = 0, over = 0;

	mpi_library.initialized(&begun);
	mpi_library.finalized(&over);
	return begun && !over;
}

bool mpi_is_parent(word handle)
{
	word parent = 0;

	if (has_world() && mpi_library.comm_get_parent)
		mpi_library.comm_get_parent(&parent);
	return handle && handle == parent;
}

/* The members of the other group are those that ranks name; both groups find one number.  If they
 * are of another world, they are named by their ranks in the group. */
static void describe_inter(struct mpi_comm *comm, word handle)
{
	uint64_t own = members_hash(comm->member, comm->n_members), other;

	comm->n_own = comm->n_members;
	free_members(&comm->member, comm->n_members);
	comm->member = members_of(mpi_library.remote_group, handle, &comm->n_members);
	comm->n_ranks = comm->n_own + comm->n_members;
	if (!comm->member) {
		comm->number = mpi_is_parent(handle) ? WIRE_COMM_PARENT : 0;
		return;
	}
	other = members_hash(comm->member, comm->n_members);
	comm->number = comm_number(own < other ? mixed(own) ^ other : mixed(other) ^ own);
}

static void describe(struct mpi_comm *comm, word handle, enum mpi_kind kind)
{
	int is_inter = 0;

	*comm = (struct mpi_comm){ .n_users = 1 };
	if (kind == MPI_OF_COMM)
		mpi_library.comm_test_inter(handle, &is_inter);
	if (has_world())
		comm->member = members_of(mpi_library.group_of[kind], handle, &comm->n_members);
	comm->n_ranks = comm->n_members;
	if (kind == MPI_OF_COMM && handle == mpi_library.comm_world)
		comm->number = WIRE_COMM_WORLD;
	else if (comm->member && is_inter)
		describe_inter(comm, handle);
	else if (comm->member)
		comm->number = comm_number(members_hash(comm->member, comm->n_members) + kind);
	for (uint32_t i = 0; kind == MPI_OF_WINDOW && comm->member && i < comm->n_members; i++)
		mpi_epochs(comm)[i] = 0;
}

void mpi_comm_made(word handle, enum mpi_kind kind)
{
	static _Atomic uint32_t lock;
	struct mpi_comm *free = NULL;

	if (handle == mpi_library.comm_null || !mpi_library.group_of[kind])
		return;
	libc_lock(&lock);
	for (uint32_t i = 0; i < PROBES; i++) {
		struct mpi_comm *comm = &comms[(mixed(handle) + i) % COMMS];
		uint64_t seen = atomic_load(&comm->handle);

		if (!seen && !free)
			free = comm;
		if (seen == handle) {
			free = NULL; /* another thread was first */
			break;
		}
	}
	if (free) {
		describe(free, handle, kind);
		atomic_store_explicit(&free->handle, handle, memory_order_release);
	}
	libc_unlock(&lock);
}

void mpi_comm_hold(struct mpi_comm *comm)
{
	if (comm && comm->number != WIRE_COMM_WORLD)
		atomic_fetch_add(&comm->n_users, 1);
}

void mpi_comm_release(struct mpi_comm *comm)
{
	if (!comm || comm->number == WIRE_COMM_WORLD || atomic_fetch_sub(&comm->n_users, 1) > 1)
		return;
	free_members(&comm->member, comm->n_members);
	atomic_store(&comm->handle, 0);
}

void mpi_comm_forget(word handle)
{
	struct mpi_comm *comm = mpi_comm_of(handle);

	if (!comm)
		return;
	atomic_store(&comm->handle, COMM_GONE);
	mpi_comm_release(comm);
}

/* ---- requests ---- */

/* Beside them: most that are asked for are sends, and not there.  0: free. */
static _Atomic uint64_t request_handle[REQUESTS];
#define CLAIMED UINT64_MAX
static _Atomic uint64_t n_made;

uint64_t mpi_requests_made(void)
{
	return atomic_load_explicit(&n_made, memory_order_relaxed);
}

struct mpi_request *mpi_request_of(word handle, uint64_t until)
{
	struct mpi_request *last = NULL;

	for (uint32_t i = 0; i < PROBES && handle; i++) {
		uint32_t at = (mixed(handle) + i) % REQUESTS;
		uint64_t seen = atomic_load_explicit(&request_handle[at], memory_order_acquire);

		if (seen == handle && requests[at].nth <= until &&
		    (!last || last->nth < requests[at].nth))
			last = &requests[at];
	}
	return last;
}

struct mpi_request *mpi_request_claim(word handle, uint64_t until)
{
	struct mpi_request *request = mpi_request_of(handle, until);
	uint64_t seen = handle;

	if (!request)
		return NULL;
	if (request->stays)
		return atomic_exchange(&request->active, false) ? request : NULL;
	return atomic_compare_exchange_strong(&request_handle[request - requests], &seen, CLAIMED)
		       ? request
		       : NULL;
}

/* It is pending, and may share its handle with other sends. */
static bool is_shared(uint32_t at, word handle)
{
	return atomic_load(&request_handle[at]) == handle && !requests[at].stays &&
	       requests[at].message.field == WIRE_MESSAGE_TO;
}

struct mpi_request *mpi_request_made(word handle, struct mpi_comm *comm, bool shared)
{
	for (uint32_t i = 0; i < PROBES && handle; i++) {
		uint32_t at = (mixed(handle) + i) % REQUESTS;
		uint64_t seen = 0;

		if (shared && is_shared(at, handle))
			break;
		if (!atomic_compare_exchange_strong(&request_handle[at], &seen, CLAIMED))
			continue;
		requests[at].handle = handle;
		requests[at].nth = atomic_fetch_add(&n_made, 1) + 1;
		requests[at].posted = 0;
		requests[at].comm = comm;
		mpi_comm_hold(comm);
		return &requests[at];
	}
	return NULL;
}

void mpi_request_put(struct mpi_request *request)
{
	atomic_store_explicit(&request_handle[request - requests], request->handle,
			      memory_order_release);
}

void mpi_request_forget(const struct mpi_request *request)
{
	mpi_comm_release(request->comm);
	atomic_store_explicit(&request_handle[request - requests], 0, memory_order_release);
}

/* ---- memory of a call ---- */

/* The first that ask have it; others, or for more, map memory. */
#define PLACES 4u
#define PLACE_BYTES 32768u
static char places[PLACES][PLACE_BYTES] __attribute__((aligned(64)));
static _Atomic bool place_taken[PLACES];

void *mpi_memory_take(size_t bytes)
{
	void *mapped;

	for (uint32_t i = 0; i < PLACES && bytes <= PLACE_BYTES; i++)
		if (!atomic_exchange(&place_taken[i], true))
			return places[i];
	mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return mapped == MAP_FAILED ? NULL : mapped;
}

void mpi_memory_give(void *taken, size_t bytes)
{
	size_t at = (uintptr_t)taken - (uintptr_t)places;

	if (at < sizeof(places))
		atomic_store(&place_taken[at / PLACE_BYTES], false);
	else
		munmap(taken, bytes);
}
