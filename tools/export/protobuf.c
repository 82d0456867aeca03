/* SPDX-License-Identifier: MIT */
/* protobuf.c - tags, varints and lengths. */
#include "tools/export/protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/map.h"

enum wire_type { VARINT = 0, FIXED64 = 1, BYTES = 2 };
#define VARINT_BYTES 10 /* at most */

void protobuf_free(struct protobuf *message)
{
	free(message->byte);
	*message = (struct protobuf){ 0 };
}

static size_t encode(uint8_t out[VARINT_BYTES], uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		out[n++] = (uint8_t)(value | 0x80);
	out[n++] = (uint8_t)value;
	return n;
}

static void put(struct protobuf *message, const void *bytes, size_t n)
{
	array_grow(&message->byte, &message->room, message->n + n, 1);
	memcpy(message->byte + message->n, bytes, n);
	message->n += n;
}

static void put_varint(struct protobuf *message, uint64_t value)
{
	uint8_t bytes[VARINT_BYTES];

	put(message, bytes, encode(bytes, value));
}

static void put_tag(struct protobuf *message, uint32_t field, enum wire_type type)
{
	put_varint(message, field << 3 | type);
}

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t value)
{
	put_tag(message, field, VARINT);
	put_varint(message, value);
}

void protobuf_fixed64(struct protobuf *message, uint32_t field, uint64_t value)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	put_tag(message, field, FIXED64);
	put(message, bytes, sizeof(bytes));
}

void protobuf_text(struct protobuf *message, uint32_t field, const char *text)
{
	put_tag(message, field, BYTES);
	put_varint(message, strlen(text));
	put(message, text, strlen(text));
}

void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *inner)
{
	put_tag(message, field, BYTES);
	put_varint(message, inner->n);
	put(message, inner->byte, inner->n);
}

void protobuf_write(FILE *out, uint32_t field, const struct protobuf *message)
{
	uint8_t bytes[VARINT_BYTES];

	fwrite(bytes, 1, encode(bytes, field << 3 | BYTES), out);
	fwrite(bytes, 1, encode(bytes, message->n), out);
	fwrite(message->byte, 1, message->n, out);
}
