/* SPDX-License-Identifier: MIT */
/*
 * file.c - appends blocks to a trace file, and keeps it readable when that fails.
 *
 *	header | defs | w0 #0 | w1 #0 | defs | gaps, defs | index | footer
 *					     ^ trace_file_mark()   ^ trace_file_finish()
 *
 * A program that goes on after its end has more blocks: the first of them cuts the file at the
 * mark again.  A block that a full disk took half of is cut off, too; and
 * where room was reserved, `full` says that no more blocks come, and the end still goes into the
 * reserve.  So at each instant the file is a header and whole blocks, and perhaps one torn one.
 */
#include "collector/trace/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>

#include "collector/trace/create.h"
#include "collector/trace/encode.h"
#include "collector/trace/grow.h"
#include "collector/trace/stat.h"

#define INDEX_MORE 16u		 /* blocks of the end itself */
#define STORED_MOST (128u << 10) /* of a block of a zstd frame */
#define END_LEAST 1024u		 /* a few lines and gaps: less room is not asked for */

int trace_file_fail(struct trace_file *file, int code, const char *doing)
{
	int error = err_set(&file->err, code, "%s: %s: %s", file->path ? file->path : "trace",
			    doing, strerror(code));

	__atomic_store_n(&file->error, error, __ATOMIC_RELAXED); /* others may look (file.h) */
	return error;
}

static int file_write(int fd, const void *data, size_t bytes)
{
	const char *at = data;

	while (bytes > 0) {
		ssize_t n = write(fd, at, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0) /* no file does so, and we must not try for ever */
			return -EIO;
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static bool still_ours(const struct trace_file *file)
{
	return fd_has(file->fd, file->device, file->inode);
}

/* ---- room for the end ---- */

static int set_full(struct trace_file *file, int code)
{
	if (!file->full)
		err_set(&file->err, code, "%s: cannot write: %s", file->path ? file->path : "trace",
			strerror(code));
	__atomic_store_n(&file->full, -code, __ATOMIC_RELAXED);
	return -code;
}

static int write_zeros(int fd, uint64_t from, uint64_t to)
{
	static const char zeros[4096];

	while (from < to) {
		size_t left = to - from < sizeof(zeros) ? to - from : sizeof(zeros);
		ssize_t n = pwrite(fd, zeros, left, (off_t)from);

		if (n < 0 && errno != EINTR)
			return -errno;
		from += n > 0 ? (uint64_t)n : 0;
	}
	return 0;
}

/* The size stays that of what is written: a reader goes by it while the file grows. */
static int reserve(int fd, uint64_t from, uint64_t to)
{
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from)) == 0)
		return 0;
	if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO)
		return -errno;
	return write_zeros(fd, from, to); /* the file system cannot, or a filter forbids it */
}

static int reserve_to(struct trace_file *file, uint64_t to)
{
	uint64_t from = file->reserved > file->bytes ? file->reserved : file->bytes;
	struct rlimit most;
	int error = 0;

	if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < to)
		return -EFBIG;
	if (to > from)
		error = reserve(file->fd, from, to);
	if (!error && to > file->reserved)
		file->reserved = to;
	return error;
}

/* Sees to it that so many bytes can be written, and the end behind them. */
static int file_room(struct trace_file *file, uint64_t bytes)
{
	uint64_t index_bytes = (file->n_blocks + INDEX_MORE) * sizeof(*file->index);
	uint64_t gaps_bytes = (uint64_t)file->n_workers * TRACE_FILE_WORKER_BYTES;
	uint64_t to = file->bytes + bytes + index_bytes + gaps_bytes;
	int error;

	if (!file->reserve_bytes || file->marked) /* the end takes what was reserved for it */
		return 0;
	if (file->full)
		return file->full;
	error = reserve_to(file, to + file->reserve_bytes);
	/* on a disk that is nearly full from the start, a small reserve is better than no trace */
	while (error && !file->reserved && file->reserve_bytes >= 2 * END_LEAST) {
		file->reserve_bytes /= 2;
		error = reserve_to(file, to + file->reserve_bytes);
	}
	return error ? set_full(file, -error) : 0;
}

