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

#include <stdbool.h>
#include <stdint.h>

struct image;

/* Takes the descriptor, also when it fails.  path is where it was opened, roots as in debugfile.h:
 * both borrowed until image_free().  0 or -errno. */
int image_open(struct image **out, int fd, const char *path, const char *roots);
void image_free(struct image *image); /* NULL is fine */

/* NULL if not known.  *start is the first byte of the part of the function that vaddr is in. */
const char *image_function(struct image *image, uint64_t vaddr, uint64_t *start);
/* The first byte of a function whose name is not known; 0: that is neither. */
uint64_t image_begin(struct image *image, uint64_t vaddr);

/*
 * What stands at vaddr, function by function: those that were inlined there, the innermost first,
 * then the one that they were inlined into.  How many, at least 1.
 */
#define IMAGE_FRAMES 65u
struct image_frame {
	const char *function; /* NULL if not known */
	const char *owner; /* of a lambda without a name of its own: the function around it; NULL */
	const char *file;  /* NULL if not known */
	uint32_t line;
};
uint32_t image_frames(struct image *image, uint64_t vaddr, struct image_frame frame[IMAGE_FRAMES]);

/* The variable that has the byte at vaddr, and where it begins; NULL if not known. */
const char *image_object(struct image *image, uint64_t vaddr, uint64_t *start);

/* Where the user's code begins that the method at vaddr runs, of a task class of oneTBB; or NULL.
 */
const char *image_code(struct image *image, uint64_t vaddr, uint32_t *line);

/* Where the function at vaddr is declared; NULL: not known. */
const char *image_declared(struct image *image, uint64_t vaddr, uint32_t *line);

/* The function that the line of the file is in, by where the unit's functions begin; or NULL.
 * *several: other functions begin there, too: instances of a template. */
const char *image_around(struct image *image, uint64_t vaddr, const char *file, uint32_t line,
			 bool *several);

/* File, first and last line of the function of that name; NULL if not known. */
const char *image_extent(struct image *image, const char *function, uint32_t *first,
			 uint32_t *last);

/*
 * File and line, or NULL.  Of several rows of the line table at vaddr the last one counts, which
 * is the innermost of inlined code; but if vaddr begins a function, the first, its own.
 */
const char *image_line(struct image *image, uint64_t vaddr, int is_begin, uint32_t *line);
