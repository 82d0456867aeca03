/* SPDX-License-Identifier: MIT */
/* defs_fields.h - the lines of things that have numbers: their words and fields, for who writes
 * them and for who reads them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How a value is kept, and written.  NUMBER: in hex; PARENT: it is a lower number than the entry's
 * own, so that no path is endless; MODULE: as 1 more. */
enum defs_form {
	FORM_TEXT,
	FORM_NUMBER,
	FORM_NUMBER32,
	FORM_MODULE,
	FORM_PARENT,
	FORM_KERNEL,
	FORM_OP
};

/* KEY=VALUE */
struct defs_field {
	const char *key; /* NULL behind the last */
	enum defs_form form;
	uint32_t at;   /* in the entry */
	uint32_t most; /* of a NUMBER32 */
	bool always;   /* a 0 is written, too */
};

/* By enum defs_numbered. */
extern const struct defs_numbered_line {
	const char *word;
	const struct defs_field *field;
} defs_numbered_line[];
