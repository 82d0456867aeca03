/* SPDX-License-Identifier: MIT */
/* lines.c - lines of definitions: collected in memory, and found in a file. */
#include "collector/trace/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "collector/trace/file.h"
#include "collector/trace/grow.h"
#include "collector/trace/plain.h"

/* Leaves the line at hand out, of which some may be there. */
static void skip_line(struct lines *lines)
{
	lines->failed = lines->skips = true;
	while (lines->bytes && lines->text[lines->bytes - 1] != '\n')
		lines->bytes--;
}

/* Makes room for a piece, if its line is not left out. */
static bool make_room(struct lines *lines, size_t bytes)
{
	size_t room = grow_room(lines->bytes + bytes);
	char *text = lines->text;

	if (lines->skips)
		return false;
	if (lines->bytes + bytes <= lines->room)
		return true;
	room = room < LINES_LEAST ? LINES_LEAST : room;
	text = realloc(text, room);
	if (!text) {
		skip_line(lines);
		return false;
	}
	lines->text = text;
	lines->room = room;
	return true;
}

bool lines_reserve(struct lines *lines)
{
	return make_room(lines, LINES_LEAST);
}

void lines_print(struct lines *lines, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n >= 0 && make_room(lines, (size_t)n + 1)) {
		va_start(args, format);
		vsnprintf(lines->text + lines->bytes, (size_t)n + 1, format, args);
		va_end(args);
		lines->bytes += (size_t)n;
	}
	if (format[strlen(format) - 1] == '\n')
		lines->skips = false;
}

char *lines_escape(char *out, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	char *at = out;

	while (*text) {
		unsigned char c = (unsigned char)*text;
		/* what ends a word, or a line, or begins an escape or a comment */
		size_t n = c == ' ' || c == '%' || c == '#' ? 0 : plain_bytes(text);

		memcpy(at, text, n);
		at += n;
		text += n ? n : 1;
		if (n)
			continue;
		*at++ = '%';
		*at++ = hex[c >> 4];
		*at++ = hex[c & 15];
	}
	*at = 0;
	return out;
}

static void put_escaped(struct lines *lines, const char *text)
{
	if (!make_room(lines, 3 * strlen(text) + 1))
		return;
	lines_escape(lines->text + lines->bytes, text);
	lines->bytes += strlen(lines->text + lines->bytes);
}

void lines_field(struct lines *lines, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	lines_print(lines, " %s=", key);
	put_escaped(lines, text);
}

void lines_word(struct lines *lines, const char *text)
{
	if (text) {
		lines_print(lines, " ");
		put_escaped(lines, text);
	}
	lines_print(lines, "\n");
}

void lines_meta(struct lines *lines, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	lines_print(lines, "meta %s", key);
	lines_word(lines, text);
}

void lines_put(struct lines *lines, struct trace_file *file)
{
	char *less = NULL;

	trace_file_put_defs(file, lines->text, lines->bytes);
	if (lines->failed)
		trace_file_no_memory(file, "cannot write definitions");
	if (lines->room > LINES_LEAST)
		less = realloc(lines->text, LINES_LEAST);
	*lines = (struct lines){ .text = less ? less : lines->text,
				 .room = less ? LINES_LEAST : lines->room };
}

/* The lines of a block; yours to free().  NULL if they cannot be read. */
static char *read_block(const struct trace_file *file, const struct wire_block *block)
{
	size_t room = block->raw_bytes <= WIRE_BODY_MAX ? block->raw_bytes : 0, n;
	char *packed = malloc(block->body_bytes), *text = malloc(room + 1);
	off_t at = (off_t)(block->offset + sizeof(*block));

	if (packed && text &&
	    pread(file->fd, packed, block->body_bytes, at) == (ssize_t)block->body_bytes) {
		n = ZSTD_decompress(text, room, packed, block->body_bytes);
		text[ZSTD_isError(n) ? 0 : n] = 0;
	} else {
		free(text);
		text = NULL;
	}
	free(packed);
	return text;
}

uint32_t lines_find(const struct trace_file *file, const char *start, char **last)
{
	size_t n_start = strlen(start);
	uint32_t n = 0;

	for (uint64_t i = 0; i < file->n_blocks; i++) {
		char *text =
			file->index[i].type == WIRE_DEFS ? read_block(file, &file->index[i]) : NULL;
		char *rest = text, *line;

		while ((line = strsep(&rest, "\n"))) {
			if (strncmp(line, start, n_start) != 0)
				continue;
			n++;
			if (last) {
				free(n > 1 ? *last : NULL);
				*last = strdup(line + n_start);
			}
		}
		free(text);
	}
	return n;
}
