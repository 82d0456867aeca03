/* SPDX-License-Identifier: MIT */
/* to_sqlite.c - a database of SQLite: a table each, and views that join them by name. */
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/late.h"
#include "tools/base/xalloc.h"
#include "tools/export/format.h"
#include "tools/export/tables.h"
#include "tools/export/text.h"

/* clang-format off */
#define SQLITE_CALLS(CALL)									   \
	CALL(sqlite3_bind_double) CALL(sqlite3_bind_int64) CALL(sqlite3_bind_null)		   \
	CALL(sqlite3_bind_text) CALL(sqlite3_close) CALL(sqlite3_config) CALL(sqlite3_errmsg)	   \
	CALL(sqlite3_exec) CALL(sqlite3_finalize) CALL(sqlite3_open_v2)				   \
	CALL(sqlite3_prepare_v2) CALL(sqlite3_reset) CALL(sqlite3_step)
/* clang-format on */

static struct LATE_CALLS(SQLITE_CALLS) lib;
static const char *const lib_call[] = { LATE_NAMES(SQLITE_CALLS) };

#define APPLICATION_ID "0x74707472" /* "tptr" */

static const char before[] =
	"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
	"PRAGMA application_id = " APPLICATION_ID ";"
	"BEGIN;";

static const char views[] =
	"CREATE VIEW named_task AS SELECT t.*, k.function, k.file, k.line, k.what"
	" FROM task t JOIN kind k ON k.id = t.kind;"
	"CREATE VIEW named_strand AS SELECT s.*, s.end_ns - s.start_ns AS length_ns,"
	" s.start_ns - s.ready_ns AS delay_ns, t.name AS task_name, k.function, k.file, k.line"
	" FROM strand s JOIN task t ON t.id = s.task JOIN kind k ON k.id = t.kind;"
	"CREATE VIEW steal AS SELECT s.id AS strand, s.task, s.worker AS thief,"
	" v.worker AS victim, s.ready_ns, s.start_ns, s.start_ns - s.ready_ns AS delay_ns"
	" FROM strand s LEFT JOIN strand v ON v.id = s.released_by WHERE s.move = 'steal';"
	/* a collapsed strand is in the runtime, or held, when it does not work */
	"CREATE VIEW state_time AS SELECT worker, state, sum(ns) AS ns"
	" FROM (SELECT worker, state, to_ns - from_ns AS ns FROM interval"
	"  UNION ALL SELECT worker, 'running', work_ns - (end_ns - start_ns) FROM strand"
	"   WHERE task IS NOT NULL AND work_ns <> end_ns - start_ns"
	"  UNION ALL SELECT worker, 'runtime', end_ns - start_ns - work_ns - held_ns FROM strand"
	"   WHERE task IS NOT NULL AND work_ns <> end_ns - start_ns"
	"  UNION ALL SELECT worker, 'tracer', held_ns FROM strand WHERE held_ns > 0)"
	" GROUP BY worker, state HAVING ns > 0;"
	"CREATE VIEW ready_path AS SELECT * FROM named_strand WHERE on_ready_path = 1;";

#define ROWS 16u /* an insert: a step a row takes a third more CPU, more rows gain nothing */

/* A column that is stored, and what of the row in front of it counts: UINT32_MAX, nothing. */
struct stored {
	uint32_t less, since;
	enum sql_type type;
	bool is_stored, few;
};

/* What rows have in columns of few values, each once: `width` values behind each other. */
struct few_rows {
	struct value *value;
	uint32_t *before; /* by row: 1 + another one with the same hash; 0: none */
	uint64_t room, before_room;
	uint32_t width, n, last;
	struct map by_hash; /* 1 + the last row with that hash */
};

struct sqlite {
	sqlite3 *db;
	sqlite3_stmt *insert;
	struct stored stored[SQL_COLUMNS];
	int64_t value[SQL_COLUMNS + 1]; /* of this row; 0: null; the last one stays 0 */
	int bound;			/* what is bound of the insert */
	uint32_t n_rows;		/* of the insert */
	struct few_rows few;		/* of the table at hand, .. */
	struct few_rows written;	/* .. while they are written themselves */
	bool failed;
	char why[120]; /* the first time; what fails later is often its consequence */
};

