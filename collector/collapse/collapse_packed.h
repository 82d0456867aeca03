/* SPDX-License-Identifier: MIT */
/*
 * collapse_packed.h - the tallies of some events in few bytes, to lie beside these events.
 *
 * So a block that the flight recorder throws away takes its collapsed tasks with it (flight.h).
 * The bytes are this build's own, and no file has them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "collector/collapse/collapse.h"

struct collapse_packed {
	uint8_t *byte; /* n of them */
	size_t n, room;
	uint64_t n_tasks; /* that are tallied */
};

/* Packs all tallies in the place of what `out` had, and begins them afresh.  0 or -ENOMEM. */
int collapse_pack(struct collapse *from, struct collapse_packed *out);

/* Adds packed tallies to those of a collapse_new().  They are not trusted: what makes no sense ends
 * them. */
void collapse_unpack(struct collapse *into, const void *bytes, size_t n);

/* Begins the tallies afresh. */
void collapse_forget(struct collapse *collapse);

void collapse_packed_free(struct collapse_packed *packed); /* a zeroed one is fine */
