/* SPDX-License-Identifier: MIT */
/* json_locks.c - a row for each lock; held times are null where they are not known. */
#include "tools/report/json_locks.h"

#include <inttypes.h>

#include "tools/report/json_parts.h"
#include "tools/report/lock_names.h"
#include "tools/report/put.h"

/* A kind that waited or held, so often, and for so long in all. */
static void put_kind(FILE *out, const struct summary *summary, kind_id kind, const char *key,
		     uint64_t n, uint64_t ns)
{
	json_put_code(out, "name", &rows_find(&summary->rows, kind)->code);
	fprintf(out, ",\"%s\":%" PRIu64 ",\"wait_ns\":%" PRIu64, key, n, ns);
}

static void put_kinds(FILE *out, const struct summary *summary, const char *key,
		      const struct lock_kind *kind, uint32_t n)
{
	fprintf(out, ",\"%s\":[", key);
	for (uint32_t i = 0; i < n && i < LOCK_KINDS; i++) {
		fputs(i ? ",{" : "{", out);
		put_kind(out, summary, kind[i].kind, "waits", kind[i].n, kind[i].ns);
		fputs("}", out);
	}
	fputs("]", out);
}

static void put_lock(FILE *out, const struct summary *summary, const struct lock *lock)
{
	struct place place = rows_site(summary->run, lock->site);
	char name[200];

	fputs("{\"name\":", out);
	put_string(out, lock_name(name, sizeof(name), &summary->run->sites, lock));
	fputs(",", out);
	json_put_place(out, "function", &place);
	fprintf(out, ",\"what\":\"%s\",\"object\":", lock_what(lock));
	fprintf(out, lock->n_objects > 1 ? "null" : "\"0x%" PRIx64 "\"", lock->object);
	fprintf(out,
		",\"objects\":%" PRIu64 ",\"entries\":%" PRIu64 ",\"waits\":%" PRIu64
		",\"wait_ns\":%" PRIu64 ",\"median_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64
		",\"busy_ns\":%" PRIu64,
		lock->n_objects, lock->n_entries, lock->n_waits, lock->wait_ns, lock->median_ns,
		lock->max_ns, lock->busy_ns);
	if (lock->held_known)
		fprintf(out, ",\"held_ns\":%" PRIu64 ",\"held_max_ns\":%" PRIu64, lock->held_ns,
			lock->held_max_ns);
	else
		fputs(",\"held_ns\":null,\"held_max_ns\":null", out);
	if (lock->held_known && lock->n_objects == 1)
		fprintf(out, ",\"serial_ns\":%" PRIu64, lock->serial_ns);
	else
		fputs(",\"serial_ns\":null", out);
	put_kinds(out, summary, "waiters", lock->waiter, lock->n_waiters);
	put_kinds(out, summary, "holders", lock->holder, lock->n_holders);
	fputs("}", out);
}

void json_put_locks(FILE *out, const struct summary *summary)
{
	fputs(",\"locks\":[", out);
	for (uint32_t i = 0; i < summary->locks.n; i++) {
		fputs(i ? "," : "", out);
		put_lock(out, summary, &summary->locks.lock[i]);
	}
	fputs("]", out);
}

static void put_wait(FILE *out, const struct summary *summary, const struct wait_site *site)
{
	struct place place = rows_site(summary->run, site->site);

	fputs("{\"name\":", out);
	put_string(out, place.name ? place.name : wait_name(site->what));
	fputs(",", out);
	json_put_place(out, "function", &place);
	fprintf(out,
		",\"kind\":\"%s\",\"times\":%" PRIu64 ",\"waited\":%" PRIu64 ",\"wait_ns\":%" PRIu64
		",\"max_ns\":%" PRIu64 ",\"idle_ns\":%" PRIu64 ",\"last\":[",
		wait_name(site->what), site->n, site->n_waited, site->wait_ns, site->max_ns,
		site->idle_ns);
	for (uint32_t i = 0; i < site->n_kinds && i < WAIT_KINDS; i++) {
		const struct wait_kind *last = &site->last[i];

		fputs(i ? ",{" : "{", out);
		put_kind(out, summary, last->kind, "times", last->n, last->ns);
		fputs("}", out);
	}
	fputs("]}", out);
}

void json_put_waits(FILE *out, const struct summary *summary)
{
	fputs(",\"waits\":[", out);
	for (uint32_t i = 0; i < summary->waits.n; i++) {
		fputs(i ? "," : "", out);
		put_wait(out, summary, &summary->waits.site[i]);
	}
	fputs("]", out);
}
