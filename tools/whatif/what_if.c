/* SPDX-License-Identifier: MIT */
/* what_if.c - finds kinds and places by name. */
#include "tools/whatif/what_if.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/values.h"
#include "tools/base/xalloc.h"
#include "tools/table/places.h"
#include "tools/summary/rows.h"
#include "tools/base/base_name.h"

void kind_names_make(struct kind_names *names, const struct run *run)
{
	names->name = xcalloc(run->dag.n_kinds + 1ull, sizeof(*names->name));
	for (names->n = 0; names->n < run->dag.n_kinds; names->n++) {
		char text[512];

		if (!what_if_kind(run, names->n, text, sizeof(text)))
			strcpy(text, "?");
		names->name[names->n] = xstrdup(text);
	}
}

void kind_names_free(struct kind_names *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		free(names->name[i]);
	free(names->name);
	*names = (struct kind_names){ 0 };
}

#define NAME_MOST 512u
#define MAIN "main" /* the root tasks, unless functions are called so, too; .. */
#define ROOT "root" /* .. and always */

const char *const what_if_name[WHAT_IFS] = {
	[IF_WITHOUT_LOCK] = "without-lock",
	[IF_SPLIT] = "split",
	[IF_MERGE] = "merge",
	[IF_PRIORITY] = "priority",
	[IF_LONGEST_FIRST] = "longest-first",
	[IF_CALL] = "call",
	[IF_SPEED] = "speed",
	[IF_COST] = "cost",
	[IF_UNTIED] = "untied",
	[IF_NO_THROTTLE] = "no-throttle",
};

/* ---- forms ---- */

static bool is_factor(const char *text, double *factor)
{
	char *end;

	if (strncmp(text, "\xc3\x97", 2) == 0) /* the sign of multiplication */
		text += 2;
	else if (*text == 'x')
		text++;
	*factor = strtod(text, &end);
	return end != text && *end == 0 && *factor > 0 && *factor < 1e9;
}

bool what_if_is_split(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && colon != text && value_is_number(colon + 1) && strlen(colon) < 7 &&
	       atoi(colon + 1) > 1;
}

bool what_if_is_speed(const char *text)
{
	const char *sign = strrchr(text, '=');
	double factor;

	return sign && sign != text && is_factor(sign + 1, &factor);
}

bool what_if_is_call(const char *text)
{
	const char *sign = strrchr(text, '=');
	uint64_t ns;

	return *text && !(sign && value_time(sign + 1, &ns) && (sign == text || !ns));
}

static enum cost cost_of(const char *text, size_t n)
{
	int of = 0;

	while (of < COST_OF && (strlen(cost_name[of]) != n || strncmp(cost_name[of], text, n) != 0))
		of++;
	return (enum cost)of;
}

#define COST_ALL "all"

bool what_if_is_cost(const char *text)
{
	const char *sign = strrchr(text, '=');
	size_t n = strcspn(text, "@=");
	double factor;
	uint64_t ns;

	if (!sign || (cost_of(text, n) == COST_OF && strncmp(text, COST_ALL "=", n + 1) != 0))
		return false;
	if (sign[1] == 'x' || (unsigned char)sign[1] == 0xc3)
		return is_factor(sign + 1, &factor);
	return value_time(sign + 1, &ns);
}

static struct cost_change cost_read(const char *value)
{
	struct cost_change change = { 0 };

	if (*value == 'x' || (unsigned char)*value == 0xc3)
		is_factor(value, &change.factor);
	else
		change.fixed = value_time(value, &change.ns);
	return change;
}

/* ---- names ---- */

/* Whether reports call the place so: function, file:line, or function:line. */
static bool is_called(const char *function, const char *file, uint32_t line, const char *typed)
{
	char text[NAME_MOST];

	if (function && strcmp(function, typed) == 0)
		return true;
	snprintf(text, sizeof(text), "%s:%u", function ? function : "", line);
	if (function && strcmp(text, typed) == 0)
		return true;
	snprintf(text, sizeof(text), "%s:%u", file ? path_base(file) : "", line);
	return file && strcmp(text, typed) == 0;
}

