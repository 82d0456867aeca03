/* SPDX-License-Identifier: MIT */
/* sites.c - looks up sites, and makes of what DWARF and runtimes say what users wrote. */
#include "tools/run/sites.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/map.h"
#include "tools/base/order.h"
#include "tools/base/progress.h"
#include "tools/base/xalloc.h"
#include "tools/dag/dag.h"
#include "tools/base/base_name.h"

#define CHAIN_MOST 16 /* functions that a compiler made, each created in the next one */

static int declare_modules(struct names *names, const struct defs *defs)
{
	int error = 0;

	for (uint32_t i = 0; i < defs->n_modules && error != -ENOMEM; i++) {
		const struct defs_module *module = &defs->module[i];

		/* without a path it has only its number */
		error = names_module(names, module->start, module->path ? module->end : 0,
				     module->bias, module->path ? module->path : "",
				     module->build_id ? module->build_id : "");
		if (error == -EINVAL) /* whatever was said of it: it is just not known */
			error = 0;
	}
	return error;
}

/* ---- looked up ---- */

static bool is_library(const char *path, const char *prefix)
{
	return path && strncmp(path_base(path), prefix, strlen(prefix)) == 0;
}

static bool is_library_of_oneTBB(const char *path)
{
	return is_library(path, "libtbb");
}

static const char *module_path(const struct defs *defs, uint32_t number)
{
	return number && number <= defs->n_modules ? defs->module[number - 1].path : NULL;
}

/*
 * A call of the runtime that is the last thing a function does may be a jump: it then returns to
 * whoever called that function, for a task's code a shim.
 */
static bool is_tail_call(const struct defs *defs, const struct defs_site *site)
{
	return site->return_address &&
	       is_library(module_path(defs, site->return_module), "libtpshim_");
}

static bool is_library_code(const struct name *code)
{
	return code->in_header || is_library_of_oneTBB(code->module);
}

static bool is_type_of_library(const char *name)
{
	return strncmp(name, "N3tbb", 5) == 0 || strncmp(name, "N6__pstl", 8) == 0;
}

static bool is_of_openmp(const struct defs *defs, uint32_t runtime)
{
	const char *name = runtime < defs->n_runtimes ? defs->runtime[runtime].name : NULL;

	return name && (!strcmp(name, "libgomp") || !strcmp(name, "libomp"));
}

static void look_up_code(struct sites *sites, const struct defs_site *site, struct name *code)
{
	const char *given = site->name;
	struct name task = { 0 };

	if (site->function && site->function != WIRE_NAMES_CODE)
		*code = names_in(sites->names, site->function_module, site->function, 0);
	if (given && is_type_of_library(given)) { /* mangled, with no better name */
		task = names_task(sites->names, given);
		given = task.function ? task.function : given;
	}
	if (is_library_code(code)) {
		code->file = NULL;
		code->line = 0;
	}
	/* a compiler cut it out of the function that creates its tasks, and its name was stripped
	 */
	if (!code->function && code->module && is_of_openmp(sites->defs, site->runtime))
		code->is_nameless = 1;
	if (given) {
		code->function = given;
		code->is_nameless = 0;
	}
	if (site->file) {
		code->file = site->file;
		code->line = site->line;
	}
}

static void look_up(struct sites *sites, const struct defs_site *site, struct site_names *out)
{
	look_up_code(sites, site, &out->code);
	if (is_tail_call(sites->defs, site))
		out->at = (struct name){ .function = SITES_TAIL_CALL };
	else if (site->return_address)
		out->at = names_in(sites->names, site->return_module, site->return_address, 1);
	/* created by a library's own code: its tasks' code tells more */
	if (out->code.function && is_library_code(&out->at))
		out->at = out->code;
}

/*
 * A library's code that runs the user's has no line of the user's: it has that of the call that
 * made its tasks, also where these made more of the same.
 */
static void place_by_call(struct sites *sites, const struct defs *defs)
{
	AT_END(map_free) struct map by_function = { 0 };
	uint64_t *first;

	for (uint32_t i = 0; i < sites->n; i++) {
		const struct site_names *site = &sites->site[i];

		if (!defs->site[i].function || site->code.file || !is_library_code(&site->code) ||
		    !site->at.file || is_library_code(&site->at))
			continue;
		first = map_put(&by_function, defs->site[i].function);
		if (!*first)
			*first = i + 1ull;
	}
	for (uint32_t i = 0; i < sites->n; i++) {
		struct site_names *site = &sites->site[i];

		first = is_library_code(&site->code) && !site->code.file
				? map_find(&by_function, defs->site[i].function)
				: NULL;
		if (!first)
			continue;
		site->code.file = sites->site[*first - 1].at.file;
		site->code.line = sites->site[*first - 1].at.line;
		if (!site->at.file)
			site->at = site->code;
	}
}

