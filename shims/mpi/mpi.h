/* SPDX-License-Identifier: MIT */
/*
 * mpi.h - what the wrappers of MPI's functions share.  MPI makes no tasks: a task that calls it is
 * in `wait message` meanwhile, if its thread runs a strand (WORKER_INSIDE).  Calls of other threads
 * are not recorded, but their messages count for the orders of later ones.
 *
 * ABI facts [mpi.h of Open MPI 4.1 and MPICH 4.0]: handles are pointers to objects in Open MPI,
 * ints in MPICH and its relatives; no argument is a floating-point number.  So a wrapper passes on
 * words.  An MPI_Status is 24 and 20 bytes; its source and tag are the first two ints, or the third
 * and fourth.  Open MPI's Fortran calls PMPI_*, MPICH's calls MPI_*: what a call itself calls
 * is passed on.  mpi_f08 gives what mpif.h gives, by reference, but for buffers, of which MPICH
 * gets descriptors (f08ts), and for MPICH's ignored statuses.
 *
 *	order	messages of one sender, receiver, tag and communicator arrive in the order in which
 *		they were sent, and receives get them in the order in which they were posted [MPI
 *		4.0, 3.5].  A receive from anybody is given its order once it is complete
 *	request	what a later call completes, if that is to be told: a receive, a collective call;
 *		of a send it is a further end (WIRE_MESSAGE_AGAIN), as a probe is one of a receive
 *	comm	who is in a call together: the ranks of a communicator, or of a window or file
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "shims/common/waiters.h"
#include "shims/common/arguments.h"
#include "shims/mpi/mpi_functions.h"

typedef uintptr_t word; /* an argument, as it is passed */

enum mpi_does {
	MPI_WAITS,
	MPI_SENDS,
	MPI_RECEIVES,
	MPI_EXCHANGES,
	MPI_POSTS,
	MPI_PREPARES,
	MPI_STARTS,
	MPI_READIES, /* parts of a send */
	MPI_PEEKS,
	MPI_MATCHES,
	MPI_TAKES,
	MPI_COMPLETES,	    /* all of its requests */
	MPI_COMPLETES_ONE,  /* the one at `index` */
	MPI_COMPLETES_SOME, /* those at the `done` indexes */
	MPI_COLLECTS,
	MPI_EPOCHS, /* lets ranks of a window go on, or waits for them */
	MPI_MAKES,  /* a communicator, a window or a file */
	MPI_CANCELS,
	MPI_FORGETS,
};

struct mpi_function {
	const char *name;
	uint8_t n, does, rule; /* enum mpi_does, enum wire_message */
	uint8_t of, makes;     /* enum mpi_kind: of the communicator's place, and of what is made */
	/* places of arguments, from 1; 0: it has none */
	uint8_t count, type, peer, tag, comm, request, status, flag, index, done, from, from_tag;
	uint8_t made, parts, group;
	uint8_t epoch; /* enum mpi_epoch: begins if it has a group, else ends */
};

/* A message, or a collective call. */
struct mpi_message {
	uint8_t field; /* enum wire_message; 0: there is none */
	bool any;      /* from anybody, or of any tag: the status will say */
	bool again;    /* WIRE_MESSAGE_AGAIN */
	uint32_t rank; /* of MPI_COMM_WORLD, or of a communicator that is not known */
	uint32_t comm, order, n_ranks;
	int32_t tag; /* negative: none */
	uint64_t bytes;
};

/* ---- mpi.c: the library ---- */

/* What the process has loaded. */
struct mpi_library {
	bool open_mpi;
	word comm_world, comm_self, comm_null;
	int any_source, proc_null, root;
	word status_ignore; /* and of an array of them; of Fortran: of one, and of an array, .. */
	int **fortran_ignore[2];
	const int *f08_ignore[2];	  /* .. and with mpi_f08, where that has its own */
	unsigned status_bytes, source_at; /* an int of the status; the tag is the next */
	word (*f2c[MPI_KINDS])(int comm); /* NULL: handles are the same */
	int (*type_size)(word type, int *bytes);
	int (*fortran_type_size)(const int *type, int *bytes, int *error);
	int (*initialized)(int *is), (*finalized)(int *is);
	int (*test_cancelled)(const int *status, int *is);
	int (*request_get_status)(word request, int *is_complete, int *status);
	word (*request_f2c)(int request); /* NULL: handles are the same */
	word (*group_f2c)(int group);	  /* likewise */
	int (*group_of[MPI_KINDS])(word comm, word *group);
	int (*remote_group)(word comm, word *group);
	int (*comm_test_inter)(word comm, int *is);
	int (*comm_rank)(word comm, int *rank);
	int (*comm_get_parent)(word *comm);
	int (*group_size)(word group, int *n);
	int (*group_translate)(word from, int n, const int *ranks, word to, int *out);
	int (*group_free)(word *group);
};
extern struct mpi_library mpi_library CALL_HIDDEN;

/* The real function that a call from there is meant for.  It may take loader locks. */
void *mpi_bind(void *_Atomic *slot, const char *symbol, const void *from) CALL_HIDDEN;

/* The site of a call of that function; 0: nothing is recorded. */
uint32_t mpi_site(const void *from, const struct mpi_function *function) CALL_HIDDEN;

#define MPI_STATUS_INTS 8 /* the longest status has 6 */
#define MPI_STATUS_BYTES (MPI_STATUS_INTS * sizeof(int))
#define MPI_FEW 8u /* requests */

struct mpi_comm;
struct mpi_request;

/* A call under way. */
struct mpi_call {
	const struct mpi_function *function;
	word *argument;		     /* as passed on */
	bool fortran, large, nested; /* large: counts have 64 bits */
	const void *from;
	struct worker *worker; /* NULL: it is not recorded */
	record_id task;
	uint32_t site;
	uint64_t ticks, head; /* when it began */
	struct mpi_comm *comm;
	struct mpi_comm *held; /* it, while the status that names a rank of it is to come; NULL */
	struct mpi_message message[2];
	word *handle;	/* n_handles: of the requests that it may complete */
	uint64_t since; /* they were made until then */
	word few[MPI_FEW];
	struct mpi_request *request, **last; /* those that it completed, by `next` */
	bool receives, from_any;	     /* one of them is no send; is from anybody */
	bool settles; /* another one may have received first what that would have */
	uint32_t n_handles;
	int *statuses; /* a status for each, where the program wants none; NULL */
	int status[MPI_STATUS_INTS];
};

/* ---- mpi_call.c ---- */

enum mpi_binding { MPI_C, MPI_C_LARGE, MPI_FORTRAN, MPI_FORTRAN_LARGE };

/* Fills the call in. */
void mpi_begin(struct mpi_call *call, const struct mpi_function *function, word *argument,
	       enum mpi_binding binding, const void *from) CALL_HIDDEN;
void mpi_end(struct mpi_call *call, int error) CALL_HIDDEN;
