/* SPDX-License-Identifier: MIT */
/*
 * bytes.h - values as bytes, for another process of the same program, and back.
 *
 * One function goes through the parts of a value, be it to write or to read them, so that what it
 * consists of is said once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct spool;

struct bytes {
	FILE *out;	/* where parts are written to; NULL: they are read */
	const char *at; /* what is not read yet */
	size_t n;
	struct spool *spool; /* what arrays are read into; NULL: memory of malloc() */
};

/* What is read is shorter than it says, or contradicts itself: that ends the command. */
_Noreturn void bytes_wrong(void);

void bytes_pass(struct bytes *bytes, void *part, size_t n);
#define BYTES_PASS(bytes, part) bytes_pass(bytes, &(part), sizeof(part))
/* A text that is read is yours to free(); NULL stays NULL. */
void bytes_pass_text(struct bytes *bytes, char **text);
/* How many values follow, of so many bytes at least. */
void bytes_pass_n(struct bytes *bytes, uint32_t *n, size_t least);
/* *n values, and how many; what they are read into is NULL if there are none. */
void bytes_pass_array(struct bytes *bytes, void *array, uint32_t *n, size_t entry_bytes);
