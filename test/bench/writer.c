/* SPDX-License-Identifier: MIT */
/* writer.c - packs events in blocks and appends them to a trace file. */
#include "test/bench/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "cannot write the trace: %s\n", what);
	exit(1);
}

void writer_open(struct writer *writer, const char *path, uint32_t n_lanes)
{
	*writer = (struct writer){ .file.fd = -1, .n_lanes = n_lanes };
	writer->encoder = encoder_new();
	writer->lane = calloc(n_lanes, sizeof(*writer->lane));
	if (!writer->encoder || !writer->lane)
		die("out of memory");
	for (uint32_t w = 0; w < n_lanes; w++)
		writer->lane[w].source.slot = writer->lane[w].event;
	unlink(path);
	if (trace_file_create(&writer->file, path) < 0)
		die(writer->file.err.text);
}

void writer_flush(struct writer *writer, uint32_t worker)
{
	struct writer_lane *lane = &writer->lane[worker];
	struct wire_block block = { .worker = worker, .seqno = lane->seqno };
	const void *body;

	if (lane->source.n == 0)
		return;
	if (encode_block(writer->encoder, &lane->source, &block, &body) < 0)
		die("out of memory");
	if (trace_file_put(&writer->file, &block, body) < 0)
		die(writer->file.err.text);
	lane->seqno++;
	lane->source.n = 0;
}

void writer_close(struct writer *writer, const char *defs)
{
	for (uint32_t w = 0; w < writer->n_lanes; w++)
		writer_flush(writer, w);
	if (trace_file_put_defs(&writer->file, defs, strlen(defs)) < 0 ||
	    trace_file_finish(&writer->file) < 0)
		die(writer->file.err.text);
	encoder_free(writer->encoder);
	free(writer->lane);
}