static bool is_site(const struct run *run, site_id site, const char *typed)
{
	struct place place = rows_site(run, site);

	return is_called(place.name, place.file, place.line, typed);
}

bool what_if_is_kind(const struct run *run, kind_id kind, const char *typed)
{
	site_id site = run->dag.kind_site[kind];
	const struct name *code;

	if (site == SITE_NONE)
		return strcmp(typed, MAIN) == 0 || strcmp(typed, ROOT) == 0;
	if (site >= run->sites.n)
		return false;
	code = &run->sites.site[site].code;
	if (!code->function)
		return is_site(run, site, typed);
	return is_called(code->function, code->file, code->line, typed);
}

/* Where the kind is that was typed; the next one after *kind.  False at the end. */
static bool next_kind(const struct run *run, const char *typed, kind_id *kind)
{
	while (*kind < run->dag.n_kinds && !what_if_is_kind(run, *kind, typed))
		++*kind;
	return *kind < run->dag.n_kinds;
}

static bool next_site(const struct run *run, const char *typed, site_id *site)
{
	while (*site < run->sites.n && !is_site(run, *site, typed))
		++*site;
	return *site < run->sites.n;
}

static int no_such(const struct run *run, const char *what, const char *typed, const char *list,
		   struct err *err)
{
	return err_set(err, ERR_NAME, "%s: no %s `%s`; `tptrace report --by %s` lists them",
		       reader_facts(run->reader)->path, what, typed, list);
}

/* The ways to write a place, the shortest first. */
static void write_name(char *out, size_t room, unsigned way, const struct place *place)
{
	if (way == 0)
		snprintf(out, room, "%s", place->name);
	else if (way == 1)
		snprintf(out, room, "%s:%u", place->file ? path_base(place->file) : "",
			 place->line);
	else
		snprintf(out, room, "%s:%u", place->name, place->line);
}

static uint32_t count_kinds(const struct run *run, const char *typed)
{
	uint32_t n = 0;

	for (kind_id kind = 0; next_kind(run, typed, &kind); kind++)
		n++;
	return n;
}

struct place what_if_place(const struct run *run, kind_id kind)
{
	site_id site = run->dag.kind_site[kind];
	const struct name *code = site < run->sites.n ? &run->sites.site[site].code : NULL;

	if (code && code->function)
		return (struct place){ code->function, code->file, code->line, 0, NULL, 0 };
	return site == SITE_NONE ? (struct place){ .name = MAIN } : rows_site(run, site);
}

bool what_if_kind(const struct run *run, kind_id kind, char *out, size_t room)
{
	site_id site = run->dag.kind_site[kind];
	struct place place = what_if_place(run, kind);
	uint32_t fewest = UINT32_MAX;

	for (unsigned way = 0; way < 3 && place.name; way++) {
		char text[NAME_MOST];
		uint32_t n;

		write_name(text, sizeof(text), way, &place);
		if (site == SITE_NONE && way)
			strcpy(text, ROOT);
		if (!what_if_is_kind(run, kind, text) || strlen(text) >= room)
			continue;
		n = count_kinds(run, text);
		if (n < fewest)
			snprintf(out, room, "%s", text);
		fewest = n < fewest ? n : fewest;
	}
	return fewest < UINT32_MAX;
}

bool what_if_lock(const struct run *run, site_id site, char *out, size_t room)
{
	struct place place = { 0 };

	if (site < run->sites.n)
		place = rows_site(run, site);
	if (!place.name)
		return false;
	write_name(out, room, place.file ? 1 : 0, &place);
	return is_site(run, site, out);
}

/* ---- changes ---- */

