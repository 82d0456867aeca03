/* SPDX-License-Identifier: MIT */
/* bytes.h - values as bytes, for another process of the same program, and back. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What is not read yet. */
struct bytes {
	const char *at;
	size_t n;
	bool short_of; /* some, or of memory: all that is read from then on is zero */
};

void bytes_put(FILE *out, const void *value, size_t n);
void bytes_put_text(FILE *out, const char *text); /* NULL stays NULL */

void bytes_get(struct bytes *bytes, void *out, size_t n);
char *bytes_get_text(struct bytes *bytes); /* yours to free(); or NULL */
/* How many values of so many bytes, at least, follow. */
uint32_t bytes_get_n(struct bytes *bytes, size_t least);
