/* SPDX-License-Identifier: MIT */
/* reader.c - finds the blocks of a trace file and checks all that it finds. */
#include "tools/trace/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "collector/trace/grow.h"
#include "tools/trace/writer.h"

struct stream {
	uint32_t *block; /* numbers into reader.block, in order */
	uint32_t n;
};

struct reader {
	const uint8_t *map;
	uint64_t bytes;
	int fd;
	struct defs defs;
	struct reader_facts facts;
	struct wire_block *block;
	uint32_t n_blocks;
	struct stream *stream; /* facts.n_workers of them */
	struct timeline timeline;
	char *path;
	uint64_t defs_bytes;   /* of all definitions, unpacked */
	uint64_t source_bytes; /* of the file, or of the text that it was made from */
};

/*
 * Limits what a file may unpack to, so that a small one cannot take all memory and time.  Clocks
 * are noisy: what a recorder writes takes half a byte an event at least.
 */
#define EVENTS_FREE (1u << 22) /* these any file may have, */
#define EVENTS_A_BYTE 16u      /* and so many more a byte */
#define EVENT_RAW_MAX 128u     /* bytes of an unpacked body: a tag, a time, operands */
#define TABLE_RAW_MAX 4096u    /* and of its table of columns */
#define DEFS_FREE (16u << 20)  /* bytes of definitions, in all */
#define DEFS_A_BYTE 64u
#define CURSORS_FREE (64u << 20) /* bytes of events that all workers' cursors hold at once */
#define CURSORS_A_BYTE 64u

static int bad(const struct reader *reader, struct err *err, uint64_t at, const char *what)
{
	return err_set(err, EPROTO, "%s: at byte %llu: %s", reader->path, (unsigned long long)at,
		       what);
}

/* Only a later version writes this, and a reader that does not know it cannot read the trace. */
static int reader_unknown(const struct reader *reader, struct err *err, uint64_t at,
			  const char *what)
{
	return err_set(err, EPROTO, "%s: at byte %llu: unknown %.60s; use a newer tptrace",
		       reader->path, (unsigned long long)at, what);
}

const struct defs *reader_defs(const struct reader *reader)
{
	return &reader->defs;
}

const struct reader_facts *reader_facts(const struct reader *reader)
{
	return &reader->facts;
}

uint64_t reader_ns(const struct reader *reader, uint64_t units)
{
	const struct timeline *timeline = &reader->timeline;

	return timeline_ns(&timeline->piece[timeline_find(timeline, units, 0)], units);
}

uint64_t reader_duration_ns(const struct reader *reader, uint64_t units)
{
	return (uint64_t)((unsigned __int128)units * reader->timeline.scale >> 48);
}

uint64_t reader_off_ns(const struct reader *reader, uint64_t ns)
{
	unsigned __int128 off = (unsigned __int128)ns * reader->timeline.off_ppb / 1000000000;

	return off < INT64_MAX ? (uint64_t)off : INT64_MAX;
}

const struct timeline *reader_timeline(const struct reader *reader)
{
	return &reader->timeline;
}

static uint64_t whole_ns(const struct reader *reader)
{
	uint64_t units = reader->defs.whole_units;

	return timeline_fits(&reader->timeline, units) ? reader_ns(reader, units) : UINT64_MAX;
}

static bool events_can_be(const struct wire_block *block)
{
	return block->worker < WIRE_WORKERS && block->n_events > 0 &&
	       block->n_events <= ENCODE_EVENTS_MAX && block->n_events <= block->raw_bytes &&
	       block->raw_bytes <= block->n_events * EVENT_RAW_MAX + TABLE_RAW_MAX &&
	       block->last_units >= block->first_units && block->first_id <= ENCODE_IDS_MAX;
}

static const char cut_off[] = "cut off in the middle of a block";