static void check(struct sqlite *to, bool good)
{
	if (good || to->failed)
		return;
	to->failed = true;
	snprintf(to->why, sizeof(to->why), "%s", lib.sqlite3_errmsg(to->db));
}

/* ---- rows ---- */

static void store_integer(struct sqlite *to, int64_t value)
{
	check(to, lib.sqlite3_bind_int64(to->insert, ++to->bound, value) == SQLITE_OK);
}

static void take_text(struct sqlite *to, const char *value, enum sql_type type)
{
	if (type == SQL_HEX)
		store_integer(to, (int64_t)strtoull(value, NULL, 16));
	else
		check(to, lib.sqlite3_bind_text(to->insert, ++to->bound, text_utf8(value), -1,
						free) == SQLITE_OK);
}

static void take_value(struct sqlite *to, const struct value *value, uint32_t column)
{
	const struct stored *stored = &to->stored[column];

	to->value[column] = value->is == VALUE_INTEGER ? value->integer : 0;
	if (!stored->is_stored || stored->few)
		return;
	if (value->is == VALUE_INTEGER)
		store_integer(to, value->integer - to->value[stored->less] +
					  to->value[stored->since]);
	else if (value->is == VALUE_REAL)
		check(to, lib.sqlite3_bind_double(to->insert, ++to->bound, value->real) ==
				  SQLITE_OK);
	else if (value->is == VALUE_TEXT)
		take_text(to, value->text, stored->type);
	else
		check(to, lib.sqlite3_bind_null(to->insert, ++to->bound) == SQLITE_OK);
}

/* Texts of few are the tables' own, each in one place. */
static bool is_same(const struct value *a, const struct value *b)
{
	return a->is == b->is && (a->is == VALUE_NULL || a->integer == b->integer);
}

static bool are_same(const struct value *a, const struct value *b, uint32_t n)
{
	while (n && is_same(a, b))
		a++, b++, n--;
	return n == 0;
}

static uint64_t hash_of(const struct value *value, uint32_t n)
{
	uint64_t hash = MAP_HASH;

	for (uint32_t i = 0; i < n; i++)
		hash = map_hash_number(hash, value[i].is == VALUE_NULL ? UINT64_MAX
								       : (uint64_t)value[i].integer);
	return hash;
}

/* The number of the row with these values, made if it is new. */
static uint32_t number_of(struct few_rows *few, const struct value *value)
{
	uint64_t *last;
	uint32_t width = few->width, at = few->last;

	if (few->n && are_same(&few->value[at * width], value, width))
		return at; /* as mostly */
	last = map_put(&few->by_hash, hash_of(value, width));
	for (at = (uint32_t)*last; at && !are_same(&few->value[(at - 1) * width], value, width);)
		at = few->before[at - 1];
	if (!at) {
		array_grow(&few->value, &few->room, (few->n + 1ull) * width, sizeof(*value));
		memcpy(&few->value[few->n * width], value, width * sizeof(*value));
		ARRAY_ADD(few->before, few->n, few->before_room, (uint32_t)*last);
		*last = at = few->n;
	}
	return few->last = at - 1;
}

static void free_few(struct few_rows *few)
{
	free(few->value);
	free(few->before);
	map_free(&few->by_hash);
	*few = (struct few_rows){ 0 };
}

/* The first parameter says how many rows are bound: those of the last insert are fewer. */
static void insert_rows(struct sqlite *to)
{
	to->bound = 0;
	store_integer(to, to->n_rows);
	check(to, lib.sqlite3_step(to->insert) == SQLITE_DONE);
	lib.sqlite3_reset(to->insert);
	to->n_rows = 0;
}

static void take_row(void *context, const struct value *value, uint32_t n)
{
	struct sqlite *to = context;
	struct value few[SQL_COLUMNS];
	uint32_t n_few = 0;

	for (uint32_t column = 0; column < n; column++) {
		take_value(to, &value[column], column);
		if (to->stored[column].few)
			few[n_few++] = value[column];
	}
	if (n_few)
		store_integer(to, number_of(&to->few, few));
	if (++to->n_rows == ROWS)
		insert_rows(to);
}

/* ---- tables ---- */

