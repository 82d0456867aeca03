/* SPDX-License-Identifier: MIT */
/* lock_table.c - the columns of locks, and of the kinds of tasks that waited for one or held it. */
#include "tools/summary/report_tables.h"

#include <inttypes.h>
#include <string.h>

#include "tools/summary/lock_names.h"

#define NAME_WIDE 40 /* with names of so many columns there is room for median and max, too */

CELL(struct place, kind_place, struct lock_kind,
     rows_find(&summary_of(table)->rows, its->kind)->code)

static const struct column kind_column[] = {
	{ "name", .type = COLUMN_CODE, .place = kind_place },
	{ "waits", COLUMN_FIELD(struct lock_kind, n), .blank = true, .under = "waits" },
	{ "wait_ns", .type = COLUMN_NS, COLUMN_FIELD(struct lock_kind, ns), .under = "wait_ns" },
};

static struct table lock_kinds(const struct table *locks, const char *name, const char *title,
			       const struct lock_kind *kind, uint32_t n)
{
	uint32_t named = n < LOCK_KINDS ? n : LOCK_KINDS;

	return (struct table){ .name = name,
			       .title = title,
			       TABLE_COLUMNS(kind_column),
			       .of = locks->of,
			       TABLE_ROWS(kind, named),
			       .n_more = n - named };
}

static int below(const struct table *table, uint32_t row, struct table *to)
{
	const struct lock *lock = table_row(table, row);

	to[0] = lock_kinds(table, "waiters", "waits", lock->waiter, lock->n_waiters);
	to[1] = lock_kinds(table, "holders", "holds", lock->holder, lock->n_holders);
	return 2;
}

CELL(struct place, place, struct lock, rows_site(summary_of(table)->run, its->site))

/* Whether another row has that object and line: of a call of which a compiler made copies. */
static bool has_copy(const struct summary *summary, const struct lock *lock,
		     const struct place *place)
{
	for (uint32_t i = 0; place->file && i < summary->locks.n; i++) {
		const struct lock *other = &summary->locks.lock[i];
		struct place its;

		if (other == lock || other->object != lock->object || other->what != lock->what ||
		    other->n_objects != lock->n_objects)
			continue;
		its = rows_site(summary->run, other->site);
		if (its.name && place_compare(&its, place) == 0)
			return true;
	}
	return false;
}

/* "scan, lock.c:11", and which copy of it; "". */
static const char *where(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	const struct summary *summary = table->of;
	const struct lock *lock = table_row(table, row);
	struct place its = place(table, row);
	size_t n;

	if (!its.name)
		return "";
	n = strlen(place_text(out, TABLE_TEXT, &its));
	if (has_copy(summary, lock, &its))
		snprintf(out + n, TABLE_TEXT - n, " +0x%" PRIx64,
			 rows_site_offset(summary->run, lock->site));
	return out;
}

CELL_TEXT(name, struct lock, lock_name(room, TABLE_TEXT, &summary_of(table)->run->sites, its))

CELL_TEXT(what, struct lock, lock_what(its))

static const char *object(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	const struct lock *lock = table_row(table, row);

	snprintf(out, TABLE_TEXT, "0x%" PRIx64, lock->object);
	return lock->n_objects > 1 ? NULL : out;
}

CELL(uint64_t, serial_ns, struct lock,
     its->held_known && its->n_objects == 1 ? its->serial_ns : TABLE_UNKNOWN)

/* Nobody waited, and nothing is known of who held it. */
CELL(bool, is_shown, struct lock, its->n_waits || its->held_known)

#define COUNT(field) COLUMN_FIELD(struct lock, field)
#define TIME(field) .type = COLUMN_NS, COLUMN_FIELD(struct lock, field)
#define SPREAD .width = 9, .drop = 1, .name_least = NAME_WIDE

static const struct column lock_column[] = {
	{ "lock", .type = COLUMN_TEXT, .only = FOR_CSV, .text = name },
	{ "place", .type = COLUMN_TEXT, .only = FOR_CSV, .text = where },
	{ "site", .only = FOR_SQL, COUNT(site) },
	{ "name", .type = COLUMN_TEXT, .only = FOR_JSON | FOR_SQL, .text = name },
	{ "function", .type = COLUMN_PLACE, .only = FOR_JSON | FOR_SQL, .place = place },
	{ "what", .type = COLUMN_TEXT, .text = what },
	{ "object", .type = COLUMN_TEXT, .text = object },
	{ "objects", COUNT(n_objects) },
	{ "entries", COUNT(n_entries) },
	{ "waits", "waits", COUNT(n_waits), .width = 8, .diff = "times" },
	{ "wait_ns", "waited", TIME(wait_ns), .width = 9, .diff = "wait_ns" },
	{ "median_ns", "median", TIME(median_ns), SPREAD },
	{ "max_ns", "max", TIME(max_ns), SPREAD },
	{ "busy_ns", "wanted", TIME(busy_ns), .width = 9 },
	{ "held_ns", "held", TIME(held_ns), COLUMN_KNOWN(struct lock, held_known), .width = 9,
	  .unknown = "unknown" },
	{ "held_max_ns", NULL, TIME(held_max_ns), COLUMN_KNOWN(struct lock, held_known) },
	{ "serial_ns", NULL, .type = COLUMN_NS, .number = serial_ns },
};

void lock_table(struct table *table, const struct summary *summary)
{
	*table = (struct table){ .name = "locks",
				 .title = "lock",
				 .heading = "locks",
				 TABLE_COLUMNS(lock_column),
				 .of = summary,
				 TABLE_ROWS(summary->locks.lock, summary->locks.n),
				 .label = name,
				 .where = where,
				 .is_shown = is_shown,
				 .below = below,
				 .empty = " no task waited for a lock\n" };
}
