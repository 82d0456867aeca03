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

#define WORDS_MOST 64u /* of waits, edges, moves and states */
#define ROWS 16u       /* an insert: a step a row takes a third more CPU, more rows gain nothing */

/* A column that is stored, and what of the row in front of it counts: UINT32_MAX, nothing. */
struct stored {
	uint32_t less, since;
	enum sql_type type;
	bool is_stored;
};

struct sqlite {
	sqlite3 *db;
	sqlite3_stmt *insert;
	struct stored stored[SQL_COLUMNS];
	int64_t value[SQL_COLUMNS + 1]; /* of this row; 0: null; the last one stays 0 */
	int bound;			/* what is bound of the insert */
	uint32_t n_rows;		/* of the insert */
	const char *word[WORDS_MOST];
	uint32_t n_words;
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

/* Its number in the table `word`. */
static void take_word(struct sqlite *to, const char *text)
{
	uint32_t i = 0;

	while (i < to->n_words && to->word[i] != text)
		i++;
	if (i == to->n_words)
		for (i = 0; i < to->n_words && strcmp(to->word[i], text) != 0;)
			i++;
	check(to, i < WORDS_MOST);
	if (i == to->n_words && i < WORDS_MOST)
		to->word[to->n_words++] = text;
	store_integer(to, i);
}

static void take_text(struct sqlite *to, const char *value, enum sql_type type)
{
	if (type == SQL_WORD)
		take_word(to, value);
	else if (type == SQL_HEX)
		store_integer(to, (int64_t)strtoull(value, NULL, 16));
	else
		check(to, lib.sqlite3_bind_text(to->insert, ++to->bound, text_utf8(value), -1,
						free) == SQLITE_OK);
}

static void take_value(struct sqlite *to, const struct value *value, uint32_t column)
{
	const struct stored *stored = &to->stored[column];

	to->value[column] = value->is == VALUE_INTEGER ? value->integer : 0;
	if (!stored->is_stored)
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

	for (uint32_t column = 0; column < n; column++)
		take_value(to, &value[column], column);
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

/* How the values of the rows to come are stored.  Whether that is not as they are. */
static bool set_stored(struct sqlite *to, const struct sql_column *column)
{
	bool other = false;

	for (uint32_t i = 0; column[i].name; i++) {
		const struct sql_column *at = &column[i];

		to->stored[i] = (struct stored){ SQL_COLUMNS, SQL_COLUMNS, at->type, !at->is };
		if (at->less)
			to->stored[i].less = (uint32_t)(find_column(column, at->less) - column);
		if (at->since)
			to->stored[i].since = (uint32_t)(find_column(column, at->since) - column);
		other |= at->less || at->is || at->type == SQL_WORD || at->type == SQL_HEX;
	}
	return other;
}

/* The value of a column from what is stored. */
static void put_value(FILE *out, const struct sql_column *column, const struct sql_column *at)
{
	if (at->is) {
		fputs(at->is, out);
	} else if (at->type == SQL_WORD) {
		fprintf(out, "(SELECT text FROM word WHERE word.id = \"%s\")", at->name);
	} else if (at->type == SQL_HEX) {
		fprintf(out, "iif(%s IS NULL, NULL, printf('0x%%llx', %s))", at->name, at->name);
	} else {
		fprintf(out, "\"%s\"", at->name);
		if (at->less) {
			fputs(" + coalesce(", out);
			put_value(out, column, find_column(column, at->less));
			fputs(", 0)", out);
		}
		if (at->since) {
			fputs(" - coalesce(", out);
			put_value(out, column, find_column(column, at->since));
			fputs(", 0)", out);
		}
	}
}

static void put_create(FILE *out, const struct export_table *table, const struct sql_column *column,
		       bool other)
{
	static const char *const word[] = { [SQL_TEXT] = "TEXT", [SQL_REAL] = "REAL" };

	fprintf(out, "CREATE TABLE %s%s(", table->name, other ? "_stored" : "");
	for (const struct sql_column *c = column; c->name; c++)
		if (!c->is)
			fprintf(out, "%s\"%s\" %s%s", c == column ? "" : ", ", c->name,
				word[c->type] ? word[c->type] : "INTEGER",
				c == column && is_id(c) ? " PRIMARY KEY" : "");
	fputs(");", out);
	if (!other)
		return;
	fprintf(out, "CREATE VIEW %s AS SELECT ", table->name);
	for (const struct sql_column *c = column; c->name; c++) {
		if (c->hidden)
			continue;
		fputs(c == column ? "" : ", ", out);
		put_value(out, column, c);
		fprintf(out, " AS \"%s\"", c->name);
	}
	fprintf(out, " FROM %s_stored%s;", table->name, table->more ? table->more : "");
}

static void put_insert(FILE *out, const struct export_table *table, const struct sql_column *column,
		       bool other)
{
	const char *next = "VALUES(?2";

	fprintf(out, "INSERT INTO %s%s SELECT * FROM (", table->name, other ? "_stored" : "");
	for (uint32_t row = 0; row < ROWS; row++, next = "), (?")
		for (const struct sql_column *c = column; c->name; c++) {
			if (c->is)
				continue;
			fputs(next, out);
			next = ", ?";
		}
	fputs(")) LIMIT ?1", out);
}

/* The statement into which rows go, or those that make the table.  Freed by the caller. */
static char *statement(const struct export_table *table, const struct sql_column *column,
		       bool other, bool create)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = xopen_memstream(&text, &bytes);

	(create ? put_create : put_insert)(out, table, column, other);
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
	tables_stage(export, table);
	if (!to->failed)
		tables_put(export, table, report, &rows);
	if (to->n_rows && !to->failed)
		insert_rows(to);
	to->n_rows = 0;
}

/* What SQLite refuses is in *to, and ends it, too. */
static int write_table(void *context, const struct export *export, const struct export_table *table,
		       const struct table *report)
{
	struct sqlite *to = context;
	struct sql_column room[SQL_COLUMNS];
	const struct sql_column *column = tables_columns(table, report, room);
	bool other = set_stored(to, column);
	FREED char *create = statement(table, column, other, true);
	FREED char *insert = statement(table, column, other, false);

	run_sql(to, create);
	check(to, lib.sqlite3_prepare_v2(to->db, insert, -1, &to->insert, NULL) == SQLITE_OK);
	put_rows(to, export, table, report);
	check(to, lib.sqlite3_finalize(to->insert) == SQLITE_OK);
	to->insert = NULL;
	return to->failed ? -EIO : 0;
}

/* ---- the database ---- */

static void put_words(const struct export *export, const struct rows_to *rows)
{
	const struct sqlite *to = rows->context;

	(void)export;
	for (uint32_t i = 0; i < to->n_words; i++)
		ROW(rows, value_of(i), value_text(to->word[i]));
}

static const struct sql_column word_column[] = {
	{ "id", .type = SQL_INTEGER },
	{ "text", .type = SQL_TEXT },
	{ 0 },
};

/* All tables, and the words that they have. */
static void write_all(struct sqlite *to, const struct export *export, const char *path)
{
	static const struct export_table words = { "word", word_column, .put = put_words };
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

	/* one thread, and nobody asks for its memory: no mutex around each value */
	lib.sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	check(to, lib.sqlite3_open_v2(path, &to->db, flags, NULL) == SQLITE_OK);
	run_sql(to, before);
	if (!to->failed && tables_each(export, write_table, to) == 0)
		write_table(to, export, &words, NULL);
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