static const struct sql_column *find_column(const struct sql_column *column, const char *name)
{
	while (strcmp(column->name, name) != 0)
		column++;
	return column;
}

static bool is_id(const struct sql_column *first)
{
	return first->type == SQL_INTEGER && strcmp(first->name, "id") == 0;
}

struct stored_as {
	bool other;	/* not all as they are */
	uint32_t n_few; /* columns */
};

/* How the values of the rows to come are stored. */
static struct stored_as set_stored(struct sqlite *to, const struct sql_column *column)
{
	struct stored_as as = { 0 };

	for (uint32_t i = 0; column[i].name; i++) {
		const struct sql_column *at = &column[i];

		to->stored[i] =
			(struct stored){ SQL_COLUMNS, SQL_COLUMNS, at->type, !at->is, at->few };
		if (at->less)
			to->stored[i].less = (uint32_t)(find_column(column, at->less) - column);
		if (at->since)
			to->stored[i].since = (uint32_t)(find_column(column, at->since) - column);
		as.other |= at->less || at->is || at->few || at->type == SQL_HEX;
		as.n_few += at->few;
	}
	return as;
}

/* The value of a column from what is stored. */
static void put_value(FILE *out, const struct export_table *table, const struct sql_column *column,
		      const struct sql_column *at)
{
	if (at->is) {
		fputs(at->is, out);
	} else if (at->few) {
		fprintf(out, "(SELECT \"%s\" FROM %s_few_stored AS f WHERE f.id = few)", at->name,
			table->name);
	} else if (at->type == SQL_HEX) {
		fprintf(out, "iif(%s IS NULL, NULL, printf('0x%%llx', %s))", at->name, at->name);
	} else {
		fprintf(out, "\"%s\"", at->name);
		if (at->less) {
			fputs(" + coalesce(", out);
			put_value(out, table, column, find_column(column, at->less));
			fputs(", 0)", out);
		}
		if (at->since) {
			fputs(" - coalesce(", out);
			put_value(out, table, column, find_column(column, at->since));
			fputs(", 0)", out);
		}
	}
}

/* A column of its own, where the row is stored. */
static bool has_own(const struct sql_column *column)
{
	return !column->is && !column->few;
}

static void put_create(FILE *out, const struct export_table *table, const struct sql_column *column,
		       struct stored_as as)
{
	static const char *const word[] = { [SQL_TEXT] = "TEXT", [SQL_REAL] = "REAL" };
	const char *next = "(";

	fprintf(out, "CREATE TABLE %s%s", table->name, as.other ? "_stored" : "");
	for (const struct sql_column *c = column; c->name; c++) {
		if (!has_own(c))
			continue;
		fprintf(out, "%s\"%s\" %s%s", next, c->name,
			word[c->type] ? word[c->type] : "INTEGER",
			c == column && is_id(c) ? " PRIMARY KEY" : "");
		next = ", ";
	}
	fprintf(out, as.n_few ? "%sfew INTEGER);" : ");", next);
	if (!as.other)
		return;
	fprintf(out, "CREATE VIEW %s AS SELECT ", table->name);
	for (const struct sql_column *c = column; c->name; c++) {
		if (c->hidden)
			continue;
		fputs(c == column ? "" : ", ", out);
		put_value(out, table, column, c);
		fprintf(out, " AS \"%s\"", c->name);
	}
	fprintf(out, " FROM %s_stored%s;", table->name, table->more ? table->more : "");
}

static void put_insert(FILE *out, const struct export_table *table, const struct sql_column *column,
		       struct stored_as as)
{
	const char *next = "VALUES(?2";

	fprintf(out, "INSERT INTO %s%s SELECT * FROM (", table->name, as.other ? "_stored" : "");
	for (uint32_t row = 0; row < ROWS; row++, next = "), (?") {
		for (const struct sql_column *c = column; c->name; c++) {
			if (!has_own(c))
				continue;
			fputs(next, out);
			next = ", ?";
		}
		fputs(as.n_few ? next : "", out);
	}
	fputs(")) LIMIT ?1", out);
}

