/* SPDX-License-Identifier: MIT */
/*
 * image.h - one ELF file and its debug information, asked by ELF address (vaddr).
 *
 * Only tools/names calls it.  The file, and all that it says, may be corrupt: libelf and libdw
 * check what they read, and what they refuse is simply not known here.  But it's mapped: a file
 * cut short while it's open means SIGBUS.  Strings live until image_free(), and are as the file
 * has them: mangled.
 */
#pragma once

#include <stdint.h>

struct image;

/* Takes the descriptor, also when it fails.  path is where it was opened, roots as in debugfile.h:
 * both borrowed until image_free().  0 or -errno. */
int image_open(struct image **out, int fd, const char *path, const char *roots);
void image_free(struct image *image); /* NULL is fine */

/* NULL if not known.  *start is the first byte of the part of the function that vaddr is in. */
const char *image_function(struct image *image, uint64_t vaddr, uint64_t *start);

/*
 * File and line, or NULL.  Of several rows of the line table at vaddr the last one counts, which
 * is the innermost of inlined code; but if vaddr begins a function, the first, its own.
 */
const char *image_line(struct image *image, uint64_t vaddr, int is_begin, uint32_t *line);
