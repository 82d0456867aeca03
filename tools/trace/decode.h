/* SPDX-License-Identifier: MIT */
/* decode.h - unpacks the body of a WIRE_EVENTS block (collector/trace/encode.h).  A decoder is used
 * by one thread; it allocates. */
#pragma once

#include <stdint.h>
#include "collector/trace/encode.h"

struct decoder;

/* A decoded event: its time is in the file's units, and the id that it makes is known. */
struct event {
	uint64_t units; /* untimed: of the timed event before; first in its block: after */
	uint64_t b;
	uint64_t made; /* the id that it made, or 0 */
	uint32_t kind; /* enum wire_kind */
	uint32_t worker;
};

struct decoder *decoder_new(void);
void decoder_free(struct decoder *decoder);

/*
 * Unpacks the body of a block into out[], which has room for block->n_events.  How many there are:
 * fewer if some are of optional kinds that are unknown.  Or -EPROTO and *what, good until the next
 * call, says what is wrong with it, or -ENOMEM.  Trusts no byte of the body.
 */
int decode_block(struct decoder *decoder, const struct wire_block *block, const void *body,
		 struct event *out, const char **what);
