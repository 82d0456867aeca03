/* SPDX-License-Identifier: MIT */
/* debugfile.c - looks where gdb and the distributions put separate debug files. */
#define _GNU_SOURCE 1 /* asprintf(), memfd_create() */
#include "tools/names/debugfile.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a candidate must be, to be taken. */
struct wanted {
	const struct build_id *id;
	uint32_t crc;	  /* of the whole file; counts only if there's no id */
	struct stat not ; /* and never this file: the one that asks */
};

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c | 0x20) : NULL;

	return at ? (int)(at - digits) : -1;
}

int build_id_parse(struct build_id *id, const char *hex)
{
	size_t n_bytes = strlen(hex) / 2;

	memset(id, 0, sizeof(*id));
	if (strlen(hex) % 2 || n_bytes > BUILD_ID_BYTES)
		return -EINVAL;
	for (size_t i = 0; i < n_bytes; i++) {
		int high = hex_digit(hex[2 * i]);
		int low = hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		id->byte[i] = (uint8_t)(high << 4 | low);
	}
	id->n_bytes = (uint32_t)n_bytes;
	return 0;
}

void build_id_set(struct build_id *id, const void *bytes, ssize_t n_bytes)
{
	memset(id, 0, sizeof(*id));
	if (n_bytes <= 0 || n_bytes > (ssize_t)BUILD_ID_BYTES)
		return;
	memcpy(id->byte, bytes, (size_t)n_bytes);
	id->n_bytes = (uint32_t)n_bytes;
}

void build_id_read(struct build_id *id, int fd)
{
	const void *bytes = NULL;
	ssize_t n_bytes = 0;
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);

	if (elf)
		n_bytes = dwelf_elf_gnu_build_id(elf, &bytes);
	build_id_set(id, bytes, n_bytes);
	elf_end(elf);
}

int build_id_same(const struct build_id *a, const struct build_id *b)
{
	return a->n_bytes && a->n_bytes == b->n_bytes && !memcmp(a->byte, b->byte, a->n_bytes);
}

int debugfile_open(const char *path)
{
	char magic[SELFMAG];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && pread(fd, magic, SELFMAG, 0) == SELFMAG &&
	    !memcmp(magic, ELFMAG, SELFMAG))
		return fd;
	close(fd);
	return -ENOEXEC;
}

/* The CRC of .gnu_debuglink: zlib's crc32(), half a byte at a time. */
static uint32_t crc_of(int fd)
{
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	unsigned char buf[16384];
	uint32_t crc = UINT32_MAX;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			crc = table[(crc ^ buf[i]) & 15] ^ crc >> 4;
			crc = table[(crc ^ buf[i] >> 4) & 15] ^ crc >> 4;
		}
		at += n;
	}
	return ~crc;
}

static int is_wanted(const struct wanted *wanted, int fd)
{
	struct build_id id;
	struct stat st;

	if (fstat(fd, &st) ||
	    (st.st_dev == wanted->not .st_dev && st.st_ino == wanted->not .st_ino))
		return 0;
	if (!wanted->id->n_bytes)
		return crc_of(fd) == wanted->crc;
	build_id_read(&id, fd);
	return build_id_same(&id, wanted->id);
}

/* Open the file that the format gives, if it's the one wanted. */
__attribute__((format(printf, 3, 4))) static int candidate(const struct wanted *wanted, char **path,
							   const char *format, ...)
{
	va_list args;
	int fd;

	va_start(args, format);
	if (vasprintf(path, format, args) < 0)
		*path = NULL;
	va_end(args);
	fd = *path ? debugfile_open(*path) : -ENOMEM;
	if (fd >= 0 && !is_wanted(wanted, fd)) {
		close(fd);
		fd = -ENOENT;
	}
	if (fd < 0) {
		free(*path);
		*path = NULL;
	}
	return fd;
}

/* The next of a colon-separated list of directories; 0 at the end. */
static int next_root(const char **roots, const char **root)
{
	int length;

	*roots += strspn(*roots, ":");
	*root = *roots;
	length = (int)strcspn(*roots, ":");
	*roots += length;
	return length;
}

int debugfile_by_id(const char *roots, const struct build_id *id, const char *suffix, char **path)
{
	struct wanted wanted = { .id = id };
	char hex[2 * BUILD_ID_BYTES + 1] = "";
	const char *root;
	int length, fd = -ENOENT;

	*path = NULL;
	if (id->n_bytes < 2)
		return -ENOENT;
	for (uint32_t i = 0; i < id->n_bytes; i++)
		snprintf(hex + (size_t)2 * i, 3, "%02x", id->byte[i]);
	while (fd < 0 && (length = next_root(&roots, &root)))
		fd = candidate(&wanted, path, "%.*s/.build-id/%.2s/%s%s", length, root, hex,
			       hex + 2, suffix);
	return fd;
}

/* As debugfile_by_link(), for the one directory that `of` names. */
static int link_from(const struct wanted *wanted, const char *roots, const char *of,
		     const char *link, char **path)
{
	const char *slash = strrchr(of, '/');
	const char *dir = slash ? of : ".";
	int n_dir = slash ? (int)(slash - of) : 1;
	const char *root;
	int length, fd;

	fd = candidate(wanted, path, "%.*s/%s", n_dir, dir, link);
	if (fd < 0)
		fd = candidate(wanted, path, "%.*s/.debug/%s", n_dir, dir, link);
	while (fd < 0 && (length = next_root(&roots, &root)))
		fd = candidate(wanted, path, "%.*s/%.*s/%s", length, root, n_dir, dir, link);
	return fd;
}

int debugfile_by_link(const char *roots, const char *of, const char *link,
		      const struct build_id *id, uint32_t crc, char **path)
{
	struct wanted wanted = { .id = id, .crc = crc };
	char *real = realpath(of, NULL);
	int fd;

	*path = NULL;
	if (stat(of, &wanted.not ))
		memset(&wanted.not, 0, sizeof(wanted.not ));
	if (link[0] == '/')
		fd = candidate(&wanted, path, "%s", link);
	else
		fd = link_from(&wanted, roots, of, link, path);
	if (fd < 0 && link[0] != '/' && real)
		fd = link_from(&wanted, roots, real, link, path);
	free(real);
	return fd;
}

int debugfile_vdso(void)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *ehdr = (const void *)image;
	size_t n_bytes;
	int fd;

	if (!image)
		return -ENOENT;
	n_bytes = ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, image, n_bytes) == (ssize_t)n_bytes)
		return fd;
	close(fd);
	return -EIO;
}
