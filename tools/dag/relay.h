/* SPDX-License-Identifier: MIT */
/*
 * relay.h - a thread that fills batches of events ahead of the one that takes them.
 *
 * From relay_open() to relay_close() the streams are that thread's.  It helps with the array, too.
 */
#pragma once

#include "tools/dag/prefault.h"
#include "tools/dag/streams.h"

struct relay;

/* NULL: no thread, or no memory. */
struct relay *relay_open(struct streams *streams, struct prefault *prefault);
void relay_close(struct relay *relay); /* NULL is fine */

/* The next batch, good until the next call; not to be asked for after the last. */
struct batch *relay_next(struct relay *relay);
