/* SPDX-License-Identifier: MIT */
/*
 * flight.h - the flight recorder: the newest blocks of all workers, in memory, up to a size.
 *
 * The oldest are thrown away for newer ones, whosever they are; what is left of a worker is always
 * its newest.  Used by the collector's thread; what it allocates is freed by flight_free().
 */
#pragma once

#include <stdbool.h>
#include "collector/encode.h"
#include "collector/file.h"

struct flight_block {
	struct wire_block block;
	void *body;
	uint64_t before_units; /* of the worker's last event before the block */
	uint64_t running;      /* the task whose strand ran then, 0 for none */
};

struct flight {
	uint64_t max_bytes; /* 0: there is no flight recorder */
	uint64_t bytes;	    /* of what is kept, as it takes in a file */
	struct flight_block
		*block; /* a ring of `room`; n of them from `first` on, the oldest first */
	uint64_t room, first, n;
	uint64_t *thrown; /* by worker: events that were thrown away; n_workers */
	uint32_t n_workers;
};

/* Keeps a block, its body copied.  0 or -ENOMEM. */
int flight_put(struct flight *flight, const struct wire_block *block, const void *body,
	       uint64_t before_units, uint64_t running);

/*
 * Writes all that is kept to a file that has no events yet, each worker's stream opened by what is
 * missing before it, since begin_units.  It is now end_units.  next_seqno[w] becomes the number of
 * w's next block, for the flight's n_workers.  0 or -errno, told in the file.
 */
int flight_write(struct flight *flight, struct trace_file *file, struct encoder *encoder,
		 uint64_t begin_units, uint64_t end_units, uint32_t *next_seqno);

void flight_free(struct flight *flight);