/* ---- kept ---- */

static uint64_t module_offset(const struct defs *defs, uint32_t number, uint64_t address)
{
	return number && number <= defs->n_modules ? address - defs->module[number - 1].bias
						   : address;
}

static uint32_t meta_number(const struct defs *defs, const char *key)
{
	const char *value = defs_meta(defs, key);

	return value ? (uint32_t)strtoul(value, NULL, 10) : 0;
}

/* Those that the trace has; what was not known when they were put there may be now. */
static void take_kept(struct sites *sites, const struct defs *defs)
{
	for (uint32_t i = 0; i < sites->n; i++) {
		const struct defs_site *site = &defs->site[i];

		if ((site->function && !site->name) || (site->return_address && !site->at)) {
			look_up(sites, site, &sites->site[i]);
			continue;
		}
		sites->site[i].code =
			(struct name){ .function = site->name,
				       .file = site->file,
				       .line = site->line,
				       .module = module_path(defs, site->function_module),
				       .offset = module_offset(defs, site->function_module,
							       site->function) };
		sites->site[i].at =
			(struct name){ .function = site->at,
				       .file = site->at_file,
				       .line = site->at_line,
				       .module = module_path(defs, site->return_module),
				       .offset = module_offset(defs, site->return_module,
							       site->return_address) };
		if (is_tail_call(defs, site))
			sites->site[i].at = (struct name){ .function = SITES_TAIL_CALL };
		names_compare(sites->names, site->function_module);
		names_compare(sites->names, site->return_module);
	}
	sites->main.file = defs_meta(defs, "main_file");
	sites->main.line = meta_number(defs, "main_first");
	sites->main_last_line = meta_number(defs, "main_last");
}

/* The site whose tasks run this function; NULL if there is none. */
static const struct site_names *made_for(const struct sites *sites, const struct map *by_function,
					 uint64_t function)
{
	const uint64_t *site = function ? map_find(by_function, function) : NULL;

	return site ? &sites->site[*site] : NULL;
}

/*
 * Without debug information nothing says whose .omp_outlined. is whose, nor, once that is stripped,
 * fib._omp_fn.0: it is of the function that creates its tasks, or, if that has no better name, of
 * the one that creates that one's.
 */
static void name_by_creator(const struct sites *sites, const struct map *by_function,
			    struct name *name, const struct site_names *by)
{
	for (int i = 0; by && i < CHAIN_MOST; i++) {
		if (by->at.function && by->at.module && !by->at.is_nameless) {
			name->function = by->at.function;
			name->is_nameless = 0;
			return;
		}
		by = made_for(sites, by_function, by->at.function_begin);
	}
}

static void name_the_nameless(struct sites *sites, const struct defs *defs)
{
	AT_END(map_free) struct map by_function = { 0 };

	for (uint32_t i = 0; i < sites->n; i++) {
		uint64_t *site = sites->site[i].code.is_nameless
					 ? map_put(&by_function, defs->site[i].function)
					 : NULL;

		if (site)
			*site = i;
	}
	for (uint32_t i = 0; i < sites->n; i++) {
		struct site_names *site = &sites->site[i];
		const struct site_names *by =
			made_for(sites, &by_function, site->at.function_begin);

		if (site->at.is_nameless)
			name_by_creator(sites, &by_function, &site->at, by);
	}
	for (uint32_t i = 0; i < sites->n; i++)
		if (sites->site[i].code.is_nameless)
			name_by_creator(sites, &by_function, &sites->site[i].code, &sites->site[i]);
}

/* ---- of one name ---- */

struct same {
	struct name *code;
	uint64_t function;
};

ORDER(by_name, struct same, strcmp(x->code->function, y->code->function) ?: BY_LEAST(function))

/*
 * Without lines, all that a compiler cut out of a function has one name.  Numbers, in the order of
 * their addresses, tell the parts apart.
 */