static int is_open(struct trace_file *file)
{
	if (file->error || still_ours(file))
		return file->error;
	return trace_file_fail(file, EBADF, "the program closed its descriptor");
}

int trace_file_room(struct trace_file *file, uint64_t bytes)
{
	int error = is_open(file);

	return error ? error : file_room(file, bytes);
}

int trace_file_no_memory(struct trace_file *file, const char *doing)
{
	return file->reserve_bytes && file->fd >= 0 ? set_full(file, ENOMEM)
						    : trace_file_fail(file, ENOMEM, doing);
}

/* What was written only in part: the file goes on before it.  The room behind stays reserved. */
static int take_back_piece(struct trace_file *file, int code)
{
	if (file->reserve_bytes && lseek(file->fd, (off_t)file->bytes, SEEK_SET) >= 0)
		return set_full(file, code);
	if (ftruncate(file->fd, (off_t)file->bytes) < 0)
		errno = 0; /* the reader finds the torn block by its check */
	return trace_file_fail(file, code, "cannot write");
}

/* ---- writing ---- */

static int write_pieces(const struct trace_file *file, const struct iovec *piece, int n_pieces)
{
	int error = 0;

	for (int i = 0; i < n_pieces && !error; i++)
		error = file_write(file->fd, piece[i].iov_base, piece[i].iov_len);
	return error;
}

/* Appends the pieces as one: all, or the file is cut back to where it was.  What belongs to the end
 * is tried twice: without it the reader takes what lies behind the last `whole` for unsure. */
static int file_append(struct trace_file *file, const struct iovec *piece, int n_pieces)
{
	uint64_t all = 0;
	int room, error;

	for (int i = 0; i < n_pieces; i++)
		all += piece[i].iov_len;
	room = trace_file_room(file, all);
	if (room)
		return room;
	error = write_pieces(file, piece, n_pieces);
	if (error && file->marked && lseek(file->fd, (off_t)file->bytes, SEEK_SET) >= 0)
		error = write_pieces(file, piece, n_pieces);
	if (error)
		return take_back_piece(file, -error);
	file->bytes += all;
	return 0;
}

int trace_file_on(struct trace_file *file, int fd, const char *path)
{
	struct wire_header header = { .version = WIRE_VERSION,
				      .header_bytes = sizeof(header),
				      .writer = TPTRACE_VERSION };
	struct iovec piece = { &header, sizeof(header) };
	struct stat st = { 0 };

	memcpy(header.magic, WIRE_MAGIC, sizeof(header.magic));
	*file = (struct trace_file){ .fd = fd, .path = strdup(path) };
	if (stat_fd(fd, &st) == 0) {
		file->device = st.st_dev;
		file->inode = st.st_ino;
	}
	return file_append(file, &piece, 1);
}

static int move_high(int fd)
{
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);

	if (high < 0)
		return fd;
	close(fd);
	return high;
}

int trace_file_begin(struct trace_file *file, const char *path)
{
	int fd = create_nameless(path);

	if (fd < 0)
		return -1; /* not every file system has files without a name */
	return trace_file_on(file, move_high(fd), path);
}

/* Whether the file has that name. */
static bool is_named(const struct trace_file *file, const char *path)
{
	struct stat st;

	return stat_path(path, &st) == 0 && st.st_dev == file->device && st.st_ino == file->inode;
}

int trace_file_name(struct trace_file *file, const char *path)
{
	char *copy = strdup(path);
	int error = !copy			 ? -ENOMEM
		    : is_named(file, file->path) ? create_moved(file->path, path)
						 : create_name(file->fd, path);

	if (error) {
		free(copy);
		return error;
	}
	free(file->path);
	file->path = copy;
	return 0;
}

/* EPERM alone could be anything. */
static const char *why_not(int code)
{
	if (code == CREATE_PLANTED)
		return "cannot create: another user's link or directory leads there";
	if (code == EPERM)
		return "cannot create: a system call filter or the directory's attributes "
		       "forbid it";
	return "cannot create";
}

/* Not even the header could be written: the name goes, if it still is this file's. */
static void take_back(struct trace_file *file, const char *path)
{
	if (is_named(file, path))
		unlink(path);
	close(file->fd);
	file->fd = -1;
}

