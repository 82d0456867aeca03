/* SPDX-License-Identifier: MIT */
/* follow.c - reads a growing trace, and copies its last blocks. */
#include "tools/top/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "collector/trace/file.h"
#include "collector/trace/note.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"
#include "tools/top/part_end.h"
#include "tools/base/written.h"

#define SYNCS_MOST (64u << 10) /* bytes of points: of 200 s at least, at 60 bytes each 0.2 s */

static int read_failed(const struct follow *follow, struct err *err)
{
	return err_set(err, errno, "%s: %s", follow->path, strerror(errno));
}

int follow_open(struct follow *follow, const char *path, struct err *err)
{
	struct wire_header header;

	*follow = (struct follow){ .path = xstrdup(path), .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (follow->fd < 0)
		return read_failed(follow, err);
	if (pread(follow->fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.magic, WIRE_MAGIC, sizeof(header.magic)) != 0 ||
	    header.version != WIRE_VERSION)
		return err_set(err, EPROTO, "%s: no trace of this version of tptrace", path);
	follow->at = header.header_bytes;
	return 0;
}

void follow_close(struct follow *follow)
{
	if (follow->path && follow->fd >= 0)
		close(follow->fd);
	free(follow->path);
	free(follow->block);
	free(follow->lines.at);
	free(follow->syncs.at);
	free(follow->names.at);
	free(follow->watermark.at);
	*follow = (struct follow){ .fd = -1 };
}

/* ---- definitions ---- */

static void lines_add(struct follow_lines *lines, const char *text, size_t n)
{
	array_grow(&lines->at, &lines->room, lines->n + n, 1);
	memcpy(lines->at + lines->n, text, n);
	lines->n += n;
}

static bool begins(const char *line, size_t n, const char *word)
{
	return n > strlen(word) && memcmp(line, word, strlen(word)) == 0;
}

/* The first point stays: times count from there. */
static void thin_syncs(struct follow_lines *syncs)
{
	const char *first = memchr(syncs->at, '\n', syncs->n);
	size_t kept = first ? (size_t)(first + 1 - syncs->at) : 0;
	const char *from = memchr(syncs->at + syncs->n / 2, '\n', syncs->n - syncs->n / 2);

	if (!from)
		return;
	from++;
	memmove(syncs->at + kept, from, syncs->n - (size_t)(from - syncs->at));
	syncs->n -= (size_t)(from - syncs->at) - kept;
}

/* Stacks and CPU times are of no use here, and many. */
static void keep_line(struct follow *follow, const char *line, size_t n)
{
	static const char *const left[] = { "cpu ", "frame ", "stack ", "sample ", "meta names " };

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		if (begins(line, n, left[i]))
			return;
	if (begins(line, n, "whole ")) {
		follow->watermark.n = 0;
		lines_add(&follow->watermark, line, n);
		return;
	}
	if (begins(line, n, "sync ")) {
		if (follow->syncs.n > SYNCS_MOST)
			thin_syncs(&follow->syncs);
		lines_add(&follow->syncs, line, n);
		return;
	}
	follow->n_sites += begins(line, n, "site ");
	lines_add(&follow->lines, line, n);
}

static void keep_lines(struct follow *follow, const char *text, size_t n)
{
	while (n) {
		const char *end = memchr(text, '\n', n);
		size_t line = end ? (size_t)(end + 1 - text) : n;

		if (end)
			keep_line(follow, text, line);
		text += line;
		n -= line;
	}
}

/* The block's body; malloc'ed.  NULL and *err. */
static void *read_body(const struct follow *follow, const struct wire_block *block, struct err *err)
{
	void *body = xmalloc(block->body_bytes + 1ull);

	if (pread(follow->fd, body, block->body_bytes, (off_t)(block->offset + sizeof(*block))) ==
	    (ssize_t)block->body_bytes)
		return body;
	errno = errno ? errno : EIO;
	read_failed(follow, err);
	free(body);
	return NULL;
}

static int read_definitions(struct follow *follow, const struct wire_block *block, struct err *err)
{
	FREED char *body = read_body(follow, block, err);
	FREED char *text = xmalloc(block->raw_bytes + 1ull);
	size_t n;

	if (!body)
		return err->code;
	n = ZSTD_decompress(text, block->raw_bytes, body, block->body_bytes);
	if (ZSTD_isError(n) || n != block->raw_bytes)
		return err_set(err, EPROTO, "%s: at byte %llu: an invalid block", follow->path,
			       (unsigned long long)block->offset);
	keep_lines(follow, text, n);
	return 0;
}

void follow_name(struct follow *follow, void (*put)(FILE *out, const void *of), const void *of)
{
	size_t bytes;
	FREED char *text = written(put, of, &bytes);

	follow->names.n = 0;
	lines_add(&follow->names, text, bytes);
	follow->n_named = follow->n_sites;
}

/* ---- blocks ---- */

static void add_block(struct follow *follow, const struct wire_block *block)
{
	if (block->worker >= WIRE_WORKERS || block->n_events == 0)
		return;
	ARRAY_ADD(follow->block, follow->n_blocks, follow->block_room, *block);
	if (block->worker >= follow->n_workers)
		follow->n_workers = block->worker + 1;
}

/* The trace went on after its end, which is taken back: what was read of it is forgotten. */
static int again(struct follow *follow, struct err *err)
{
	FREED char *path = xstrdup(follow->path);

	follow_close(follow);
	return follow_open(follow, path, err);
}

int follow_read(struct follow *follow, struct err *err)
{
	uint64_t begin = follow->at;
	struct wire_block block;
	struct stat st;
	int error = 0;

	if (fstat(follow->fd, &st) < 0)
		return read_failed(follow, err);
	if ((uint64_t)st.st_size < follow->at)
		error = again(follow, err);
	while (!error &&
	       pread(follow->fd, &block, sizeof(block), (off_t)follow->at) == sizeof(block) &&
	       block.magic == WIRE_BLOCK_MAGIC && block.offset == follow->at &&
	       block.check == block_check(&block) && block.body_bytes <= WIRE_BODY_MAX &&
	       block.raw_bytes <= WIRE_BODY_MAX && block.n_events <= ENCODE_EVENTS_MAX &&
	       block.type != WIRE_INDEX &&
	       follow->at + sizeof(block) + block.body_bytes <= (uint64_t)st.st_size) {
		if (block.type == WIRE_DEFS)
			error = read_definitions(follow, &block, err);
		else if (block.type == WIRE_EVENTS)
			add_block(follow, &block);
		follow->at += sizeof(block) + block.body_bytes;
	}
	return error ? error : follow->at != begin;
}

/* ---- a part ---- */

/* Where the part begins: for each worker, the number of its first block in block[]. */
struct cut {
	uint64_t *first; /* n_workers; UINT64_MAX: it has none */
	uint64_t n_events;
	bool whole;
};

static bool is_in(const struct cut *cut, const struct wire_block *block, uint64_t i)
{
	return i >= cut->first[block->worker];
}

/* Each worker's blocks that end after `since`, and the one before these. */
static void cut_at(const struct follow *follow, uint64_t since, struct cut *cut)
{
	cut->n_events = 0;
	cut->whole = true;
	for (uint32_t w = 0; w < follow->n_workers; w++)
		cut->first[w] = UINT64_MAX;
	for (uint64_t i = 0; i < follow->n_blocks; i++) {
		const struct wire_block *block = &follow->block[i];

		if (block->last_units < since || cut->first[block->worker] == UINT64_MAX)
			cut->first[block->worker] = i;
	}
	for (uint64_t i = 0; i < follow->n_blocks; i++)
		if (is_in(cut, &follow->block[i], i))
			cut->n_events += follow->block[i].n_events;
		else
			cut->whole = false;
}

#define SHORTEST_UNITS 10000000u /* 10 ms: shorter parts say little */

/* As long as is wanted; all, if that is no more events than may be. */
static void cut_find(const struct follow *follow, const struct follow_wanted *wanted,
		     struct cut *cut)
{
	uint64_t newest = 0, length = 2 * wanted->ns; /* a unit is half a ns at least */

	cut->first = xcalloc(follow->n_workers + 1ull, sizeof(*cut->first));
	for (uint64_t i = 0; i < follow->n_blocks; i++)
		if (follow->block[i].last_units > newest)
			newest = follow->block[i].last_units;
	cut_at(follow, 0, cut);
	while (cut->n_events > wanted->n_events && length > SHORTEST_UNITS) {
		cut_at(follow, newest > length ? newest - length : 0, cut);
		length /= 2;
	}
}

static void put_definitions(const struct follow *follow, struct trace_file *file)
{
	const struct follow_lines *all[] = { &follow->lines, &follow->syncs, &follow->watermark,
					     follow->n_named == follow->n_sites ? &follow->names
										: NULL };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] && all[i]->n)
			trace_file_put_defs(file, all[i]->at, all[i]->n);
}