/* Whether a whole block stands at `at`; else *what says why not. */
static bool block_at(const struct reader *reader, uint64_t at, struct wire_block *block,
		     const char **what)
{
	*what = cut_off;
	if (reader->bytes - at < sizeof(*block))
		return false;
	memcpy(block, reader->map + at, sizeof(*block));
	if (block->magic != WIRE_BLOCK_MAGIC || block->offset != at ||
	    block_check(block) != block->check) {
		*what = "not a block";
		return false;
	}
	if (reader->bytes - at - sizeof(*block) < block->body_bytes)
		return false;
	*what = "an invalid block";
	if (block->body_bytes > WIRE_BODY_MAX || block->raw_bytes > WIRE_BODY_MAX)
		return false;
	return block->type != WIRE_EVENTS || events_can_be(block);
}

static int add_block(struct reader *reader, const struct wire_block *block, struct err *err)
{
	if (!grow(&reader->block, reader->n_blocks, 1, sizeof(*block)))
		return err_set(err, ENOMEM, "%s: out of memory", reader->path);
	reader->block[reader->n_blocks++] = *block;
	return 0;
}

static int add_to_stream(struct reader *reader, uint32_t number, struct err *err)
{
	const struct wire_block *block = &reader->block[number];
	struct stream *stream = &reader->stream[block->worker];

	if (!grow(&stream->block, stream->n, 1, sizeof(*stream->block)))
		return err_set(err, ENOMEM, "%s: out of memory", reader->path);
	if (block->seqno != stream->n)
		return bad(reader, err, block->offset, "missing block before this one");
	if (stream->n &&
	    reader->block[stream->block[stream->n - 1]].last_units > block->first_units)
		return bad(reader, err, block->offset, "time runs backwards between two blocks");
	stream->block[stream->n++] = number;
	return 0;
}

/* Unpacks a body into memory that is the caller's to free. */
static int unpack(const struct reader *reader, const struct wire_block *block, char **out,
		  struct err *err)
{
	char *raw = malloc((size_t)block->raw_bytes + 1);
	size_t n;

	if (!raw)
		return err_set(err, ENOMEM, "%s: out of memory", reader->path);
	n = ZSTD_decompress(raw, block->raw_bytes, reader->map + block->offset + sizeof(*block),
			    block->body_bytes);
	if (ZSTD_isError(n) || n != block->raw_bytes) {
		free(raw);
		return bad(reader, err, block->offset, "invalid body");
	}
	raw[n] = 0;
	*out = raw;
	return 0;
}

static int read_defs(struct reader *reader, const struct wire_block *block, struct err *err)
{
	char *text = NULL, *at;
	const char *what = NULL;
	int error;

	reader->defs_bytes += block->raw_bytes;
	if (reader->defs_bytes / DEFS_A_BYTE > DEFS_FREE / DEFS_A_BYTE + reader->source_bytes)
		return bad(reader, err, block->offset, "file too small for its definitions");
	error = unpack(reader, block, &text, err);
	if (error)
		return error;
	if (memchr(text, 0, block->raw_bytes)) {
		free(text);
		return bad(reader, err, block->offset, "invalid definitions: a zero byte");
	}
	for (at = text; at && !error;) {
		char *line = strsep(&at, "\n");

		error = defs_line(&reader->defs, line, &what);
		if (error == -ENOENT)
			error = *line != '!' ? 0 : reader_unknown(reader, err, block->offset, line);
		else if (error)
			bad(reader, err, block->offset, what);
	}
	free(text);
	return error;
}

static int take_block(struct reader *reader, const struct wire_block *block, struct err *err)
{
	char type[32];

	switch (block->type) {
	case WIRE_EVENTS:
		if (block->worker >= reader->facts.n_workers)
			reader->facts.n_workers = block->worker + 1;
		reader->facts.n_events += block->n_events;
		if (reader->facts.n_events / EVENTS_A_BYTE >
		    EVENTS_FREE / EVENTS_A_BYTE + reader->source_bytes)
			return bad(reader, err, block->offset, "file too small for its events");
		return add_block(reader, block, err);
	case WIRE_DEFS:
		return read_defs(reader, block, err);
	default:
		if (block->flags & WIRE_BLOCK_OPTIONAL)
			return 0;
		snprintf(type, sizeof(type), "type of block %u", block->type);
		return reader_unknown(reader, err, block->offset, type);
	}
}