static void number_the_same(struct sites *sites, const struct defs *defs)
{
	FREED struct same *same = xcalloc(sites->n + 1ull, sizeof(*same));
	uint32_t n = 0, number;

	for (uint32_t i = 0; i < sites->n; i++) {
		struct name *code = &sites->site[i].code;

		if (code->function && code->module && !code->file && !defs->site[i].name)
			same[n++] = (struct same){ code, defs->site[i].function };
	}
	SORT(same, n, by_name);
	for (uint32_t from = 0, to; from < n; from = to) {
		const char *name = same[from].code->function;

		for (to = from + 1; to < n && !strcmp(same[to].code->function, name);)
			to++;
		number = same[to - 1].function != same[from].function;
		for (uint32_t i = from; number && i < to; i++) {
			number += i > from && same[i].function != same[i - 1].function;
			same[i].code->function = names_numbered(sites->names, name, number);
		}
	}
}

/* ---- named by the program ---- */

#define NAMED_MOST 1024u /* places that name code; more are not heeded */

/* Whether tasks of the site run the code that begins there. */
static bool runs(const struct sites *sites, uint32_t site, const struct defs *defs,
		 const struct name *begin, uint64_t function)
{
	const struct name *code = &sites->site[site].code;

	if (defs->site[site].function <= WIRE_NAMES_CODE)
		return false;
	if (defs->site[site].function == function)
		return true;
	return code->file && begin->file && code->line == begin->line &&
	       strcmp(code->file, begin->file) == 0;
}

/* tptrace_name(): the function that it was called in is what tasks run. */
static void name_by_program(struct sites *sites, const struct defs *defs)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < sites->n && n < NAMED_MOST; i++) {
		const struct defs_site *named = &defs->site[i];
		uint64_t function = sites->site[i].at.function_begin;
		struct name begin;

		if (named->function != WIRE_NAMES_CODE || !named->name || !function)
			continue;
		n++;
		begin = names_in(sites->names, named->return_module, function, 0);
		for (uint32_t s = 0; s < sites->n; s++)
			if (runs(sites, s, defs, &begin, function))
				sites->site[s].code.function = named->name;
	}
}

static void look_all_up(struct sites *sites, const struct defs *defs)
{
	const char *exe = defs_meta(defs, "exe");
	struct progress *progress = progress_open();

	progress_stage(progress, "looking up names", sites->n);
	for (uint32_t i = 0; i < sites->n; i++) {
		look_up(sites, &defs->site[i], &sites->site[i]);
		progress_add(progress, 1);
	}
	place_by_call(sites, defs);
	name_the_nameless(sites, defs);
	number_the_same(sites, defs);
	name_by_program(sites, defs);
	if (exe)
		sites->main = names_extent(sites->names, exe, "main", &sites->main_last_line);
	progress_close(progress);
}

static void say_all(struct sites *sites, const struct defs *defs)
{
	for (uint32_t i = 0; i < sites->n; i++) {
		struct site_names *site = &sites->site[i];

		site->code_known = site->code.function != NULL;
		site->at_known = site->at.function != NULL;
		if (defs->site[i].function)
			site->code.function = names_say(sites->names, &site->code);
		if (defs->site[i].return_address)
			site->at.function = names_say(sites->names, &site->at);
	}
}

void sites_open(struct sites *sites, const struct defs *defs)
{
	const char *names = defs_meta(defs, "names");

	*sites = (struct sites){ .defs = defs,
				 .n = defs->n_sites,
				 .kept = names && strcmp(names, "kept") == 0,
				 .site = xcalloc(defs->n_sites + 1ull, sizeof(*sites->site)) };
	if (names_open(&sites->names) < 0 || declare_modules(sites->names, defs) < 0)
		out_of_memory();
	if (sites->kept)
		take_kept(sites, defs);
	else
		look_all_up(sites, defs);
	say_all(sites, defs);
}

void sites_close(struct sites *sites)
{
	names_free(sites->names);
	free(sites->site);
	*sites = (struct sites){ 0 };
}

const char *sites_changed(const struct sites *sites, uint32_t i)
{
	return names_stale(sites->names, i);
}

static struct name kept_frame(const struct defs *defs, const struct defs_frame *frame, uint64_t pc)
{
	return (struct name){ .function = frame->name,
			      .file = frame->file,
			      .line = frame->line,
			      .header = frame->header,
			      .around = frame->around,
			      .in_header = frame->hidden != 0,
			      .module = module_path(defs, frame->module),
			      .offset = module_offset(defs, frame->module, pc),
			      .function_begin = frame->function };
}