/* The task whose strand runs when a block is over; 0: none. */
static int running_after(const struct follow *follow, const struct wire_block *block,
			 uint64_t *running, struct err *err)
{
	FREED struct event *event = xcalloc(block->n_events, sizeof(*event));
	FREED void *body = read_body(follow, block, err);
	struct decoder *decoder = decoder_new() ?: (out_of_memory(), NULL);
	const char *what;
	int n;

	*running = 0;
	n = body ? decode_block(decoder, block, body, event, &what) : 0;
	decoder_free(decoder);
	for (int i = 0; i < n; i++)
		*running = part_running(&event[i], *running);
	if (!body)
		return err->code;
	return n >= 0 ? 0
		      : err_set(err, -n, "%s: at byte %llu: %s", follow->path,
				(unsigned long long)block->offset, what);
}

/* Says what is missing of the worker before its first block. */
static int put_gap(const struct follow *follow, struct trace_file *file, struct encoder *encoder,
		   uint64_t at, struct part *part, struct err *err)
{
	const struct wire_block *first = &follow->block[at], *before = NULL;
	struct note_place place = { .worker = first->worker,
				    .units = follow->block[0].first_units,
				    .n_ids = first->first_id };
	struct note_gap gap = { .since = place.units, .why = WIRE_LOSS_OLD };
	int error = 0;

	for (uint64_t i = 0; i < at; i++)
		if (follow->block[i].worker == first->worker) {
			before = &follow->block[i];
			gap.n += before->n_events;
		}
	gap.until = before ? before->last_units : first->first_units;
	if (gap.until > part->known_units)
		part->known_units = gap.until;
	if (before)
		error = running_after(follow, before, &place.running, err);
	if (!error)
		note_put(file, encoder, &place, &gap, 1);
	return error;
}

