/* SPDX-License-Identifier: MIT */
/*
 * mpi_tables.c - communicators, requests that a later call completes, and the orders of messages:
 * tables of a fixed size, searched a few places from where a key belongs.
 */
#include "shims/mpi/mpi.h"

#include <stddef.h>
#include <sys/mman.h>

#include "preload/libc.h"

#define COMMS 1024u /* all sizes are powers of two */
#define REQUESTS 8192u
#define ORDERS 8192u
#define PROBES 16u

static struct mpi_comm comms[COMMS];
static struct mpi_request requests[REQUESTS];
static struct order {
	_Atomic uint64_t key; /* 0: free; entries stay */
	_Atomic uint32_t n;
} orders[ORDERS];

static uint64_t mixed(uint64_t key)
{
	key ^= key >> 31;
	key *= 0x9e3779b97f4a7c15u;
	return key ^ key >> 29;
}

/* ---- orders ---- */

/* The next number of that key, from 1; 0: there is no room. */
static uint32_t order_next(uint64_t key)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct order *order = &orders[(mixed(key) + i) % ORDERS];
		uint64_t seen = atomic_load_explicit(&order->key, memory_order_acquire);

		if (!seen && atomic_compare_exchange_strong(&order->key, &seen, key))
			seen = key;
		if (seen == key)
			return atomic_fetch_add_explicit(&order->n, 1, memory_order_relaxed) + 1;
	}
	return 0;
}

void mpi_order(struct mpi_message *message, const struct mpi_comm *comm)
{
	uint64_t key = mixed((uint64_t)message->rank << 32 | (uint32_t)message->tag);

	message->comm = comm ? comm->number : 0;
	if (message->comm)
		message->order = order_next(mixed(key ^ message->comm) << 2 | message->field);
	if (!message->order)
		message->comm = 0;
}

/* ---- communicators ---- */

struct mpi_comm *mpi_comm_of(word handle)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct mpi_comm *comm = &comms[(mixed(handle) + i) % COMMS];

		if (atomic_load_explicit(&comm->handle, memory_order_acquire) == handle)
			return comm;
	}
	return NULL;
}

/* Its members' ranks of MPI_COMM_WORLD, in memory of its own; NULL if they cannot be had. */
static int *members_of(word handle, int n)
{
	size_t bytes = 2 * (size_t)n * sizeof(int);
	int *rank = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	word group = 0, world = 0;

	if (rank == MAP_FAILED)
		return NULL;
	for (int i = 0; i < n; i++)
		rank[n + i] = i;
	mpi_library.comm_group(handle, &group);
	mpi_library.comm_group(mpi_library.comm_world, &world);
	mpi_library.group_translate(group, n, rank + n, world, rank);
	mpi_library.group_free(&group);
	mpi_library.group_free(&world);
	return rank;
}

/*
 * The number that all its ranks find for it: by who they are, and how many communicators of just
 * these there were before, as all of them make these in one order.
 */
static uint32_t comm_number(const int *member, int n)
{
	uint64_t hash = (uint64_t)n;

	for (int i = 0; i < n; i++)
		hash = mixed(hash << 1 ^ (uint32_t)member[i]);
	hash = mixed(hash +
		     order_next(hash << 2 | 3)); /* no field of a message is 3 in these bits */
	return (uint32_t)hash | 2;
}

static void describe(struct mpi_comm *comm, word handle)
{
	int n = 0, is_inter = 1;

	comm->number = 0;
	comm->member = NULL;
	atomic_store(&comm->n_collective, 0);
	mpi_library.comm_test_inter(handle, &is_inter);
	mpi_library.comm_size(handle, &n);
	comm->n_ranks = (uint32_t)n;
	if (handle == mpi_library.comm_world)
		comm->number = 1;
	else if (!is_inter && n > 0)
		comm->member = members_of(handle, n);
	if (comm->member)
		comm->number = comm_number(comm->member, n);
}

void mpi_comm_made(word handle)
{
	static _Atomic uint32_t lock;
	struct mpi_comm *free = NULL;

	if (handle == mpi_library.comm_null || !mpi_library.comm_group)
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
		describe(free, handle);
		atomic_store_explicit(&free->handle, handle, memory_order_release);
	}
	libc_unlock(&lock);
}

void mpi_comm_forget(word handle)
{
	struct mpi_comm *comm = mpi_comm_of(handle);

	if (!comm)
		return;
	if (comm->member)
		munmap(comm->member, 2 * (size_t)comm->n_ranks * sizeof(int));
	comm->member = NULL;
	comm->number = 0;
	atomic_store(&comm->handle, 0);
}

/* ---- requests ---- */

/* Beside them: most that are asked for are sends, and not there. */
static _Atomic uint64_t request_handle[REQUESTS]; /* 0: free */

struct mpi_request *mpi_request_of(word handle)
{
	for (uint32_t i = 0; i < PROBES && handle; i++) {
		uint32_t at = (mixed(handle) + i) % REQUESTS;

		if (atomic_load_explicit(&request_handle[at], memory_order_acquire) == handle)
			return &requests[at];
	}
	return NULL;
}

struct mpi_request *mpi_request_made(word handle)
{
	for (uint32_t i = 0; i < PROBES && handle; i++) {
		uint32_t at = (mixed(handle) + i) % REQUESTS;
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(&request_handle[at], &none, handle))
			return &requests[at];
	}
	return NULL;
}

void mpi_request_forget(const struct mpi_request *request)
{
	atomic_store_explicit(&request_handle[request - requests], 0, memory_order_release);
}