int trace_file_create(struct trace_file *file, const char *path)
{
	int fd = create_file(path), code = fd < 0 ? -fd : 0;

	if (fd < 0) {
		*file = (struct trace_file){ .fd = -1, .path = strdup(path) };
		return trace_file_fail(file, code == CREATE_PLANTED ? EPERM : code, why_not(code));
	}
	if (trace_file_on(file, move_high(fd), path) < 0)
		take_back(file, path);
	return file->error;
}

int trace_file_go_on(struct trace_file *file)
{
	bool marked = file->finished && file->marked;

	file->finished = file->marked = false;
	if (!marked || file->error || is_open(file) < 0)
		return file->error;
	/* the index and footer go: a trace has one end, its last */
	if (ftruncate(file->fd, (off_t)file->end_bytes) < 0 ||
	    lseek(file->fd, (off_t)file->end_bytes, SEEK_SET) < 0)
		return trace_file_fail(file, errno, "cannot go on");
	file->bytes = file->end_bytes;
	file->n_blocks = file->end_blocks;
	return 0;
}

int trace_file_empty(struct trace_file *file)
{
	if (!still_ours(file) || ftruncate(file->fd, sizeof(struct wire_header)) < 0 ||
	    lseek(file->fd, sizeof(struct wire_header), SEEK_SET) < 0)
		return file->error ? file->error : trace_file_fail(file, EIO, "cannot go back");
	file->error = file->full = 0;
	file->err = (struct err){ 0 };
	file->reserved = 0;
	file->marked = file->finished = false;
	file->bytes = sizeof(struct wire_header);
	file->n_events = file->n_blocks = 0;
	file->n_workers = 0;
	return 0;
}

int trace_file_mark(struct trace_file *file)
{
	if (file->finished && trace_file_go_on(file) < 0)
		return file->error;
	file->end_bytes = file->bytes;
	file->end_blocks = file->n_blocks;
	file->marked = true;
	return file->error;
}

/* Both files end where their writing does: positions are not shared with anybody. */
static int copy_bytes(struct trace_file *to, const struct trace_file *from)
{
	static const size_t room = 1 << 16; /* too much for the stack of a thread in the program */
	char *piece = malloc(room);
	int error = piece ? 0 : -ENOMEM;

	while (to->bytes < from->bytes && !error) {
		uint64_t left = from->bytes - to->bytes;
		ssize_t n = pread(from->fd, piece, left < room ? left : room, (off_t)to->bytes);

		if (n < 0 && errno == EINTR)
			continue;
		error = n < 0 ? -errno : n == 0 ? -EIO : file_write(to->fd, piece, (size_t)n);
		to->bytes += n > 0 ? (uint64_t)n : 0;
	}
	free(piece);
	return error;
}

int trace_file_copy(struct trace_file *to, const struct trace_file *from, const char *path)
{
	int error = trace_file_create(to, path);

	if (error)
		return error;
	if (!grow(&to->index, 0, from->n_blocks, sizeof(*to->index)))
		return trace_file_fail(to, ENOMEM, "cannot keep the index");
	memcpy(to->index, from->index, from->n_blocks * sizeof(*to->index));
	to->n_blocks = from->n_blocks;
	to->n_events = from->n_events;
	error = still_ours(from) ? copy_bytes(to, from) : -EBADF;
	return error ? trace_file_fail(to, -error, "cannot copy the trace") : 0;
}

/* False without memory. */
static bool index_add(struct trace_file *file, const struct wire_block *block)
{
	if (!grow(&file->index, file->n_blocks, 1, sizeof(*file->index)))
		return false;
	file->index[file->n_blocks++] = *block;
	return true;
}

/* Whether a whole block stands there. */
static bool block_at(int fd, uint64_t at, uint64_t file_bytes, struct wire_block *block)
{
	return pread(fd, block, sizeof(*block), (off_t)at) == sizeof(*block) &&
	       block->magic == WIRE_BLOCK_MAGIC && block->offset == at &&
	       block_check(block) == block->check && block->body_bytes <= WIRE_BODY_MAX &&
	       file_bytes - at - sizeof(*block) >= block->body_bytes;
}

