/* SPDX-License-Identifier: MIT */
/* trace.h - traces that tests make in memory: their bytes, and readers of them. */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/trace/file.h"
#include "tools/base/dump.h"
#include "tools/base/load.h"
#include "test/unit/stream.h"

struct bytes { /* malloc'ed; all-zero is none */
	char *at;
	size_t n;
};

static inline void bytes_free(struct bytes *bytes)
{
	free(bytes->at);
	*bytes = (struct bytes){ 0 };
}

/* All that can be read from there; a NUL is behind it. */
static inline struct bytes bytes_of(FILE *in)
{
	struct bytes bytes = { malloc(1), 0 };
	char piece[65536];
	size_t n;

	while (bytes.at && (n = fread(piece, 1, sizeof(piece), in)) > 0) {
		bytes.at = realloc(bytes.at, bytes.n + n + 1);
		if (!bytes.at)
			abort();
		memcpy(bytes.at + bytes.n, piece, n);
		bytes.n += n;
	}
	if (bytes.at)
		bytes.at[bytes.n] = 0;
	return bytes;
}

static inline struct bytes bytes_of_file(const char *path)
{
	FILE *in = fopen(path, "re");
	struct bytes bytes = { 0 };

	if (in) {
		bytes = bytes_of(in);
		fclose(in);
	}
	return bytes;
}

/* text_open() of these bytes. */
static inline int trace_open(struct reader **reader, const void *bytes, size_t n, struct err *err)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	char path[64];
	int error;

	*err = (struct err){ 0 };
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	error = text_open(reader, path, err);
	close(fd);
	return error;
}

/* Whether that is how an error is to be told: one line that names the file. */
static inline bool trace_told(int error, const struct err *err)
{
	return error < 0 && err->code == error && strncmp(err->text, "/proc/self/fd/", 14) == 0 &&
	       !strchr(err->text, '\n') && strlen(err->text) + 1 < sizeof(err->text);
}

/* text_dump(). */
static inline int trace_dump(struct bytes *text, const struct reader *reader, struct err *err)
{
	FILE *out = open_memstream(&text->at, &text->n);
	int error;

	if (!out)
		abort();
	error = text_dump(reader, out, err);
	fclose(out);
	return error;
}

/* A trace file in the making, in memory. */
struct making {
	struct trace_file file;
	struct encoder *encoder;
	int fd;
};

static inline void making_begin(struct making *making)
{
	making->fd = memfd_create("test", MFD_CLOEXEC);
	making->encoder = encoder_new();
	if (making->fd < 0 || !making->encoder ||
	    trace_file_on(&making->file, dup(making->fd), "test") < 0)
		abort();
}

/* Packs the next n events of a stream as the worker's next block. */
static inline void making_put(struct making *making, struct stream *s, struct model *model,
			      uint32_t seqno, uint32_t n)
{
	struct wire_event *event = malloc(n * sizeof(*event));
	struct event *ignored = malloc(n * sizeof(*ignored));
	struct encode_source source = { .slot = event,
					.n = n,
					.last_units = model->last_units,
					.n_ids = model->n_ids };
	struct wire_block block = { .worker = s->worker, .seqno = seqno };
	const void *body;

	for (uint32_t i = 0; i < n; i++)
		event[i] = stream_next(s);
	model_block(model, event, n, ignored);
	if (encode_block(making->encoder, &source, &block, &body) < 0 ||
	    trace_file_put(&making->file, &block, body) < 0)
		abort();
	free(event);
	free(ignored);
}

static inline void making_defs(struct making *making, const char *text)
{
	if (trace_file_put_defs(&making->file, text, strlen(text)) < 0)
		abort();
}

/* The bytes so far. */
static inline struct bytes making_bytes(const struct making *making)
{
	struct bytes bytes = { malloc(making->file.bytes + 16), making->file.bytes };

	if (!bytes.at || pread(making->fd, bytes.at, bytes.n, 0) != (ssize_t)bytes.n)
		abort();
	return bytes;
}

static inline struct bytes making_end(struct making *making)
{
	if (trace_file_finish(&making->file) < 0)
		abort();
	struct bytes bytes = making_bytes(making);

	trace_file_close(&making->file);
	encoder_free(making->encoder);
	close(making->fd);
	return bytes;
}

/* Where the blocks of a whole trace begin, and how many there are. */
static inline uint32_t trace_blocks(const struct bytes *trace, size_t *at, uint32_t room)
{
	size_t next = sizeof(struct wire_header);
	struct wire_block block;
	uint32_t n = 0;

	while (n < room && next + sizeof(block) <= trace->n) {
		memcpy(&block, trace->at + next, sizeof(block));
		at[n++] = next;
		next += sizeof(block) + block.body_bytes;
	}
	return n;
}
