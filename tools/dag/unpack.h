/* SPDX-License-Identifier: MIT */
/*
 * unpack.h - unpacks the blocks of all workers ahead of the thread that merges them.
 *
 * Further threads unpack blocks in the order in which they will be needed, but never many more than
 * were taken.  A block that no thread has begun when it is needed is unpacked by who needs it, so
 * nobody waits for anything but a block that is being unpacked.
 */
#pragma once

#include "tools/trace/reader.h"

struct unpack;

/*
 * For the cursors of all workers, none of which has a block yet; on so many further threads, at
 * most.  NULL if there are none, or no memory for them: cursor_fill() does then.
 */
struct unpack *unpack_open(const struct reader *reader, uint32_t n_threads);
void unpack_close(struct unpack *unpack); /* NULL is fine; the cursors keep what they have */

/* As cursor_fill(). */
int unpack_fill(struct unpack *unpack, struct cursor *cursor, struct err *err);
