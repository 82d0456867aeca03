/* SPDX-License-Identifier: MIT */
/*
 * decode.c - fuzz target: unpacked bodies of blocks, which are packed here and put into a file
 * with headers that fit, so that the fuzzer gets past zstd and its checksum.
 *
 * Of each block: 4 bytes of its header (type and worker, events, ids before it, time), 2 of the
 * length of its body, the body.
 */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/trace/file.h"

#define WORKERS 4

struct making {
	struct trace_file file;
	uint32_t seqno[WORKERS];
	uint64_t last[WORKERS];
	uint8_t room[WIRE_BODY_MAX >> 8];
};

/* A raw block of zstd's format needs no compressor: a header, the bytes, no checksum. */
static uint32_t pack(uint8_t *out, const uint8_t *raw, uint32_t bytes)
{
	static const uint8_t head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xa0 };
	uint32_t block = 1 | bytes << 3;

	memcpy(out, head, sizeof(head));
	memcpy(out + 5, &bytes, 4);
	memcpy(out + 9, &block, 3);
	memcpy(out + 12, raw, bytes);
	return 12 + bytes;
}

static void put_block(struct making *making, const uint8_t *head, const uint8_t *raw,
		      uint32_t bytes)
{
	uint32_t w = head[0] % WORKERS;
	struct wire_block block = { .type = WIRE_EVENTS,
				    .worker = w,
				    .seqno = making->seqno[w]++,
				    .raw_bytes = bytes,
				    .n_events = head[1] + 1u,
				    .first_id = head[2],
				    .first_units = making->last[w] };

	if (head[0] & 0x80) {
		trace_file_put_defs(&making->file, (const char *)raw, bytes);
		return;
	}
	if (head[0] & 0x40)
		block.first_id <<= 41;
	block.last_units = block.first_units + head[3];
	if (head[0] & 0x20)
		block.last_units = block.first_units + ((uint64_t)head[3] << 56);
	making->last[w] = block.last_units;
	block.body_bytes = pack(making->room, raw, bytes);
	trace_file_put(&making->file, &block, making->room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct making making;
	char path[64];
	int fd = fuzz_file("", 0, path);

	memset(&making, 0, offsetof(struct making, room));
	fuzz_check(trace_file_on(&making.file, dup(fd), path) == 0);
	while (bytes >= 6) {
		uint32_t n = data[4] | (uint32_t)data[5] << 8;

		n = n < bytes - 6 ? n : (uint32_t)(bytes - 6);
		put_block(&making, data, data + 6, n);
		data += 6 + n;
		bytes -= 6 + n;
	}
	trace_file_finish(&making.file);
	trace_file_close(&making.file);
	fuzz_read(path);
	close(fd);
	return 0;
}
