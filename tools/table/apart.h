/* SPDX-License-Identifier: MIT */
/*
 * apart.h - names and places of a table's rows, cut so that they can be told apart.
 *
 * Names that fit_name() would cut to one text begin where they differ: `..int>::go`,
 * `..double>::go`.  A zeroed struct is empty.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct apart {
	struct apart_row *row; /* n */
	uint64_t n, room;
};

/* Copies both. */
void apart_add(struct apart *apart, const char *name, const char *place);

/* Cuts the rows that were added to that many columns. */
void apart_fit(struct apart *apart, int columns);

/* As fit_name() does; rows are counted from 0. */
void apart_put(FILE *out, const struct apart *apart, uint64_t row);

void apart_free(struct apart *apart);
