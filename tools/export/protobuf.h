/* SPDX-License-Identifier: MIT */
/*
 * protobuf.h - writes messages in the wire format of Protocol Buffers [protobuf.dev, Encoding].
 *
 * A message is put together in memory, from the innermost on.  One thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct protobuf {
	uint8_t *byte;
	uint64_t n, room;
};

static inline void protobuf_clear(struct protobuf *message)
{
	message->n = 0;
}
void protobuf_free(struct protobuf *message); /* a zeroed one is fine */

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t value);
void protobuf_fixed64(struct protobuf *message, uint32_t field, uint64_t value);
void protobuf_text(struct protobuf *message, uint32_t field, const char *text);
void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *inner);

/* Writes it as a field of the message that the file is. */
void protobuf_write(FILE *out, uint32_t field, const struct protobuf *message);
