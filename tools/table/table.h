/* SPDX-License-Identifier: MIT */
/*
 * table.h - a table of figures, declared once: for the screen, JSON, CSV and SQL.
 *
 *	column	a figure of each row: its key in data, its title on the screen, where it is
 *	row	an element of an array of structs, of which most columns are fields
 *	below	tables of a row: who waited for a lock, say.  On the screen lines below its own,
 *		in JSON arrays of its object
 *
 * Times are ns.  A figure that is not known is null in data, and `-` on the screen.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/table/json.h"
#include "tools/table/look.h"
#include "tools/table/places.h"

#define TABLE_TEXT 1024		   /* a path's name */
#define TABLE_UNKNOWN JSON_UNKNOWN /* as a number: null */

struct table;

enum column_type {
	COLUMN_NUMBER,
	COLUMN_NS,
	COLUMN_BOOL,
	COLUMN_REAL,  /* one decimal on the screen */
	COLUMN_SHARE, /* per cent; on the screen alone */
	COLUMN_TEXT,
	COLUMN_CODE,  /* in data three: its name, "file" and "line" .. */
	COLUMN_PLACE, /* .. or four: "module", too */
};

enum { FOR_JSON = 1, FOR_CSV = 2, FOR_SQL = 4 };

struct column {
	const char *key;   /* in data; NULL: on the screen alone */
	const char *title; /* on the screen; NULL: in data alone */
	enum column_type type;
	unsigned only; /* FOR_..; 0: for all of them */

	/* Where it is: a field of the row (COLUMN_FIELD), a text a pointer or an array of chars; or
	 * what one of these gives. */
	size_t offset, bytes, known; /* known: a field says whether it is (COLUMN_KNOWN) */
	/* what has the field, if not the row; NULL: null */
	const void *(*within)(const struct table *table, uint32_t row);
	uint64_t (*number)(const struct table *table, uint32_t row);
	double (*real)(const struct table *table, uint32_t row); /* not finite: null */
	const char *const *word; /* of a text: its field is a number in there */
	const char *(*text)(const struct table *table, uint32_t row, char room[TABLE_TEXT]);
	struct place (*place)(const struct table *table, uint32_t row);
	/* writes it in JSON, where it alone is */
	void (*json)(struct json *to, const char *key, const struct table *table, uint32_t row);
	/* whether a row has it: else null, and in JSON no member; NULL: all have, .. */
	bool (*has)(const struct table *table, uint32_t row);
	bool optional; /* .. or none where it is null, or a text is empty */

	const char *format; /* of a real, in data: of one double */
	bool quoted;	    /* its key, in CSV: a name out of a trace */
	const char *diff;   /* its key there, of a number that runs are compared by; NULL: none */
	/* On the screen: */
	int width;
	int drop;	     /* left out of a narrow one, the largest first; 0: never .. */
	int name_least;	     /* .. unless names have so many columns, or all they want */
	bool hide;	     /* left out if no row has any */
	bool blank;	     /* 0 is blank */
	const char *unknown; /* for null, if not "-" */
	const char *shown;   /* format of a real: of its width and one double; NULL: one decimal */
	const char *under;   /* of a table below: the key of the column that it is under */
};

#define COLUMN_FIELD(type, field)                                                                  \
	.offset = offsetof(type, field), .bytes = sizeof(((type *)0)->field)
#define COLUMN_KNOWN(type, field) .known = offsetof(type, field) + 1

struct table {
	const char *name;    /* its key in JSON: "locks" */
	const char *heading; /* on the screen, above it */
	const char *title;   /* of the names, on the screen: "lock" */
	const struct column *column;
	uint32_t n_columns;
	const void *of; /* what the functions of its columns want .. */
	const void *by; /* .. and what else, where a table is of several things */
	void *own;	/* what table_close() gives to free_own, or to free(); NULL */
	void (*free_own)(void *own);

	const void *row;
	size_t row_bytes;
	uint32_t n;
	uint32_t n_more; /* rows that are left out */

	/* On the screen: the name of a row, and where that is; NULL: its first column is a place.
	 */
	const char *(*label)(const struct table *table, uint32_t row, char room[TABLE_TEXT]);
	const char *(*where)(const struct table *table, uint32_t row, char room[TABLE_TEXT]);
	bool (*is_shown)(const struct table *table, uint32_t row); /* NULL: all are */
	bool (*is_row)(const struct table *table, uint32_t row);   /* also in data; NULL: all are */
	int names_least,
		names_most; /* columns of names: 0, 0: all that is left; else as they want */
	const char *empty;  /* instead of a table without rows; NULL: none */
	bool has_rest;	    /* those that are left out are one row, behind the last */
	/* what there is to say of it, on the screen below it */
	void (*after)(FILE *out, const struct table *table, const struct look *look);

	/* The tables below a row: how many, at most TABLE_BELOW. */
	int (*below)(const struct table *table, uint32_t row, struct table *to);
	/* Other members of a row's object in JSON. */
	void (*members)(struct json *to, const struct table *table, uint32_t row);
};

#define TABLE_BELOW 2
#define TABLE_ROWS(array, count) .row = (array), .row_bytes = sizeof(*(array)), .n = (count)
#define TABLE_COLUMNS(columns)                                                                     \
	.column = (columns), .n_columns = sizeof(columns) / sizeof((columns)[0])

/* NULL if rows are numbers alone. */
static inline const void *table_row(const struct table *table, uint32_t row)
{
	return table->row ? (const char *)table->row + row * table->row_bytes : NULL;
}

static inline void table_close(struct table *table)
{
	if (table->free_own)
		table->free_own(table->own);
	else
		free(table->own);
}

/* look->n_most rows, and how many there are besides. */
void table_put_text(FILE *out, const struct table *table, const struct look *look);
/* "key":{..}, or {..} */
void table_put_json_row(struct json *to, const char *key, const struct table *table, uint32_t row);
/* "name":[{..},..] */
void table_put_json(struct json *to, const struct table *table);
/* A place as members: its name as `key`, "file" and "line"; and "module", but for COLUMN_CODE. */
void table_put_json_place(struct json *to, const char *key, const struct place *place,
			  enum column_type type);
/* A line for each row, each with the path in front if that is not NULL. */
void table_put_csv(FILE *out, const struct table *table, const char *path, bool header);