/* The statement into which rows go, or those that make the table.  Freed by the caller. */
static char *statement(const struct export_table *table, const struct sql_column *column,
		       struct stored_as as, bool create)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = xopen_memstream(&text, &bytes);

	(create ? put_create : put_insert)(out, table, column, as);
	xclose_memstream(out);
	return text;
}

static void run_sql(struct sqlite *to, const char *sql)
{
	check(to, lib.sqlite3_exec(to->db, sql, NULL, NULL, NULL) == SQLITE_OK);
}

static void put_rows(struct sqlite *to, const struct export *export,
		    const struct export_table *table, const struct table *report)
{
	struct rows_to rows = { .context = to, .stores = true, .row = take_row };

	to->bound = 1;
	if (!to->failed)
		tables_put(export, table, report, &rows);
	if (to->n_rows && !to->failed)
		insert_rows(to);
	to->n_rows = 0;
}

static void write_rows(struct sqlite *to, const struct export *export,
		       const struct export_table *table, const struct table *report,
		       const struct sql_column *column)
{
	struct stored_as as = set_stored(to, column);
	FREED char *create = statement(table, column, as, true);
	FREED char *insert = statement(table, column, as, false);

	to->few.width = as.n_few;
	run_sql(to, create);
	check(to, lib.sqlite3_prepare_v2(to->db, insert, -1, &to->insert, NULL) == SQLITE_OK);
	put_rows(to, export, table, report);
	check(to, lib.sqlite3_finalize(to->insert) == SQLITE_OK);
	to->insert = NULL;
}

static void put_few(const struct export *export, const struct rows_to *rows)
{
	const struct few_rows *few = &((const struct sqlite *)rows->context)->written;
	struct value value[SQL_COLUMNS];

	(void)export;
	for (uint32_t i = 0; i < few->n; i++) {
		value[0] = value_of(i);
		memcpy(value + 1, &few->value[i * few->width], few->width * sizeof(*value));
		rows->row(rows->context, value, few->width + 1);
	}
}

/* The rows that its rows have the numbers of. */
static void write_few(struct sqlite *to, const struct export *export,
		      const struct export_table *table, const struct sql_column *column)
{
	struct sql_column own[SQL_COLUMNS + 1] = { { "id", .type = SQL_INTEGER } };
	FREED char *name = xasprintf("%s_few_stored", table->name);
	uint32_t n = 1;

	for (const struct sql_column *c = column; c->name; c++)
		if (c->few)
			own[n++] = (struct sql_column){ c->name, .type = c->type };
	to->written = to->few;
	to->few = (struct few_rows){ 0 };
	if (n > 1 && !to->failed)
		write_rows(to, export, &(struct export_table){ name, own, .put = put_few }, NULL,
			   own);
	free_few(&to->written);
}

/* What SQLite refuses is in *to, and ends it, too. */
static int write_table(void *context, const struct export *export, const struct export_table *table,
		       const struct table *report)
{
	struct sqlite *to = context;
	struct sql_column room[SQL_COLUMNS];
	const struct sql_column *column = tables_columns(table, report, room);

	tables_stage(export, table);
	write_rows(to, export, table, report, column);
	write_few(to, export, table, column);
	return to->failed ? -EIO : 0;
}

/* ---- the database ---- */

static void write_all(struct sqlite *to, const struct export *export, const char *path)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

	/* one thread, and nobody asks for its memory: no mutex around each value */
	lib.sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	check(to, lib.sqlite3_open_v2(path, &to->db, flags, NULL) == SQLITE_OK);
	run_sql(to, before);
	if (!to->failed)
		tables_each(export, write_table, to);
	run_sql(to, views);
	run_sql(to, "COMMIT");
	lib.sqlite3_close(to->db);
}

static int write_named(const struct export *export, const char *path, struct err *err)
{
	struct sqlite to = { 0 };

	write_all(&to, export, path);
	return to.failed ? err_set(err, EIO, "cannot write: %s", to.why) : 0;
}

static const char *load(void)
{
	return late_load(SQLITE_LIBRARY, lib_call, LATE_COUNT(lib_call), &lib);
}

const struct format format_sqlite = {
	.name = "sqlite",
	.suffix = ".sqlite",
	.reader = "sqlite3",
	.binary = true,
	.load = load,
	.named = write_named,
};