static void change_kind(struct kind_change *kind, enum what_if what, const char *value)
{
	double factor = 1;

	switch (what) {
	case IF_LONGEST_FIRST:
		kind->longest_first = true;
		break;
	case IF_CALL:
		if (!*value || !value_time(value, &kind->call_below_ns))
			kind->call_below_ns = UINT64_MAX;
		break;
	case IF_SPLIT:
		kind->split = value_number(value);
		break;
	case IF_MERGE:
		kind->merge = value_number(value);
		break;
	case IF_SPEED:
		is_factor(value, &factor);
		kind->speed = factor;
		break;
	default:
		kind->first = true;
	}
}

/* Where the time of "KIND=20us" begins; NULL of "operator==". */
static char *time_of_call(char *text)
{
	char *sign = strrchr(text, '=');

	return sign && value_is_time(sign + 1) ? sign : NULL;
}

static int change_kinds(struct changes *changes, const struct run *run, enum what_if what,
			const char *name, const char *value, struct err *err)
{
	kind_id kind = 0;

	if (!changes->kind)
		changes->kind = xcalloc(run->dag.n_kinds, sizeof(*changes->kind));
	if (!next_kind(run, name, &kind))
		return no_such(run, "kind", name, "kind", err);
	for (; next_kind(run, name, &kind); kind++)
		change_kind(&changes->kind[kind], what, value);
	return 0;
}

static int unlock(struct changes *changes, const struct run *run, const char *name, struct err *err)
{
	bool any = false;

	if (!changes->unlocked)
		changes->unlocked = xcalloc(run->sites.n + 1ull, 1);
	for (uint32_t w = 1; w < run->dag.n_waits; w++) {
		const struct dag_wait *wait = &run->dag.wait[w];

		if (wait->what < WIRE_WAIT_OBJECT || wait->site >= run->sites.n ||
		    !is_site(run, wait->site, name))
			continue;
		changes->unlocked[wait->site] = 1;
		any = true;
	}
	return any ? 0 : no_such(run, "lock at", name, "lock", err);
}

static int change_cost_at(struct changes *changes, const struct run *run, enum cost of,
			  const char *name, const char *value, struct err *err)
{
	site_id site = 0;

	if (!changes->site_cost[of])
		changes->site_cost[of] = xcalloc(run->sites.n + 1ull, sizeof(struct cost_change));
	if (!next_site(run, name, &site))
		return no_such(run, "site", name, "site", err);
	for (; next_site(run, name, &site); site++)
		changes->site_cost[of][site] = cost_read(value);
	return 0;
}

static int change_cost(struct changes *changes, const struct run *run, char *text,
		       const char *value, struct err *err)
{
	char *at = strchr(text, '@');
	enum cost of;

	if (at)
		*at++ = 0;
	of = cost_of(text, strlen(text));
	if (at)
		return change_cost_at(changes, run, of, at, value, err);
	for (int each = 0; each < COST_OF; each++)
		if (of == COST_OF || of == (enum cost)each)
			changes->cost[each] = cost_read(value);
	return 0;
}

int what_if_add(struct changes *changes, struct policy *policy, const struct run *run,
		enum what_if what, const char *text, struct err *err)
{
	char name[NAME_MOST] = "", *value = name;

	snprintf(name, sizeof(name), "%s", text ? text : "");
	if (what == IF_SPLIT || what == IF_MERGE)
		value = strrchr(name, ':');
	else if (what == IF_SPEED || what == IF_COST)
		value = strrchr(name, '=');
	else if (what == IF_CALL)
		value = time_of_call(name);
	if (value && value != name)
		*value++ = 0;
	switch (what) {
	case IF_WITHOUT_LOCK:
		return unlock(changes, run, name, err);
	case IF_COST:
		return change_cost(changes, run, name, value, err);
	case IF_UNTIED:
		policy->tied = false;
		policy->bar = BAR_NOTHING;
		return 0;
	case IF_NO_THROTTLE:
		policy->throttle = policy->room = 0;
		return 0;
	default:
		return change_kinds(changes, run, what, name, value ? value : "", err);
	}
}
