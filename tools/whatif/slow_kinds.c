/* SPDX-License-Identifier: MIT */
/* slow_kinds.c - writes the list of kinds to slow, and reads it back from a trace. */
#include "tools/whatif/slow_kinds.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/session/environment.h"
#include "tools/base/say.h"
#include "tools/base/xalloc.h"
#include "tools/team/newest.h"
#include "tools/team/inputs.h"
#include "tools/whatif/what_if.h"

/* ---- places of kinds ---- */

/* With the bytes as %XX that have a meaning in the list, or would end a word. */
void places_put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text <= ' ' || strchr("%:|=@#", *text))
			fprintf(out, "%%%02x", (unsigned char)*text);
		else
			fputc(*text, out);
}

/* As preload/probes/kind_list.h spells it; false if nothing says where it is. */
static bool put_place(FILE *out, const struct run *run, site_id number)
{
	const struct defs *defs = run->sites.defs;
	const struct defs_site *site = &defs->site[number];
	bool by_function = site->function && site->function_module;
	uint32_t m = by_function ? site->function_module : site->return_module;
	uint64_t address = by_function ? site->function : site->return_address;
	const struct defs_module *module = m && m <= defs->n_modules ? &defs->module[m - 1] : NULL;
	const char *id = NULL;

	if (module)
		id = module->build_id && *module->build_id ? module->build_id : module->path;
	if (!id || !*id)
		return false;
	places_put_text(out, id);
	fprintf(out, ":%c:%" PRIx64, by_function ? 'f' : 'r', address - module->bias);
	return true;
}

bool places_one(const struct run *run, kind_id kind, char place[PLACES_BYTES])
{
	site_id site = run->dag.kind_site[kind];
	FILE *out = fmemopen(place, PLACES_BYTES, "w");
	bool known = out != NULL;

	if (site == SITE_NONE && out)
		fputs("root", out);
	else if (known)
		known = site < run->sites.n && put_place(out, run, site);
	return out && fclose(out) == 0 && known;
}

static bool same_code(const struct name *a, const struct name *b)
{
	return a->function && b->function && strcmp(a->function, b->function) == 0 &&
	       a->line == b->line && (!a->file) == (!b->file) &&
	       (!a->file || strcmp(a->file, b->file) == 0);
}

/* Of each site whose tasks run its code.  A compiler may have copied it. */
bool places_put(FILE *out, const struct run *run, kind_id kind, bool *first)
{
	site_id own = run->dag.kind_site[kind];
	char place[PLACES_BYTES];

	if (!places_one(run, kind, place))
		return false;
	fprintf(out, "%s%s", *first ? "" : "|", place);
	*first = false;
	for (site_id site = 0; own != SITE_NONE && site < run->sites.n; site++)
		if (site != own &&
		    same_code(&run->sites.site[site].code, &run->sites.site[own].code)) {
			fputc('|', out);
			if (!put_place(out, run, site))
				return false;
		}
	return true;
}

#define FACTOR_LEAST 1.001
#define FACTOR_MOST 1000.0

/* ---- KIND=F ---- */

static bool factor_of(const char *text, double *factor)
{
	char *end;

	text += *text == 'x';
	if (*text < '0' || *text > '9')
		return false;
	*factor = strtod(text, &end);
	return !*end && *factor >= FACTOR_LEAST - 1e-9 && *factor <= FACTOR_MOST;
}

bool slow_kinds_is(const char *text)
{
	const char *sign = strrchr(text, '=');
	double factor;

	return sign && sign != text && factor_of(sign + 1, &factor);
}

/* ---- the list ---- */

/* A kind that was not named, but has its code in the same place; else -1. */
static int check_shared(const struct run *run, kind_id kind, const char *typed, struct err *err)
{
	char place[PLACES_BYTES], other[PLACES_BYTES], name[512] = "?";

	if (!places_one(run, kind, place))
		return 0;
	for (kind_id k = 0; k < run->dag.n_kinds; k++) {
		if (k == kind || what_if_is_kind(run, k, typed) || !places_one(run, k, other) ||
		    strcmp(place, other) != 0)
			continue;
		what_if_kind(run, k, name, sizeof(name));
		return err_set(err, EINVAL,
			       "%s: %s runs the same function as %s; tptrace cannot slow one alone",
			       reader_facts(run->reader)->path, typed, name);
	}
	return 0;
}

