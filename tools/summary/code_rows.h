/* SPDX-License-Identifier: MIT */
/*
 * code_rows.h - stack samples by kind and function, each function with the user's line that called
 * it.
 *
 * A function of the user's own code has no caller here, and its line is the one with the most of
 * its samples.
 */
#pragma once

#include "tools/run/sampled.h"
#include "tools/table/places.h"

struct code_row {
	kind_id kind;	     /* CODE_NO_KIND: of no task */
	uint8_t state;	     /* enum state */
	uint8_t spot;	     /* enum code_spot */
	bool copies, counts; /* spot_copies(), spot_counts() */
	struct place code;   /* the innermost function */
	struct place caller; /* the innermost of the user's code around it; name NULL: none */
	bool is_own;	     /* the innermost function is the user's */
	const char *header;  /* the library's, whose code was inlined there; NULL */
	const char *called;  /* what the caller called, by its stack; NULL: not known */
	uint64_t n, n_beside, n_kernel; /* samples with a CPU: struct code_cell */
	uint64_t n_together, n_apart;	/* .. and was at the same spot */
	uint64_t n_line;		/* of the n, those at the function's line */
	uint64_t n_asleep, asleep_ns;
	uint64_t cpu_ns; /* what the n stand for; UINT64_MAX: not known */
	double share;	 /* of all samples with a CPU */
};

struct code_rows {
	struct code_row *row; /* the most samples first */
	uint32_t n;
	struct kind_spots spots; /* of these, for findings */
	char **kept;		 /* n_kept texts */
	uint32_t n_kept;
	uint64_t kept_room;
};

/* What the user's code calls there, or is. */
const char *code_row_function(const struct code_row *row);
/* The user's line; NULL: the stack that was sampled ends before any of the user's code. */
const struct place *code_row_user(const struct code_row *row);

/* Of that run. */
void code_rows_build(struct code_rows *rows, const struct sampled *sampled, const struct run *run);
/* A copy of a text, as long as they live. */
const char *code_rows_keep(struct code_rows *rows, const char *text);
void code_rows_free(struct code_rows *rows); /* a zeroed one is fine */
