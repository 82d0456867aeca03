/* SPDX-License-Identifier: MIT */
/*
 * leaves.h - appends tables to a database of SQLite, page by page [sqlite.org/fileformat2.html].
 *
 * SQLite takes a microsecond for a row, which was most of what an export took.  Rows that come in
 * the order of their ids, and have integers alone, need nothing of what it does.  SQLite has made
 * the table, and nobody has the file open meanwhile.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LEAVES_PAGE 4096u  /* bytes of a page of the database */
#define LEAVES_COLUMNS 40u /* a row of so many integers fits a page */

struct leaf_value {
	int64_t value;
	bool is_null;
};

struct leaf_child {
	uint32_t page;
	int64_t last; /* the largest id in there */
};

struct leaves {
	int fd;
	uint32_t n; /* pages of the file */
	uint32_t root;
	unsigned char page[LEAVES_PAGE]; /* the leaf that is filled .. */
	uint32_t n_rows, top;		 /* .. with so many rows, from its end down to there */
	int64_t last;			 /* id of the row before */
	struct leaf_child *child;	 /* the pages below the level that is written next */
	uint64_t n_children, room;
	int error; /* the first: -errno */
};

/* A database with pages of LEAVES_PAGE bytes.  0 or -errno. */
int leaves_open(struct leaves *leaves, const char *path);
/* Rows from now on are of the empty table with that root. */
void leaves_begin(struct leaves *leaves, uint32_t root);
/* Ids grow from row to row.  Columns that are left out at the end have their default. */
void leaves_row(struct leaves *leaves, int64_t id, const struct leaf_value *value, uint32_t n);
void leaves_end(struct leaves *leaves);	 /* of the table */
int leaves_close(struct leaves *leaves); /* 0, or the first error */
