/* SPDX-License-Identifier: MIT */
/* told.c - reads the definitions of a trace that is to go on. */
#include "collector/drain/told.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* Keeps the definitions of a block that stay valid; this collector writes the others anew. */
static void keep_told(struct defs *told, char *text)
{
	static const char *const wanted[] = { "collapsed ", "mark ", "meta collapsed_waits " };
	char *line = text;
	const char *what;

	while (line && *line) {
		char *end = strchr(line, '\n');

		if (end)
			*end = 0;
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			if (strncmp(line, wanted[i], strlen(wanted[i])) == 0) {
				defs_line(told, line, &what);
				break;
			}
		line = end ? end + 1 : NULL;
	}
}

/* An unreadable block is skipped: the heir then knows less. */
static void read_block(struct defs *told, const struct trace_file *file,
		       const struct wire_block *block)
{
	size_t room = block->raw_bytes <= WIRE_BODY_MAX ? block->raw_bytes : 0;
	char *packed = malloc(block->body_bytes), *text = malloc(room + 1);
	uint64_t at = block->offset + sizeof(*block);
	size_t n;

	if (packed && text &&
	    pread(file->fd, packed, block->body_bytes, (off_t)at) == (ssize_t)block->body_bytes) {
		n = ZSTD_decompress(text, room, packed, block->body_bytes);
		text[ZSTD_isError(n) ? 0 : n] = 0;
		keep_told(told, text);
	}
	free(packed);
	free(text);
}

void told_read(struct defs *told, const struct trace_file *file)
{
	for (uint64_t i = 0; i < file->n_blocks; i++)
		if (file->index[i].type == WIRE_DEFS)
			read_block(told, file, &file->index[i]);
}