/* Whether there is no end yet because the trace is still written; says so then. */
static bool note_live(struct reader *reader)
{
	struct reader_facts *facts = &reader->facts;
	const char *pid = defs_meta(&reader->defs, "pid");
	struct stat st;

	if (writer_of(&reader->defs, reader->fd))
		snprintf(facts->missing, sizeof(facts->missing),
			 "is still being recorded (pid %.12s); the figures cover what was written "
			 "so far",
			 pid ? pid : "?");
	else if (fstat(reader->fd, &st) == 0 && (uint64_t)st.st_size > reader->bytes)
		snprintf(facts->missing, sizeof(facts->missing),
			 "was still being recorded when it was opened; read it again");
	else
		return false;
	facts->live = true;
	return true;
}

/* Whether nothing follows but room that was reserved for the end. */
static bool is_blank(const struct reader *reader, uint64_t at)
{
	while (at < reader->bytes && reader->map[at] == 0)
		at++;
	return at == reader->bytes;
}

/* Walks from block to block, up to the footer or to where they stop making sense. */
static int walk(struct reader *reader, uint64_t at, struct err *err)
{
	struct reader_facts *facts = &reader->facts;
	struct wire_footer footer;
	struct wire_block block;
	const char *what;
	int error;

	while (at < reader->bytes) {
		if (reader->bytes - at == sizeof(footer)) {
			memcpy(&footer, reader->map + at, sizeof(footer));
			if (memcmp(footer.magic, WIRE_FOOTER_MAGIC, sizeof(footer.magic)) == 0) {
				facts->ended = true;
				return 0;
			}
		}
		if (!block_at(reader, at, &block, &what)) {
			if (is_blank(reader, at))
				break;
			if (what == cut_off && note_live(reader))
				return 0; /* that block is being written */
			facts->torn = true;
			facts->cut = what == cut_off;
			snprintf(facts->missing, sizeof(facts->missing),
				 "at byte %llu of %llu: %s; %s", (unsigned long long)at,
				 (unsigned long long)reader->bytes, what,
				 reader->n_blocks ? "only the events before it are used"
						  : "no events are before it");
			return 0;
		}
		error = take_block(reader, &block, err);
		if (error)
			return error;
		facts->n_blocks++;
		at += sizeof(block) + block.body_bytes;
	}
	if (note_live(reader))
		return 0;
	snprintf(facts->missing, sizeof(facts->missing),
		 "the program ended without closing its trace, or this is a copy from before its "
		 "end; %s%s",
		 reader->n_blocks ? "its last moments are missing" : "no events are in it",
		 defs_meta(&reader->defs, "ring") ? ": `tptrace recover` may have them" : "");
	return 0;
}

/* Each worker's cursor has room for its largest block. */
static int check_cursors(const struct reader *reader, struct err *err)
{
	uint64_t bytes = 0;

	for (uint32_t w = 0; w < reader->facts.n_workers; w++) {
		const struct stream *stream = &reader->stream[w];
		uint32_t largest = 0;

		for (uint32_t i = 0; i < stream->n; i++)
			if (reader->block[stream->block[i]].n_events > largest)
				largest = reader->block[stream->block[i]].n_events;
		bytes += largest * sizeof(struct event);
	}
	if (bytes > CURSORS_FREE + CURSORS_A_BYTE * reader->source_bytes)
		return err_set(
			err, EFBIG,
			"%s: file too small for its events: %llu bytes at once in a file of %llu",
			reader->path, (unsigned long long)bytes,
			(unsigned long long)reader->source_bytes);
	return 0;
}