static int put_blocks(const struct follow *follow, struct trace_file *file, int fd,
		      const struct cut *cut, struct part *part, struct err *err)
{
	struct encoder *encoder = encoder_new();
	FREED uint32_t *seqno = xcalloc(follow->n_workers + 1ull, sizeof(*seqno));
	int error = encoder ? 0 : err_no_memory(err);

	for (uint64_t i = 0; i < follow->n_blocks && !error; i++) {
		struct wire_block block = follow->block[i];
		FREED void *body = NULL;

		if (!is_in(cut, &block, i))
			continue;
		if (seqno[block.worker] == 0 && block.seqno > 0) {
			error = put_gap(follow, file, encoder, i, part, err);
			seqno[block.worker] = 1;
		}
		body = error ? NULL : read_body(follow, &block, err);
		if (!body)
			error = err->code;
		block.seqno = seqno[block.worker]++;
		if (body)
			trace_file_put(file, &block, body);
	}
	if (!error && !file->error)
		error = part_end_put(file, fd, encoder, seqno, &part->end, err);
	if (encoder)
		encoder_free(encoder);
	if (!error && file->error)
		error = err_set(err, -file->error, "%s", file->err.text);
	return error;
}

static uint64_t begin_of(const struct follow *follow)
{
	uint64_t begin = UINT64_MAX;

	for (uint64_t i = 0; i < follow->n_blocks; i++)
		if (follow->block[i].seqno == 0 && follow->block[i].first_units < begin)
			begin = follow->block[i].first_units;
	return begin;
}

int follow_part(struct follow *follow, const struct follow_wanted *wanted, struct part *part,
		struct err *err)
{
	struct trace_file file = { .fd = -1 };
	struct cut cut = { 0 };
	int fd = -1, error;

	*part = (struct part){ 0 };
	cut_find(follow, wanted, &cut);
	fd = memfd_create("tptrace-top", MFD_CLOEXEC);
	error = fd < 0 ? err_set(err, errno, "memory of a part: %s", strerror(errno)) : 0;
	if (!error)
		trace_file_on(&file, dup(fd), follow->path);
	if (!error) {
		put_definitions(follow, &file);
		error = put_blocks(follow, &file, fd, &cut, part, err);
	}
	if (!error)
		trace_file_finish(&file);
	trace_file_close(&file);
	part->n_events = cut.n_events;
	part->begin_units = begin_of(follow);
	part->whole = cut.whole;
	free(cut.first);
	if (error && fd >= 0)
		close(fd);
	return error ? error : fd;
}
