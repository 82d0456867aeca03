/* SPDX-License-Identifier: MIT */
/*
 * debugfile.h - finds the files of this machine that belong to a build id or a debug link.
 *
 * Only tools/names calls it.  Each function that opens gives a descriptor, yours to close(), of a
 * regular file that begins like ELF, or -errno (-ENOENT: no such file is the right one).  Devices
 * and pipes are refused without waiting for them, because paths come from the trace.  `roots` is a
 * colon-separated list of directories.  *path is malloc'd, and NULL whenever nothing was found.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#define BUILD_ID_BYTES 64u /* longer ones aren't read; ld makes 8, 16 or 20 */

struct build_id {
	uint8_t byte[BUILD_ID_BYTES];
	uint32_t n_bytes; /* 0: none */
};

int build_id_parse(struct build_id *id, const char *hex); /* 0, or -EINVAL; "" gives none */
void build_id_set(struct build_id *id, const void *bytes, ssize_t n_bytes); /* none, if n <= 0 */
void build_id_read(struct build_id *id, int fd); /* none, if the file has or gives none */
int build_id_same(const struct build_id *a, const struct build_id *b); /* no: if either is none */

int debugfile_open(const char *path);

/* <root>/.build-id/xx/yyyy<suffix>, if the file has this id itself. */
int debugfile_by_id(const char *roots, const struct build_id *id, const char *suffix, char **path);

/*
 * The file called `link` that belongs to the file `of`: that has the same id, or, where `of` has
 * none, this CRC.  A link with a slash is a path, from the directory of `of` unless absolute.
 */
int debugfile_by_link(const char *roots, const char *of, const char *link,
		      const struct build_id *id, uint32_t crc, char **path);

/* The vdso of this process, copied to a memory file. */
int debugfile_vdso(void);
