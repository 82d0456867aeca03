/* SPDX-License-Identifier: MIT */
/* kept.c - a trace's names, looked up once and written behind its events. */
#include "tools/run/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/trace/file.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"

/* ---- the names ---- */

#define OBJECTS_MOST 256u		/* that get names */
#define EVENTS_MOST (UINT64_C(1) << 24) /* of larger traces objects are looked up at the report */

/* Names the objects that a worker's tasks waited for. */
static int put_objects_of(const struct reader *reader, uint32_t worker, const struct sites *sites,
			  struct map *seen, FILE *out)
{
	const struct event *event;
	AT_END(cursor_close) struct cursor cursor;
	struct err err;
	int more = 1;

	cursor_open(&cursor, reader, worker);
	while (more > 0 && seen->n < OBJECTS_MOST &&
	       (more = cursor_next(&cursor, &event, &err)) > 0) {
		uint64_t *known = event->kind == WIRE_OBJECT ? map_put(seen, event->b) : NULL;

		if (known && !(*known)++)
			sites_put_object(sites, event->b, out);
	}
	return more;
}

static void put_objects(const struct reader *reader, const struct sites *sites, FILE *out)
{
	const struct reader_facts *facts = reader_facts(reader);
	AT_END(map_free) struct map seen = { 0 };

	for (uint32_t w = 0; facts->n_events <= EVENTS_MOST && w < facts->n_workers; w++)
		if (put_objects_of(reader, w, sites, &seen, out) < 0)
			break;
}

/* ---- into the trace ---- */

#define PIECE_BYTES (1u << 22) /* of definitions, in one block */

static int amend_fail(struct err *err, int code, const char *path, const char *doing)
{
	return err_set(err, code, "%s: %s: %s", path, doing, strerror(code));
}

/* Where the index begins, which the footer says; the copy ends there. */
static int find_end(int fd, const char *path, uint64_t *end, struct stat *st, struct err *err)
{
	struct wire_footer footer;
	off_t at;

	if (fstat(fd, st) < 0)
		return amend_fail(err, errno, path, "cannot read");
	if (!S_ISREG(st->st_mode))
		return amend_fail(err, EINVAL, path, "not a regular file");
	at = st->st_size - (off_t)sizeof(footer);
	if (at < 0 || pread(fd, &footer, sizeof(footer), at) != sizeof(footer) ||
	    memcmp(footer.magic, WIRE_FOOTER_MAGIC, sizeof(footer.magic)) != 0 ||
	    footer.index_offset > (uint64_t)at)
		return err_set(err, EPROTO,
			       "%s: the trace did not end cleanly; `tptrace recover` may end it",
			       path);
	*end = footer.index_offset;
	return 0;
}

static int bytes_copy(int from, int to, uint64_t n_bytes)
{
	uint64_t done = 0;

	while (done < n_bytes) {
		size_t left = n_bytes - done < SSIZE_MAX ? (size_t)(n_bytes - done) : SSIZE_MAX;
		off_t in = (off_t)done, out = (off_t)done;
		ssize_t n = copy_file_range(from, &in, to, &out, left, 0);
		char piece[1 << 16];

		if (n < 0) { /* the file system cannot */
			n = pread(from, piece, left < sizeof(piece) ? left : sizeof(piece),
				  (off_t)done);
			if (n > 0)
				n = pwrite(to, piece, (size_t)n, (off_t)done);
		}
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (uint64_t)n;
	}
	return 0;
}

/* Whole lines, in blocks that are not too long. */
static int put_lines(struct trace_file *file, const char *lines, size_t bytes)
{
	while (bytes > 0) {
		size_t n = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;

		while (n < bytes && lines[n - 1] != '\n')
			n++;
		if (trace_file_put_defs(file, lines, n) < 0)
			return file->error;
		lines += n;
		bytes -= n;
	}
	return 0;
}

/* The copy goes on and ends.  It has no name that anybody looks for, yet. */
static int end_copy(const char *beside, const char *lines, size_t bytes, uint64_t most_bytes,
		    struct err *err)
{
	AT_END(trace_file_close) struct trace_file file;
	int error = trace_file_resume(&file, beside) ?: trace_file_cut(&file) ?:
		    put_lines(&file, lines, bytes) ?: trace_file_finish(&file);

	*err = file.err;
	if (!error && most_bytes && file.bytes > most_bytes)
		error = err_set(err, EFBIG, "%s: its maximum size leaves no room", beside);
	return error;
}

/* Whether the name still stands for the file that was copied: its owner may have removed it. */
static bool file_is_same(const char *real, const struct stat *copied)
{
	struct stat now;

	return stat(real, &now) == 0 && now.st_dev == copied->st_dev &&
	       now.st_ino == copied->st_ino;
}

/* Appends lines of definitions.  `most_bytes`: the file gets no longer than that; 0: it may. */
static int amend(const char *path, const char *lines, size_t bytes, uint64_t most_bytes,
		 struct err *err)
{
	char *real = realpath(path, NULL), *beside = NULL;
	int from = real ? open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1, to = -1;
	struct stat st;
	uint64_t end = 0;
	int error = from < 0 ? amend_fail(err, errno, path, "cannot open") : 0;

	if (!error)
		error = find_end(from, path, &end, &st, err);
	/* a copy takes its place: who reads the trace meanwhile has one or the other, whole */
	if (!error)
		beside = xasprintf("%s.names-XXXXXX", real);
	if (!error && (to = mkostemp(beside, O_CLOEXEC)) < 0)
		error = amend_fail(err, errno, path, "cannot write beside it");
	if (!error) {
		error = fchmod(to, st.st_mode & 07777) < 0 ? -errno : bytes_copy(from, to, end);
		if (error)
			amend_fail(err, -error, beside, "cannot write");
		else
			error = end_copy(beside, lines, bytes, most_bytes, err);
		if (!error && !file_is_same(real, &st))
			error = amend_fail(err, ENOENT, path,
					   "cannot put the new file in its place");
		if (!error && rename(beside, real) < 0)
			error = amend_fail(err, errno, path,
					   "cannot put the new file in its place");
		if (error)
			unlink(beside);
	}
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	free(beside);
	free(real);
	return error;
}

bool kept_is_wanted(const struct defs *defs)
{
	const char *names = defs_meta(defs, "names");

	return names && strcmp(names, "later") == 0;
}

int kept_put(const struct reader *reader, const struct sites *sites, struct err *err)
{
	const char *path = reader_facts(reader)->path;
	FREED char *lines = NULL;
	size_t bytes = 0;
	FILE *out = xopen_memstream(&lines, &bytes);

	sites_put(sites, out);
	put_objects(reader, sites, out);
	xclose_memstream(out);
	return amend(path, lines, bytes, defs_meta_number(reader_defs(reader), "max_size"), err);
}

int kept_leave(const char *path, struct err *err)
{
	static const char line[] = "meta names later\n";

	return amend(path, line, sizeof(line) - 1, 0, err);
}