/* Whether the footer stands at the end of the blocks, and of the file. */
static bool has_end(const struct trace_file *file, uint64_t bytes)
{
	struct wire_footer footer;

	return bytes - file->bytes == sizeof(footer) &&
	       pread(file->fd, &footer, sizeof(footer), (off_t)file->bytes) == sizeof(footer) &&
	       memcmp(footer.magic, WIRE_FOOTER_MAGIC, sizeof(footer.magic)) == 0;
}

/* Walks from block to block, up to the last whole one. */
static int find_blocks(struct trace_file *file, uint64_t bytes)
{
	struct wire_header header;
	struct wire_block block;

	if (pread(file->fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.magic, WIRE_MAGIC, sizeof(header.magic)) != 0 ||
	    header.version != WIRE_VERSION || header.header_bytes != sizeof(header))
		return trace_file_fail(file, EPROTO, "is not a trace of this version");
	file->bytes = sizeof(header);
	while (block_at(file->fd, file->bytes, bytes, &block)) {
		if (!index_add(file, &block))
			return trace_file_fail(file, ENOMEM, "cannot keep the index");
		file->n_events += block.type == WIRE_EVENTS ? block.n_events : 0;
		file->bytes += sizeof(block) + block.body_bytes;
	}
	file->finished = has_end(file, bytes);
	return 0;
}

/* Opens a file as it is; its owner must be us, or anybody. */
static int open_made(struct trace_file *file, const char *path, int how, bool own)
{
	struct stat st;

	*file = (struct trace_file){ .fd = -1, .path = strdup(path) };
	file->fd = move_high(open(path, how | O_NONBLOCK | O_CLOEXEC)); /* no pipe to wait for */
	if (file->fd < 0 || stat_fd(file->fd, &st) < 0)
		return trace_file_fail(file, errno, "cannot open");
	if (!S_ISREG(st.st_mode) || (own && st.st_uid != geteuid()))
		return trace_file_fail(file, EPERM, "is not your file");
	file->device = st.st_dev;
	file->inode = st.st_ino;
	return find_blocks(file, (uint64_t)st.st_size);
}

int trace_file_resume(struct trace_file *file, const char *path)
{
	/* the path is from memory that the program could write to: no link */
	return open_made(file, path, O_RDWR | O_NOFOLLOW, true);
}

int trace_file_look(struct trace_file *file, const char *path)
{
	return open_made(file, path, O_RDONLY, false);
}

int trace_file_cut(struct trace_file *file)
{
	file->finished = false;
	if (ftruncate(file->fd, (off_t)file->bytes) == 0 &&
	    lseek(file->fd, (off_t)file->bytes, SEEK_SET) >= 0)
		return 0;
	return trace_file_fail(file, errno, "cannot cut to its last whole block");
}

/* piece[0] is for the block's header, the others are its body. */
static int put_pieces(struct trace_file *file, struct wire_block *block, struct iovec *piece,
		      int n_pieces)
{
	int error;

	if (file->finished && trace_file_go_on(file) < 0)
		return file->error;
	block->magic = WIRE_BLOCK_MAGIC;
	block->flags |= file->flags;
	block->offset = file->bytes; /* so a block copied elsewhere is not taken for one there */
	block->check = block_check(block);
	piece[0] = (struct iovec){ block, sizeof(*block) };
	error = file_append(file, piece, n_pieces);
	if (error)
		return error;
	if (block->type == WIRE_EVENTS && block->worker >= file->n_workers)
		file->n_workers = block->worker + 1;
	file->n_events += block->n_events;
	if (!index_add(file, block)) {
		file->unindexed = true;
		trace_file_no_memory(file, "cannot keep the index");
	}
	return file->error;
}

int trace_file_put(struct trace_file *file, struct wire_block *block, const void *body)
{
	struct iovec piece[2] = { [1] = { (void *)body, block->body_bytes } };

	return put_pieces(file, block, piece, 2);
}

/*
 * Appends raw bytes in a frame that has them as they are, which takes no memory: magic, a
 * descriptor that says that the size follows, and one raw block, the last [RFC 8878, 3.1.1].
 */
