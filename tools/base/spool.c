/* SPDX-License-Identifier: MIT */
/* spool.c - arrays one behind the other in a file; small ones are in memory. */
#include "tools/base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/base/map.h"
#include "tools/base/xalloc.h"

#define SMALL_BYTES (1u << 16) /* a mapping, and its page table, are not worth less */
/* Of pages that are mapped: more than a step of any pass over the arrays needs at a time, and less
 * than what the analysis of a usual trace takes. */
#define REST_BYTES (UINT64_C(64) << 20)

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- files ---- */

static int unnamed_in(const char *folder)
{
	char path[PATH_MAX];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || snprintf(path, sizeof(path), "%s/tptrace.XXXXXX", folder) >= PATH_MAX)
		return fd;
	fd = mkostemp(path, O_CLOEXEC); /* file systems without such files */
	if (fd >= 0)
		unlink(path);
	return fd;
}

int spool_file(void)
{
	const char *folder[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
	int fd = -1;

	for (size_t i = 0; i < sizeof(folder) / sizeof(folder[0]) && fd < 0; i++)
		if (folder[i] && folder[i][0])
			fd = unnamed_in(folder[i]);
	return fd < 0 ? memfd_create("tptrace", MFD_CLOEXEC) : fd;
}

void spooled_free(struct spooled *spooled)
{
	if (spooled->map)
		munmap(spooled->map, spooled->map_bytes);
	else
		free(spooled->at);
	*spooled = (struct spooled){ 0 };
}

static bool read_spooled(struct spooled *spooled, int fd, off_t from)
{
	spooled->at = malloc(spooled->n + 1);
	for (size_t done = 0; spooled->at && done < spooled->n;) {
		ssize_t got = pread(fd, spooled->at + done, spooled->n - done, from + (off_t)done);

		if (got <= 0) {
			spooled_free(spooled);
			return false;
		}
		done += (size_t)got;
	}
	if (spooled->at)
		spooled->at[spooled->n] = 0;
	return spooled->at != NULL;
}

bool spooled_map(struct spooled *spooled, int fd, off_t from, size_t n)
{
	size_t before = (size_t)((uint64_t)from % page_bytes());

	*spooled = (struct spooled){ .n = n };
	if (n < SMALL_BYTES)
		return read_spooled(spooled, fd, from);
	spooled->map_bytes = before + n;
	spooled->map = mmap(NULL, spooled->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    from - (off_t)before);
	if (spooled->map == MAP_FAILED) {
		*spooled = (struct spooled){ 0 };
		return false;
	}
	spooled->at = (char *)spooled->map + before;
	return true;
}

static bool write_whole(int fd, const char *from, size_t n)
{
	while (n) {
		ssize_t put = write(fd, from, n);

		if (put <= 0 && errno != EINTR)
			return false;
		from += put > 0 ? put : 0;
		n -= put > 0 ? (size_t)put : 0;
	}
	return true;
}

void spooled_move(struct spooled *spooled)
{
	struct spooled moved = { 0 };
	int fd = spooled->n < SMALL_BYTES || spooled->map ? -1 : spool_file();

	if (fd >= 0 && write_whole(fd, spooled->at, spooled->n) &&
	    spooled_map(&moved, fd, 0, spooled->n)) {
		spooled_free(spooled);
		*spooled = moved;
	}
	if (fd >= 0)
		close(fd);
}

/* ---- arrays ---- */

/* Room for it at the end of the file: without that, a full disk would be a signal. */
static bool map_behind(struct spool *spool, struct spooled *array)
{
	off_t n = (off_t)((array->n + page_bytes() - 1) / page_bytes() * page_bytes());

	if (!spool->fd)
		spool->fd = spool_file() + 1;
	if (!spool->fd || posix_fallocate(spool->fd - 1, spool->bytes, n) != 0 ||
	    !spooled_map(array, spool->fd - 1, spool->bytes, array->n))
		return false;
	spool->bytes += n;
	return true;
}

void *spool_array(struct spool *spool, uint64_t n, size_t entry_bytes)
{
	struct spooled array = { 0 };

	if (n > SIZE_MAX / 2 / entry_bytes)
		out_of_memory();
	array_grow(&spool->array, &spool->room, spool->n_arrays + 1, sizeof(array));
	array.n = n * entry_bytes;
	if (array.n < SMALL_BYTES || !map_behind(spool, &array))
		array = (struct spooled){ .at = xcalloc(n + 1, entry_bytes) };
	spool->array[spool->n_arrays++] = array;
	return array.at;
}

/* Bytes of files that this process has in memory, its code among them. */
static uint64_t shared_bytes(struct spool *spool)
{
	unsigned long long size, resident, shared;
	char text[128];
	ssize_t got;

	if (!spool->statm)
		spool->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC) + 1;
	got = spool->statm ? pread(spool->statm - 1, text, sizeof(text) - 1, 0) : -1;
	text[got > 0 ? got : 0] = 0;
	return sscanf(text, "%llu %llu %llu", &size, &resident, &shared) == 3
		       ? shared * page_bytes()
		       : 0;
}

void spool_rest(struct spool *spool)
{
	if (!spool->bytes || shared_bytes(spool) < REST_BYTES)
		return;
	for (uint64_t i = 0; i < spool->n_arrays; i++)
		if (spool->array[i].map)
			madvise(spool->array[i].map, spool->array[i].map_bytes, MADV_DONTNEED);
}

void spool_free(struct spool *spool)
{
	for (uint64_t i = 0; i < spool->n_arrays; i++)
		spooled_free(&spool->array[i]);
	free(spool->array);
	if (spool->fd)
		close(spool->fd - 1);
	if (spool->statm)
		close(spool->statm - 1);
	*spool = (struct spool){ 0 };
}