/*
 * Whether some part of the file, from its begin on, has all events of before `units` of all workers
 * that it knows: a worker's blocks are in order.
 */
static bool has_all(const struct reader *reader, uint64_t units)
{
	uint32_t n_behind = 0;

	for (uint32_t i = 0; i < reader->n_blocks; i++) {
		const struct wire_block *block = &reader->block[i], *before = NULL;

		if (block->seqno)
			before = reader_block(reader, block->worker, block->seqno - 1);
		n_behind += !before;
		if (block->last_units >= units && (!before || before->last_units < units))
			n_behind--;
		if (n_behind == 0)
			return true;
	}
	return false;
}

/* The latest time for which that is so. */
static uint64_t reach_units(const struct reader *reader)
{
	uint64_t units = 0;

	for (uint64_t bit = UINT64_C(1) << 63; bit && reader->n_blocks; bit >>= 1)
		if (has_all(reader, units | bit))
			units |= bit;
	return units;
}

/* Up to when there is something to tell, and what is sure of it. */
static void find_whole(struct reader *reader)
{
	struct reader_facts *facts = &reader->facts;
	uint64_t reach_ns;
	size_t n = strlen(facts->missing);

	facts->sure_ns = facts->ended && !reader->defs.whole_units ? UINT64_MAX : whole_ns(reader);
	facts->whole_ns = facts->sure_ns;
	if (facts->ended || !reader->n_blocks)
		return;
	reach_ns = reader_ns(reader, reach_units(reader));
	if (facts->whole_ns < reach_ns)
		facts->whole_ns = reach_ns;
	if (!facts->live)
		snprintf(facts->missing + n, sizeof(facts->missing) - n,
			 "; the figures cover its first %.3f ms%s",
			 (double)(facts->whole_ns - facts->first_ns) / 1e6,
			 facts->sure_ns < facts->whole_ns
				 ? ", at the end of which events of some workers may be missing"
				 : "");
}

static int index_streams(struct reader *reader, struct err *err)
{
	struct reader_facts *facts = &reader->facts;
	int error = 0;

	reader->stream = calloc(facts->n_workers + 1, sizeof(*reader->stream));
	if (!reader->stream)
		return err_set(err, ENOMEM, "%s: out of memory", reader->path);
	facts->first_ns = UINT64_MAX;
	for (uint32_t i = 0; i < reader->n_blocks && !error; i++) {
		uint64_t first = reader_ns(reader, reader->block[i].first_units);
		uint64_t last = reader_ns(reader, reader->block[i].last_units);

		if (!timeline_fits(&reader->timeline, reader->block[i].last_units))
			return bad(reader, err, reader->block[i].offset, "invalid time");
		if (first < facts->first_ns)
			facts->first_ns = first;
		if (last > facts->last_ns)
			facts->last_ns = last;
		error = add_to_stream(reader, i, err);
	}
	if (!error)
		find_whole(reader);
	return error ? error : check_cursors(reader, err);
}

static int wrong_version(const struct reader *reader, const struct wire_header *header,
			 struct err *err)
{
	const char *writer = header->version < 2 ? "0.1" : header->writer;
	bool old = header->version < WIRE_VERSION;

	return err_set(
		err, EPROTO,
		"%s: format version %u, written by tptrace %s; tptrace %s reads version %u: %s%s",
		reader->path, header->version, writer, TPTRACE_VERSION, WIRE_VERSION,
		old ? "record the program again, or use tptrace " : "use a newer one",
		old ? writer : "");
}

static int check_header(struct reader *reader, uint64_t *first, struct err *err)
{
	struct wire_header header;

	if (reader->bytes == 0)
		return err_set(err, EPROTO, "%s: is empty", reader->path);
	if (reader->bytes < sizeof(header) ||
	    memcmp(reader->map, WIRE_MAGIC, sizeof(header.magic)) != 0)
		return err_set(err, EPROTO, "%s: is not a tptrace trace", reader->path);
	memcpy(&header, reader->map, sizeof(header));
	header.writer[sizeof(header.writer) - 1] = 0;
	if (header.version != WIRE_VERSION)
		return wrong_version(reader, &header, err);
	if (header.header_bytes < sizeof(header) || header.header_bytes > reader->bytes)
		return bad(reader, err, 12, "invalid header");
	*first = header.header_bytes;
	return 0;
}

