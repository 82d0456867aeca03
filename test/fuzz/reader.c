/* SPDX-License-Identifier: MIT */
/* reader.c - fuzz target: the bytes of a trace file, whose check words are made right. */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/trace/decode.h"

/* Walks as the reader does.  An odd last byte of the input leaves all as it is. */
static void seal(uint8_t *file, size_t bytes)
{
	size_t at = sizeof(struct wire_header);
	struct wire_block block;

	if (bytes >= sizeof(struct wire_header)) {
		memcpy(file, WIRE_MAGIC, 8);
		file[8] = WIRE_VERSION;
	}
	while (at < bytes && bytes - at >= sizeof(block)) {
		memcpy(&block, file + at, sizeof(block));
		block.magic = WIRE_BLOCK_MAGIC;
		block.offset = at;
		block.check = block_check(&block);
		memcpy(file + at, &block, sizeof(block));
		at += sizeof(block) + block.body_bytes;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t *file = malloc(bytes + 1);
	char path[64];
	int fd;

	fuzz_check(file);
	memcpy(file, data, bytes);
	if (bytes && !(data[bytes - 1] & 1))
		seal(file, bytes);
	fd = fuzz_file(file, bytes, path);
	free(file);
	fuzz_read(path);
	close(fd);
	return 0;
}