static void put_stored(struct trace_file *file, struct wire_block *block, const void *raw)
{
	uint32_t bytes = block->raw_bytes, words[] = { 0xfd2fb528, bytes, bytes << 3 | 1 };
	uint8_t head[12] = { [4] = 0xa0 };
	struct iovec piece[3] = { [1] = { head, sizeof(head) }, [2] = { (void *)raw, bytes } };

	memcpy(head, &words[0], 4);
	memcpy(head + 5, &words[1], 4);
	memcpy(head + 9, &words[2], 3);
	block->body_bytes = (uint32_t)sizeof(head) + bytes;
	put_pieces(file, block, piece, 3);
}

/* Packs raw bytes into a frame and appends it as a block of that type. */
static void put_packed(struct trace_file *file, enum wire_block_type type, const void *raw,
		       size_t bytes)
{
	struct wire_block block = { .type = (uint16_t)type, .raw_bytes = (uint32_t)bytes };
	size_t room = ZSTD_compressBound(bytes);
	void *packed = malloc(room);
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t n = 0;

	if (type == WIRE_INDEX) /* a reader without it goes from block to block */
		block.flags = WIRE_BLOCK_OPTIONAL;
	if (packed && zstd) {
		/* block_check() covers the header alone */
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
		n = ZSTD_compress2(zstd, packed, room, raw, bytes);
	}
	block.body_bytes = (uint32_t)n;
	if (bytes > WIRE_BODY_MAX)
		trace_file_fail(file, EFBIG, "too many definitions at once");
	else if (n && !ZSTD_isError(n))
		trace_file_put(file, &block, packed);
	else if (bytes <= STORED_MOST) /* there is room for it: what can be missing is memory */
		put_stored(file, &block, raw);
	else if (type != WIRE_INDEX)
		trace_file_no_memory(file, "cannot write definitions");
	ZSTD_freeCCtx(zstd);
	free(packed);
}

uint32_t trace_file_blocks_of(const struct trace_file *file, uint32_t worker, uint64_t *last_units)
{
	uint32_t n = 0;

	for (uint64_t i = 0; i < file->n_blocks; i++) {
		const struct wire_block *block = &file->index[i];

		if (block->type != WIRE_EVENTS || block->worker != worker)
			continue;
		n++;
		*last_units = block->last_units;
	}
	return n;
}

int trace_file_put_defs(struct trace_file *file, const char *text, size_t bytes)
{
	if (!file->error && bytes)
		put_packed(file, WIRE_DEFS, text, bytes);
	return file->error;
}

int trace_file_finish(struct trace_file *file)
{
	struct wire_footer footer = { .index_offset = file->bytes };
	struct iovec piece = { &footer, sizeof(footer) };
	uint64_t n = file->n_blocks;
	int error;

	memcpy(footer.magic, WIRE_FOOTER_MAGIC, sizeof(footer.magic));
	if (file->error)
		return file->error;
	/* a longer index would be refused by readers, which manage without */
	if (!file->unindexed && n * sizeof(*file->index) <= WIRE_BODY_MAX)
		put_packed(file, WIRE_INDEX, file->index, n * sizeof(*file->index));
	error = file->error; /* a full file may have no room for its index */
	for (int i = 0; i < 2 && !file->error && (i == 0 || error); i++)
		error = file_append(file, &piece, 1); /* once more, where room is reserved for it */
	if (file->reserve_bytes && ftruncate(file->fd, (off_t)file->bytes) < 0)
		errno = 0; /* the reader knows what zeros behind the end are */
	file->reserved = 0;
	file->finished = error == 0;
	return error;
}

void trace_file_replace(struct trace_file *file, struct trace_file *earlier)
{
	char *path = earlier->path;

	if (!file->error && path && is_named(earlier, path) && is_named(file, file->path) &&
	    rename(file->path, path) == 0) {
		earlier->path = file->path;
		file->path = path;
	}
	trace_file_close(earlier);
}

void trace_file_close(struct trace_file *file)
{
	if (still_ours(file))
		close(file->fd);
	free(file->index);
	free(file->path);
	*file = (struct trace_file){ .fd = -1 };
}
