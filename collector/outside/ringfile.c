/* SPDX-License-Identifier: MIT */
/* ringfile.c - finds, opens, locks, checks and removes a ring file, and copies what is in it. */
#include "collector/outside/ringfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "collector/drain/flight.h"
#include "collector/session/layout.h"
#include "collector/session/shared.h"
#include "collector/session/chunk.h"

/* More than any session has: a header that says more is none, and sizes what is allocated. */
#define LOG_MAX (UINT64_C(64) << 30)
#define EVENTS_MAX (1u << 27)

#define LOOK_NS 5000000000u /* who looks at a ring file has done so by then, or was stopped */
#define LOOK_POLL_US 2000

static int ring_bad(const struct ring *ring, const char *what, struct err *err)
{
	return err_set(err, EPROTO, "%s: %s", ring->path, what);
}

static bool read_at(int fd, void *out, size_t bytes, uint64_t at)
{
	char *to = out;

	while (bytes > 0) {
		ssize_t n = pread(fd, to, bytes, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		to += n;
		bytes -= (size_t)n;
		at += (uint64_t)n;
	}
	return true;
}

bool ring_named(const char *path)
{
	static const char start[] = RING_FOLDER "/" RING_PREFIX;

	return strncmp(path, start, sizeof(start) - 1) == 0 &&
	       !strchr(path + sizeof(RING_FOLDER), '/');
}

/* Its process has it locked as long as it lives, however it dies, and so has who recovers it; who
 * only looks shares the lock, for a moment. */
static int ring_lock(const struct ring *ring, enum ring_use use, struct err *err)
{
	const int how = (use == RING_TAKE ? LOCK_EX : LOCK_SH) | LOCK_NB;
	uint64_t until_ns = clock_monotonic_ns() + LOOK_NS;

	while (flock(ring->fd, how) < 0) {
		if (flock(ring->fd, LOCK_SH | LOCK_NB) < 0)
			return err_set(err, EBUSY,
				       "%s: in use: its process is alive, or another recover is at "
				       "it",
				       ring->path);
		flock(ring->fd, LOCK_UN);
		if (clock_monotonic_ns() > until_ns)
			return err_set(err, EAGAIN,
				       "%s: is being read by another tptrace; recover it when that "
				       "has ended",
				       ring->path);
		usleep(LOOK_POLL_US);
	}
	return 0;
}

int ring_open(struct ring *ring, const char *path, enum ring_use use, struct err *err)
{
	struct stat st;
	int error;

	if (strlen(path) >= sizeof(ring->path) || !ring_named(path))
		return err_set(err, EINVAL, "%s: invalid name of a ring file", path);
	strcpy(ring->path, path);
	/* anybody may make names in that folder: no links, and no pipe to wait for */
	ring->fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	error = ring->fd < 0 ? 0 : ring_lock(ring, use, err);
	if (error)
		return error;
	if (ring->fd < 0 ? errno == ENOENT : fstat(ring->fd, &st) == 0 && st.st_nlink == 0)
		return err_set(err, ENOENT, "%s: the ring file is gone; nothing to recover", path);
	if (ring->fd < 0 || fstat(ring->fd, &st) < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	/* who can write to it chooses what the trace says, and where recover writes */
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1 || st.st_mode & 077)
		return err_set(err, EPERM,
			       "%s: others may write to it; recover trusts only your own file",
			       path);
	ring->bytes = (uint64_t)st.st_size;
	ring->device = st.st_dev;
	ring->inode = st.st_ino;
	return 0;
}

/* "tptrace.PID.RANDOM", as collector/session/shared.c makes it. */
static bool named_exactly(const char *path)
{
	const char *at = path + sizeof(RING_FOLDER "/" RING_PREFIX) - 1;
	size_t digits = strspn(at, "0123456789");

	return digits && at[digits] == '.' && strspn(at + digits + 1, "0123456789abcdef") == 32 &&
	       at[digits + 33] == 0;
}

/* The process died while it made the file: there is no word of a session in it yet. */
static bool ring_is_empty(const struct ring *ring)
{
	static const char zero[sizeof(ring->session->magic)];
	char magic[sizeof(zero)];

	if (!named_exactly(ring->path))
		return false;
	return ring->bytes == 0 || (read_at(ring->fd, magic, sizeof(magic), 0) &&
				    memcmp(magic, zero, sizeof(zero)) == 0);
}

int ring_read(struct ring *ring, struct err *err)
{
	size_t bytes = shared_pages(sizeof(struct session));
	struct session *session = aligned_alloc(_Alignof(struct session), bytes);
	const struct chunk_sizes *chunks = &session->chunks;

	ring->session = session;
	if (!session)
		return err_set(err, ENOMEM, "%s: out of memory", ring->path);
	memset(session, 0, bytes);
	ring->is_empty = ring_is_empty(ring);
	if (ring->is_empty)
		return 0;
	if (!read_at(ring->fd, session, sizeof(*session), 0) ||
	    memcmp(session->magic, SESSION_MAGIC, sizeof(session->magic)) != 0)
		return ring_bad(ring, "is not a ring file", err);
	if (session->layout != SESSION_LAYOUT)
		return ring_bad(ring,
				"another version of tptrace wrote it; recover it with that "
				"version, or remove it",
				err);
	if (!chunks->n || chunks->slots < CHUNK_EVENTS_MIN || chunks->slots > CHUNK_EVENTS ||
	    chunks->n > EVENTS_MAX / chunks->slots ||
	    session->head_bytes != shared_pages(sizeof(*session)) ||
	    session->stride != shared_pages(worker_place(chunks)) ||
	    session->clock.source >= CLOCK_SOURCES || session->shift > 31)
		return ring_bad(ring, "invalid header", err);
	ring->n_workers = atomic_load(&session->n_workers);
	if (ring->n_workers > WIRE_WORKERS ||
	    ring->bytes < session->head_bytes + ring->n_workers * session->stride)
		return ring_bad(ring, "is truncated", err);
	session->trace[sizeof(session->trace) - 1] = 0;
	ring->worker = calloc(ring->n_workers + 1, sizeof(*ring->worker));
	return ring->worker ? 0 : err_set(err, ENOMEM, "%s: out of memory", ring->path);
}

bool ring_copy(const struct ring *ring, void *out, size_t bytes, uint64_t at)
{
	return read_at(ring->fd, out, bytes, at);
}

struct worker *ring_worker(void *arg, uint32_t index)
{
	struct ring *ring = arg;

	return index < ring->n_workers ? ring->worker[index] : NULL;
}

bool ring_has_blocks(const struct ring *ring)
{
	struct checkpoint written[2];

	/* two halves: the one that was being written when the process died may be torn */
	for (uint32_t i = 0; i < ring->n_workers; i++) {
		uint64_t at = ring->session->head_bytes + i * ring->session->stride;

		if (read_at(ring->fd, written, sizeof(written),
			    at + offsetof(struct worker, written)) &&
		    (written[0].n_blocks || written[1].n_blocks))
			return true;
	}
	return false;
}

bool ring_read_log(struct ring *ring)
{
	const struct session *session = ring->session;
	uint64_t at = session->flight_at, bytes = session->flight_bytes, used;
	struct flight_log head;

	if (bytes < FLIGHT_HEAD_BYTES || bytes > LOG_MAX || at > ring->bytes ||
	    ring->bytes - at < bytes || !read_at(ring->fd, &head, sizeof(head), at))
		return false;
	used = atomic_load(&head.end);
	if (used > bytes - FLIGHT_HEAD_BYTES)
		used = bytes - FLIGHT_HEAD_BYTES;
	used += FLIGHT_HEAD_BYTES;
	ring->log = aligned_alloc(64, (used + 63) & ~UINT64_C(63));
	if (!ring->log || !read_at(ring->fd, ring->log, used, at))
		return false;
	memcpy(ring->log, &head, sizeof(head)); /* as it was when `used` was reckoned */
	return true;
}

int ring_remove(const struct ring *ring)
{
	struct stat st;

	if (lstat(ring->path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (st.st_dev != ring->device || st.st_ino != ring->inode)
		return 0; /* another's by now */
	return unlink(ring->path) == 0 ? 0 : -errno;
}

void ring_close(struct ring *ring)
{
	for (uint32_t i = 0; ring->worker && i < ring->n_workers; i++)
		free(ring->worker[i]);
	free(ring->worker);
	free(ring->session);
	free(ring->log);
	if (ring->fd >= 0)
		close(ring->fd);
}

int ring_each(int (*use)(const char *path, void *arg), void *arg)
{
	DIR *folder = opendir(RING_FOLDER);
	char path[RING_PATH_MAX];
	struct dirent *entry;
	struct stat st;
	int found = 0;

	if (!folder)
		return -errno;
	while ((entry = readdir(folder)))
		if (snprintf(path, sizeof(path), RING_FOLDER "/%s", entry->d_name) <
			    (int)sizeof(path) &&
		    ring_named(path) && lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		    st.st_uid == geteuid())
			found |= use(path, arg);
	closedir(folder);
	return found;
}

/* Opens a file that has a session; -1 if it has none, or not yet. */
static int open_session(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char magic[sizeof(((struct session *)0)->magic)];

	if (fd >= 0 && read_at(fd, magic, sizeof(magic), offsetof(struct session, magic)) &&
	    memcmp(magic, SESSION_MAGIC, sizeof(magic)) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * A shared lock, so that many may ask at once; and only where there is a session, whose process has
 * had its lock for long: one that begins is not to find the file locked.
 */
bool ring_is_left(const char *path)
{
	int fd = open_session(path);
	bool left = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0;

	if (fd >= 0)
		close(fd);
	return left;
}

/* A search for the ring file of a trace. */
struct wanted {
	struct stat trace;
	char *out;
	size_t room;
};

/* Whether the session in a ring file writes the trace. */
static int writes_to(const char *ring, void *arg)
{
	const struct wanted *wanted = arg;
	uint64_t device, inode;
	int fd = open_session(ring);
	bool writes = fd >= 0 && read_at(fd, &device, 8, offsetof(struct session, trace_device)) &&
		      read_at(fd, &inode, 8, offsetof(struct session, trace_inode)) &&
		      device == wanted->trace.st_dev && inode == wanted->trace.st_ino;

	if (fd >= 0)
		close(fd);
	return writes && snprintf(wanted->out, wanted->room, "%s", ring) < (int)wanted->room;
}

bool ring_find(const char *trace, char *out, size_t room)
{
	struct wanted wanted = { .out = out, .room = room };

	return stat(trace, &wanted.trace) == 0 && ring_each(writes_to, &wanted) > 0;
}
