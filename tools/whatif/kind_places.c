/* SPDX-License-Identifier: MIT */
/* kind_places.c - spells modules and offsets of sites. */
#include "tools/whatif/kind_places.h"

#include <inttypes.h>
#include <string.h>

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