static int map_file(struct reader *reader, struct err *err)
{
	struct stat st;
	void *map;

	if (fstat(reader->fd, &st) < 0)
		return err_set(err, errno, "%s: %s", reader->path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(err, EISDIR, "%s: is a directory", reader->path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%s: is not a regular file", reader->path);
	reader->bytes = (uint64_t)st.st_size;
	reader->facts.file_bytes = reader->bytes;
	if (reader->bytes > reader->source_bytes)
		reader->source_bytes = reader->bytes;
	if (reader->bytes == 0)
		return 0;
	map = mmap(NULL, reader->bytes, PROT_READ, MAP_PRIVATE, reader->fd, 0);
	if (map == MAP_FAILED)
		return err_set(err, errno, "%s: cannot map: %s", reader->path, strerror(errno));
	reader->map = map;
	return 0;
}

int reader_open_fd(struct reader **out, int fd, const char *path, uint64_t source_bytes,
		   struct err *err)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	uint64_t first = 0;
	int error;

	*out = NULL;
	if (!reader) {
		close(fd);
		return err_set(err, ENOMEM, "%s: out of memory", path);
	}
	reader->fd = fd;
	reader->path = strdup(path);
	reader->facts.path = reader->path;
	reader->source_bytes = source_bytes;
	error = map_file(reader, err);
	if (!error)
		error = check_header(reader, &first, err);
	if (!error)
		error = walk(reader, first, err);
	if (!error)
		error = timeline_read(&reader->timeline, &reader->defs, reader->path, err);
	if (!error)
		error = index_streams(reader, err);
	if (error) {
		reader_close(reader);
		return error;
	}
	*out = reader;
	return 0;
}

int reader_open(struct reader **out, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*out = NULL;
	if (fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	return reader_open_fd(out, fd, path, 0, err);
}

void reader_close(struct reader *reader)
{
	if (!reader)
		return;
	if (reader->map)
		munmap((void *)reader->map, reader->bytes);
	close(reader->fd);
	for (uint32_t i = 0; reader->stream && i < reader->facts.n_workers; i++)
		free(reader->stream[i].block);
	free(reader->stream);
	free(reader->block);
	free(reader->path);
	timeline_free(&reader->timeline);
	defs_free(&reader->defs);
	free(reader);
}

uint32_t reader_blocks(const struct reader *reader, uint32_t worker)
{
	return reader->stream[worker].n;
}

const struct wire_block *reader_block(const struct reader *reader, uint32_t worker, uint32_t i)
{
	return &reader->block[reader->stream[worker].block[i]];
}

/* The kernel maps pages as far as this around one that is read: those of blocks before, again. */
#define MAPPED_AROUND 65536u

/* What is read again comes from the file. */
static void let_go(const struct reader *reader, uint64_t from, uint64_t to)
{
	from -= from % MAPPED_AROUND;
	to += MAPPED_AROUND - to % MAPPED_AROUND;
	to = to < reader->bytes ? to : reader->bytes;
	madvise((void *)(reader->map + from), to - from, MADV_DONTNEED);
}

int reader_unpack(const struct reader *reader, const struct wire_block *block,
		  struct decoder *decoder, struct event *out, struct err *err)
{
	const char *what;
	uint64_t at = block->offset + sizeof(*block);
	int n = decode_block(decoder, block, reader->map + at, out, &what);

	let_go(reader, at, at + block->body_bytes);
	if (n == -ENOMEM)
		return err_set(err, ENOMEM, "%s: %s", reader->path, what);
	return n < 0 ? bad(reader, err, block->offset, what) : n;
}