struct name sites_frame(const struct sites *sites, const struct defs_frame *frame)
{
	/* the line of the instruction that it waited for, which ends there */
	uint64_t pc = frame->pc - (frame->op != DEFS_OTHER && frame->op != DEFS_SPIN);
	struct name name;

	if (frame->name)
		return kept_frame(sites->defs, frame, pc);
	name = names_in(sites->names, frame->module, pc, 0);
	name.function_begin = frame->function ?: name.function_begin;
	if (!name.function && name.function_begin) /* then that is its name */
		name.offset -= pc - name.function_begin;
	return name;
}

/* ---- to keep ---- */

static void put_text(FILE *out, const char *key, const char *value)
{
	FREED char *escaped = value && *value ? xmalloc(3 * strlen(value) + 1) : NULL;

	if (escaped)
		fprintf(out, " %s=%s", key, lines_escape(escaped, value));
}

/* `prefix`: of the keys of file and line, "" or "at-". */
static void put_place(FILE *out, const char *prefix, const struct name *name)
{
	char key[16];

	if (!name)
		return;
	put_text(out, *prefix ? "at" : "name", name->function);
	snprintf(key, sizeof(key), "%sfile", prefix);
	put_text(out, key, name->file);
	if (name->file)
		fprintf(out, " %sline=%u", prefix, name->line);
}

static void put_meta(FILE *out, const char *key, const char *value)
{
	FREED char *escaped = xmalloc(3 * strlen(value) + 1);

	fprintf(out, "meta %s %s\n", key, lines_escape(escaped, value));
}

#define OBJECT_KEY "object:0x%" PRIx64

/* OpenMP's objects without an address of their own, as its shims number them. */
static const char *object_of_openmp(const struct sites *sites, uint64_t object)
{
	const struct defs *defs = sites->defs;
	bool is_there = false;

	for (uint32_t i = 0; i < defs->n_runtimes; i++)
		is_there |= is_of_openmp(defs, i);
	if (!is_there)
		return NULL;
	return object == 1 ? "critical" : dag_object_is_order(object) ? "ordered" : NULL;
}

const char *sites_object(const struct sites *sites, uint64_t address)
{
	const char *kept = object_of_openmp(sites, address);
	char key[40];

	if (kept)
		return kept;

	snprintf(key, sizeof(key), OBJECT_KEY, address);
	kept = defs_meta(sites->defs, key);
	return kept ? kept : names_object(sites->names, address);
}

void sites_put_object(const struct sites *sites, uint64_t address, FILE *out)
{
	const char *name = sites_object(sites, address);
	char key[40];

	snprintf(key, sizeof(key), OBJECT_KEY, address);
	if (name)
		put_meta(out, key, name);
}

/* Of a stripped function where it begins. */
static void put_frame(FILE *out, uint32_t number, const struct name *name)
{
	if (!name->function && !name->function_begin)
		return;
	fprintf(out, "frame %u", number);
	if (name->function_begin)
		fprintf(out, " fn=0x%" PRIx64, name->function_begin);
	put_text(out, "name", name->function);
	put_text(out, "file", name->file);
	if (name->line)
		fprintf(out, " line=%u", name->line);
	put_text(out, "header", name->header);
	put_text(out, "around", name->around);
	fputs(name->in_header ? " hidden=1\n" : "\n", out);
}

void sites_put(const struct sites *sites, FILE *out)
{
	const struct defs *defs = sites->defs;

	for (uint32_t i = 0; i < sites->n; i++) {
		const struct site_names *site = &sites->site[i];

		if (!site->code_known && !site->at_known)
			continue;
		fprintf(out, "site %u", i);
		put_place(out, "", site->code_known ? &site->code : NULL);
		put_place(out, "at-", site->at_known ? &site->at : NULL);
		fputc('\n', out);
	}
	for (uint32_t f = 0; f < defs->n_frames; f++) {
		struct name name = sites_frame(sites, &defs->frame[f]);

		if (!defs->frame[f].name)
			put_frame(out, f, &name);
	}
	if (sites->main.file) {
		put_meta(out, "main_file", sites->main.file);
		fprintf(out, "meta main_first %u\nmeta main_last %u\n", sites->main.line,
			sites->main_last_line);
	}
	put_meta(out, "names", "kept");
}