static int put_one(FILE *out, const struct run *run, const char *text, struct err *err)
{
	const char *sign = strrchr(text, '=');
	char typed[512];
	double factor = 1;
	bool first = true;
	int error = 0;

	snprintf(typed, sizeof(typed), "%.*s", (int)(sign - text), text);
	factor_of(sign + 1, &factor);
	places_put_text(out, typed);
	fprintf(out, "=%.0f@", factor * 1000);
	for (kind_id kind = 0; kind < run->dag.n_kinds && !error; kind++) {
		if (!what_if_is_kind(run, kind, typed))
			continue;
		error = check_shared(run, kind, typed, err);
		if (!error && !places_put(out, run, kind, &first))
			error = err_set(err, ENOENT, "%s: %s: nothing says where its code is",
					reader_facts(run->reader)->path, typed);
	}
	if (!error && first)
		error = err_set(
			err, ERR_NAME, "%s: no kind `%s`; `tptrace report --by kind %s` lists them",
			reader_facts(run->reader)->path, typed, reader_facts(run->reader)->path);
	return error;
}

/*
 * The value of TPTRACE_SLOW (preload/probes/kind_list.h) for n such texts, with kinds as the trace
 * names them; yours to free().  0, or -errno and *err: the trace has no such kind, nothing says
 * where its code is, another kind shares that code, or the program has changed since.
 */
static int slow_kinds_find(char **list, const char *const *text, uint32_t n, const char *trace,
			   struct err *err)
{
	struct run run = { 0 };
	size_t bytes;
	FILE *out = NULL;
	int error = run_open(&run, trace, NULL, err);

	*list = NULL;
	if (error)
		return error;
	if (sites_changed(&run.sites, 0))
		error = err_set(err, ESTALE,
				"%s: %s has changed since; record it once more without --slow",
				trace, sites_changed(&run.sites, 0));
	if (!error)
		out = xopen_memstream(list, &bytes);
	for (uint32_t i = 0; i < n && !error; i++) {
		fputs(i ? " " : "", out);
		error = put_one(out, &run, text[i], err);
	}
	if (out)
		xclose_memstream(out);
	run_close(&run);
	return error;
}

/* ---- options ---- */

/* The trace that is named, or the first of a directory; NULL if there is none, and it was said. */
static char *one_of(const char *name)
{
	struct inputs inputs = { 0 };
	char *argument = (char *)name, *path = NULL;

	inputs_open(&inputs, &argument, 1);
	if (inputs.n)
		path = xstrdup(inputs.at[0].path);
	inputs_free(&inputs);
	return path;
}

int slowing_set(const struct slowing *slowing)
{
	char *trace, *list = NULL;
	struct err err = { 0 };
	int error;

	if (slowing->n > SLOW_KINDS_MOST)
		return say_usage("record", "at most %u kinds are slowed at once", SLOW_KINDS_MOST);
	if (!slowing->n)
		return slowing->of ? say_usage("record", "--slow-of needs --slow KIND=F") : 0;
	trace = slowing->of ? one_of(slowing->of) : newest_trace(&err);
	error = trace ? slow_kinds_find(&list, slowing->kind, slowing->n, trace, &err) : -ENOENT;
	if (!error && setenv(SLOW_VARIABLE, list, 1) < 0)
		error = err_set(&err, errno, "%s: %s", SLOW_VARIABLE, strerror(errno));
	if (!error && !options_quiet())
		say_print(stderr, "tptrace: slowing tasks, as %s names them\n", trace);
	if (error && err.text[0])
		say_fail(&err);
	free(trace);
	free(list);
	return error ? 2 : 0;
}
