/* SPDX-License-Identifier: MIT */
/* lock_table.c - a line for each lock, and one for each kind of task that waited or held it. */
#include "tools/report/lock_table.h"

#include <inttypes.h>
#include <string.h>

#include "tools/base/units.h"
#include "tools/report/fit.h"
#include "tools/report/lock_names.h"
#include "tools/report/put.h"

#define NUMBERS 35 /* columns of numbers, .. */
#define SPREAD 18  /* .. and of median and max, where there is room for names beside them */
#define NAME_WIDE 40
#define TEXT 300

/* How the table is laid out. */
struct layout {
	FILE *out;
	const struct summary *summary;
	int name; /* columns */
	bool spread;
};

static struct layout layout_of(FILE *out, const struct summary *summary, const struct look *look)
{
	struct layout layout = { out, summary, (int)look->width - NUMBERS, false };

	layout.spread = layout.name - SPREAD >= NAME_WIDE;
	layout.name -= layout.spread ? SPREAD : 0;
	return layout;
}

/* A column of 9; `time` is empty where there is none. */
static void put_time(const struct layout *layout, const char *time)
{
	fprintf(layout->out, "%9s", time);
}

static void put_kinds(const struct layout *layout, const char *what, const struct lock_kind *kind,
		      uint32_t n)
{
	char time[UNITS_TIME], name[TEXT], where[TEXT], count[24];

	for (uint32_t i = 0; i < n && i < LOCK_KINDS; i++) {
		const struct place *place = &rows_find(&layout->summary->rows, kind[i].kind)->code;

		snprintf(name, sizeof(name), "  %s: %s", what, place->name);
		fit_name(layout->out, name, place_where(where, sizeof(where), place), layout->name);
		snprintf(count, sizeof(count), "%" PRIu64, kind[i].n);
		fprintf(layout->out, "%8s", kind[i].n ? count : "");
		put_time(layout, units_time(time, kind[i].ns));
		fputc('\n', layout->out);
	}
	if (n > LOCK_KINDS)
		fprintf(layout->out, "  %s: %u more\n", what, n - LOCK_KINDS);
}

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
static char *place_of(char out[TEXT], const struct summary *summary, const struct lock *lock)
{
	struct place place = rows_site(summary->run, lock->site);
	size_t n;

	out[0] = 0;
	if (!place.name)
		return out;
	n = strlen(place_text(out, TEXT, &place));
	if (has_copy(summary, lock, &place))
		snprintf(out + n, TEXT - n, " +0x%" PRIx64,
			 rows_site_offset(summary->run, lock->site));
	return out;
}

static void put_lock(const struct layout *layout, const struct lock *lock)
{
	char time[UNITS_TIME], name[TEXT], where[TEXT];

	lock_name(name, sizeof(name), &layout->summary->run->sites, lock);
	fit_name(layout->out, name, place_of(where, layout->summary, lock), layout->name);
	fprintf(layout->out, "%8" PRIu64, lock->n_waits);
	put_time(layout, units_time(time, lock->wait_ns));
	if (layout->spread) {
		put_time(layout, units_time(time, lock->median_ns));
		put_time(layout, units_time(time, lock->max_ns));
	}
	put_time(layout, units_time(time, lock->busy_ns));
	put_time(layout, lock->held_known ? units_time(time, lock->held_ns) : "unknown");
	fputc('\n', layout->out);
	put_kinds(layout, "waits", lock->waiter, lock->n_waiters);
	put_kinds(layout, "holds", lock->holder, lock->n_holders);
}

/* Nobody waited, and nothing is known of who held it. */
static bool says_anything(const struct lock *lock)
{
	return lock->n_waits || lock->held_known;
}

void lock_table(FILE *out, const struct summary *summary, const struct look *look)
{
	struct layout layout = layout_of(out, summary, look);
	const struct locks *locks = &summary->locks;
	uint32_t n = 0;

	if (locks->n == 0) {
		fputs(" no task waited for a lock\n", out);
		return;
	}
	fprintf(out, "%-*s%8s%9s", layout.name, "lock", "waits", "waited");
	if (layout.spread)
		fprintf(out, "%9s%9s", "median", "max");
	fprintf(out, "%9s%9s\n", "wanted", "held");
	for (uint32_t i = 0; i < locks->n; i++) {
		if (!says_anything(&locks->lock[i]))
			continue;
		if (n++ < look->n_most)
			put_lock(&layout, &locks->lock[i]);
	}
	if (n > look->n_most)
		fprintf(out, "(%u more)\n", n - look->n_most);
}

void lock_csv(FILE *out, const struct summary *summary, const char *path, bool header)
{
	char name[TEXT], where[TEXT];

	if (header)
		fprintf(out,
			"%slock,place,entries,waits,wait_ns,median_ns,max_ns,busy_ns,held_ns\n",
			path ? "file," : "");
	for (uint32_t i = 0; i < summary->locks.n; i++) {
		const struct lock *lock = &summary->locks.lock[i];

		if (path) {
			put_quoted(out, path);
			fputc(',', out);
		}
		put_quoted(out, lock_name(name, sizeof(name), &summary->run->sites, lock));
		fputc(',', out);
		put_quoted(out, place_of(where, summary, lock));
		fprintf(out,
			",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
			lock->n_entries, lock->n_waits, lock->wait_ns, lock->median_ns,
			lock->max_ns, lock->busy_ns);
		if (lock->held_known)
			fprintf(out, "%" PRIu64, lock->held_ns);
		fputc('\n', out);
	}
}
