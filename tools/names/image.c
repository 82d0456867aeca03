/* SPDX-License-Identifier: MIT */
/*
 * image.c - functions and lines of one ELF file, by way of libdwfl.
 *
 * dwarf_getscopes() and .debug_aranges aren't used.  The first looks only into what surrounds the
 * address, and gcc puts the DIE of fib._omp_fn.0 inside that of fib, clang those of a namespace
 * inside one that has no addresses; the second isn't there if clang compiled, and saves nothing:
 * the ranges of 20,000 units are listed in 0.03 s.  So we list these, and all functions in the
 * units that we were asked about.
 */
#include "tools/names/image.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/names/debugfile.h"
#include "tools/names/line_table.h"
#include "tools/names/range.h"
#include "tools/names/scopes.h"
#include "tools/names/shorten.h"
#include "tools/names/symbols.h"

/* Where a function is in the source. */
struct source {
	const char *name, *file;
	uint32_t line;
};

struct unit {
	Dwarf_Die die;	       /* the compile unit or skeleton: has the line table */
	Dwarf_Die full;	       /* the same, or what it's the skeleton of: has the functions */
	struct scopes *scopes; /* the image's; listed at the first question, as the next */
	struct ranges functions;
	struct source *source; /* listed at the first question */
	uint32_t n_sources, room_sources;
	int is_listed, has_sources;
};

struct image {
	Dwfl_Callbacks callbacks;
	const char *path, *roots;
	Dwfl *dwfl;
	Dwfl_Module *mod;
	Dwarf *dwarf;	       /* NULL: there is none */
	Dwarf_Addr dwarf_bias; /* vaddr - address in the DWARF */
	struct ranges units;   /* number is an index into unit; addresses of the DWARF */
	struct ranges symbols; /* vaddr */
	struct ranges objects; /* likewise, .. */
	struct ranges unwound; /* .. and functions, without names */
	struct scopes *scopes;
	struct unit *unit;
	uint32_t n_units, room_units;
	int has_symbols, has_objects, has_unwound;
};

static void ranges_add_die(struct ranges *ranges, Dwarf_Die *die, struct range range)
{
	Dwarf_Addr base;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &range.start, &range.end)) > 0)
		ranges_add(ranges, &range);
}

static const char *die_string(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute mem;

	return dwarf_formstring(dwarf_attr_integrate(die, attribute, &mem));
}

static int is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2);
}

/* The linkage name if it's one of C++, which tells more; Fortran's tells less than the name. */
static const char *die_name(Dwarf_Die *die)
{
	const char *linkage = die_string(die, DW_AT_linkage_name);
	const char *name = die_string(die, DW_AT_name);

	if (!linkage)
		linkage = die_string(die, DW_AT_MIPS_linkage_name);
	return linkage && (!name || is_mangled(linkage)) ? linkage : name;
}

static int has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

static void list_unit(struct image *image, struct unit *unit)
{
	Dwarf_Die split;
	uint8_t type;

	unit->is_listed = 1;
	unit->full = unit->die;
	if (!dwarf_cu_info(unit->die.cu, NULL, &type, NULL, &split, NULL, NULL, NULL) &&
	    type == DW_UT_skeleton && split.addr)
		unit->full = split;
	unit->scopes = scopes_of(&image->scopes, unit->full.cu);
	for (uint32_t i = 0; unit->scopes && i < unit->scopes->n; i++) {
		Dwarf_Die *die = &unit->scopes->scope[i].die;

		if (dwarf_tag(die) == DW_TAG_subprogram && has_code(die))
			ranges_add_die(&unit->functions, die,
				       (struct range){ .name = die_name(die),
						       .die = dwarf_dieoffset(die) });
	}
	ranges_sort(&unit->functions);
}

static struct unit *unit_add(struct image *image, const Dwarf_Die *die)
{
	if (image->n_units == image->room_units) {
		uint32_t room = image->room_units ? 2 * image->room_units : 16;
		struct unit *more = reallocarray(image->unit, room, sizeof(*more));

		if (!more)
			return NULL;
		image->unit = more;
		image->room_units = room;
	}
	image->unit[image->n_units] = (struct unit){ .die = *die };
	return &image->unit[image->n_units++];
}

static void list_units(struct image *image)
{
	struct range range = { 0 };
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (dwarf_get_units(image->dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		size_t n = image->units.n;

		range.number = image->n_units;
		ranges_add_die(&image->units, &die, range);
		if (image->units.n > n && !unit_add(image, &die))
			image->units.n = n;
	}
	ranges_sort(&image->units);
}

/* The unit that has this address, its functions listed. */
static struct unit *unit_at(struct image *image, Dwarf_Addr address)
{
	const struct range *range = ranges_find(&image->units, address);
	struct unit *unit = range ? &image->unit[range->number] : NULL;

	if (unit && !unit->is_listed)
		list_unit(image, unit);
	return unit;
}

/*
 * libdwfl asks for the file that has the DWARF; and then, if that refers to a file which dwz made,
 * for this one: it has no CRC, and its id is in the DWARF.  libdw's own callbacks would do the
 * same, but ask a debuginfod server too.
 */
static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			  const char *path, const char *link, GElf_Word crc, char **found)
{
	const struct image *image = *userdata;
	struct build_id id = { 0 };
	const void *bytes = NULL;
	const unsigned char *note = NULL;
	GElf_Addr at;
	Dwarf *dwarf = link && !crc ? dwfl_module_getdwarf(mod, &at) : NULL;
	ssize_t n_bytes;
	int fd;

	(void)name, (void)base;
	if (dwarf)
		n_bytes = dwelf_dwarf_gnu_debugaltlink(dwarf, &link, &bytes);
	else
		n_bytes = dwfl_module_build_id(mod, &note, &at);
	build_id_set(&id, dwarf ? bytes : note, n_bytes);
	fd = debugfile_by_id(image->roots, &id, ".debug", found);
	if (fd < 0 && link && path)
		fd = debugfile_by_link(image->roots, path, link, &id, crc, found);
	return fd < 0 ? -1 : fd;
}

/* Never called, as the file is there from the start. */
static int find_elf(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		    char **path, Elf **elf)
{
	(void)mod, (void)userdata, (void)name, (void)base, (void)path, (void)elf;
	return -1;
}

/* Bias 0, so that libdwfl's addresses are the file's own. */
static int image_load(struct image *image, int fd)
{
	void **userdata;

	image->callbacks.find_elf = find_elf;
	image->callbacks.find_debuginfo = find_debuginfo;
	image->dwfl = dwfl_begin(&image->callbacks);
	if (!image->dwfl)
		return -ENOMEM;
	dwfl_report_begin(image->dwfl);
	image->mod = dwfl_report_elf(image->dwfl, image->path, image->path, fd, 0, true);
	dwfl_report_end(image->dwfl, NULL, NULL);
	if (!image->mod)
		return -ENOEXEC;
	dwfl_module_info(image->mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = image;
	image->dwarf = dwfl_module_getdwarf(image->mod, &image->dwarf_bias);
	if (image->dwarf)
		list_units(image);
	return 0;
}

int image_open(struct image **out, int fd, const char *path, const char *roots)
{
	struct image *image = calloc(1, sizeof(*image));
	int ret = -ENOMEM;

	*out = NULL;
	if (image) {
		image->path = path;
		image->roots = roots;
		ret = image_load(image, fd);
	}
	if (!image || !image->mod)
		close(fd);
	if (!ret)
		*out = image;
	else
		image_free(image);
	return ret;
}

void image_free(struct image *image)
{
	if (!image)
		return;
	for (uint32_t i = 0; i < image->n_units; i++) {
		free(image->unit[i].functions.range);
		free(image->unit[i].source);
	}
	scopes_free(image->scopes);
	free(image->unit);
	free(image->units.range);
	free(image->symbols.range);
	free(image->objects.range);
	free(image->unwound.range);
	dwfl_end(image->dwfl);
	free(image);
}

static const struct range *symbol_at(struct image *image, uint64_t vaddr)
{
	if (!image->has_symbols)
		symbols_list(&image->symbols, image->mod);
	image->has_symbols = 1;
	return ranges_find(&image->symbols, vaddr);
}

const char *image_function(struct image *image, uint64_t vaddr, uint64_t *start)
{
	Dwarf_Addr address = vaddr - image->dwarf_bias;
	struct unit *unit = unit_at(image, address);
	const struct range *of_dwarf = unit ? ranges_find(&unit->functions, address) : NULL;
	const struct range *symbol;

	*start = of_dwarf ? of_dwarf->start + image->dwarf_bias : 0;
	if (of_dwarf && of_dwarf->name && is_mangled(of_dwarf->name))
		return of_dwarf->name;
	symbol = symbol_at(image, vaddr);
	if (!of_dwarf)
		*start = symbol ? symbol->start : 0;
	/* gcc leaves out the linkage names of what is local to a file, like lambdas */
	if (of_dwarf && of_dwarf->name &&
	    !(symbol && symbol->start == *start && is_mangled(symbol->name)))
		return of_dwarf->name;
	return symbol ? symbol->name : NULL;
}

uint64_t image_begin(struct image *image, uint64_t vaddr)
{
	const struct range *function;

	if (!image->has_unwound)
		symbols_list_unwound(&image->unwound, image->mod);
	image->has_unwound = 1;
	function = ranges_find(&image->unwound, vaddr);
	return function ? function->start : 0;
}

const char *image_object(struct image *image, uint64_t vaddr, uint64_t *start)
{
	const struct range *object;

	if (!image->has_objects)
		symbols_list_objects(&image->objects, image->mod);
	image->has_objects = 1;
	object = ranges_find(&image->objects, vaddr);
	*start = object ? object->start : 0;
	return object ? object->name : NULL;
}

/*
 * libdw puts the compilation directory before a name that the line table has without any.  Take
 * it off again, unless the compiler was given the whole path.
 */
static const char *as_written(struct unit *unit, const char *file)
{
	const char *dir = die_string(&unit->die, DW_AT_comp_dir);
	const char *name = die_string(&unit->full, DW_AT_name);
	size_t length = dir ? strlen(dir) : 0;

	if (!length || !name || *name == '/' || strncmp(file, dir, length) || file[length] != '/')
		return file;
	file += length + 1;
	return strchr(file, '/') && strcmp(file, name) ? file - length - 1 : file;
}

static bool function_die(struct unit *unit, const struct range *function, Dwarf_Die *die)
{
	return dwarf_offdie(dwarf_cu_getdwarf(unit->full.cu), function->die, die) != NULL;
}

/* The pragma of a task whose entry begins there: where its body is inlined, the line table begins
 * with that (clang 19).  NULL: no such entry, or not known. */
static const char *task_pragma(struct unit *unit, Dwarf_Addr address, uint32_t *line)
{
	static const char entry[] = ".omp_task_entry.";
	const struct range *function = ranges_find(&unit->functions, address);
	const char *name;
	Dwarf_Die die;

	if (!function || function->start != address || !function_die(unit, function, &die))
		return NULL;
	name = die_name(&die);
	return name && strncmp(name, entry, strlen(entry)) == 0 ? scopes_declared(&die, line)
								: NULL;
}

const char *image_line(struct image *image, uint64_t vaddr, int is_begin, uint32_t *line)
{
	Dwarf_Addr address = vaddr - image->dwarf_bias;
	struct unit *unit = unit_at(image, address);
	Dwarf_Line *row = unit ? line_table_row(&unit->die, address, is_begin) : NULL;
	const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	int number = 0;
	const char *pragma = row && is_begin ? task_pragma(unit, address, line) : NULL;

	if (pragma)
		return as_written(unit, pragma);
	*line = 0;
	if (!file || dwarf_lineno(row, &number) || number <= 0)
		return NULL;
	*line = (uint32_t)number;
	return as_written(unit, file);
}

/* ---- inlined code ---- */

uint32_t image_frames(struct image *image, uint64_t vaddr, struct image_frame frame[IMAGE_FRAMES])
{
	Dwarf_Addr address = vaddr - image->dwarf_bias;
	struct unit *unit = unit_at(image, address);
	const struct range *function = unit ? ranges_find(&unit->functions, address) : NULL;
	Dwarf_Die inlined[SCOPES_MOST], die;
	uint32_t n = 0, line, outer;
	const char *file = image_line(image, vaddr, 0, &line), *owner = NULL;
	uint64_t start;

	if (function && function_die(unit, function, &die))
		n = scopes_inlined(&die, address, inlined);
	for (uint32_t i = 0; i < n; i++) { /* the innermost is the last of them */
		Dwarf_Die *at = &inlined[n - 1 - i];

		frame[i] = (struct image_frame){ .function = die_name(at),
						 .owner = scopes_owner(&image->scopes, at),
						 .file = file,
						 .line = line };
		file = scopes_call(at, &outer);
		line = file ? outer : 0;
		file = file ? as_written(unit, file) : NULL;
	}
	if (function && die.addr)
		owner = scopes_owner(&image->scopes, &die);
	frame[n] = (struct image_frame){ .function = image_function(image, vaddr, &start),
					 .owner = owner,
					 .file = file,
					 .line = line };
	return n + 1;
}

static struct unit *function_at(struct image *image, uint64_t vaddr, Dwarf_Die *die)
{
	Dwarf_Addr address = vaddr - image->dwarf_bias;
	struct unit *unit = unit_at(image, address);
	const struct range *function = unit ? ranges_find(&unit->functions, address) : NULL;

	return function && function_die(unit, function, die) ? unit : NULL;
}

const char *image_code(struct image *image, uint64_t vaddr, uint32_t *line)
{
	Dwarf_Die die;
	struct unit *unit = function_at(image, vaddr, &die);
	const char *file = unit ? scopes_code(&image->scopes, &die, line) : NULL;

	return file ? as_written(unit, file) : NULL;
}

const char *image_declared(struct image *image, uint64_t vaddr, uint32_t *line)
{
	Dwarf_Die die;
	struct unit *unit = function_at(image, vaddr, &die);
	const char *file = unit ? scopes_declared(&die, line) : NULL;

	return file ? as_written(unit, file) : NULL;
}

/* ---- functions by their lines ---- */

static void add_source(struct unit *unit, Dwarf_Die *die)
{
	struct source source = { .name = die_name(die) };
	struct source *more = unit->source;

	source.file = scopes_declared(die, &source.line);
	if (!source.name || !source.file || shorten_is_outlined(source.name) ||
	    dwarf_hasattr(die, DW_AT_declaration))
		return;
	if (unit->n_sources == unit->room_sources) {
		uint32_t room = unit->room_sources ? 2 * unit->room_sources : 64;

		more = reallocarray(unit->source, room, sizeof(*more));
		if (!more)
			return;
		unit->source = more;
		unit->room_sources = room;
	}
	unit->source[unit->n_sources++] = source;
}

const char *image_around(struct image *image, uint64_t vaddr, const char *file, uint32_t line,
			 bool *several)
{
	struct unit *unit = unit_at(image, vaddr - image->dwarf_bias);
	const struct source *found = NULL;

	*several = false;
	for (uint32_t i = 0; unit && !unit->has_sources && unit->scopes && i < unit->scopes->n; i++)
		if (dwarf_tag(&unit->scopes->scope[i].die) == DW_TAG_subprogram)
			add_source(unit, &unit->scopes->scope[i].die);
	if (unit)
		unit->has_sources = 1;
	for (uint32_t i = 0; unit && i < unit->n_sources; i++) {
		const struct source *source = &unit->source[i];

		if (source->line > line || (found && source->line < found->line) ||
		    strcmp(as_written(unit, source->file), file) != 0)
			continue;
		if (!found || source->line > found->line) {
			found = source;
			*several = false;
		}
		*several |= strcmp(source->name, found->name) != 0;
	}
	return found ? found->name : NULL;
}

/* The last line of the file that the rows of a function name. */
static void widen(struct unit *unit, const struct range *function, const char *file, uint32_t *last)
{
	Dwarf_Lines *rows;
	Dwarf_Addr at;
	size_t n_rows;
	int line;

	if (dwarf_getsrclines(&unit->die, &rows, &n_rows))
		return;
	for (size_t i = line_table_before(rows, n_rows, function->start); i < n_rows; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);
		const char *of_row = dwarf_linesrc(row, NULL, NULL);

		if (dwarf_lineaddr(row, &at) || at >= function->end)
			break;
		if (dwarf_lineno(row, &line) || line <= 0 || !of_row ||
		    strcmp(as_written(unit, of_row), file) != 0)
			continue;
		*last = (uint32_t)line > *last ? (uint32_t)line : *last;
	}
}

const char *image_extent(struct image *image, const char *function, uint32_t *first, uint32_t *last)
{
	const char *file = NULL;

	if (!image->has_symbols)
		symbols_list(&image->symbols, image->mod);
	image->has_symbols = 1;
	for (size_t i = 0; i < image->symbols.n && !file; i++) {
		const struct range *symbol = &image->symbols.range[i];
		Dwarf_Addr address = symbol->start - image->dwarf_bias;
		struct unit *unit;
		const struct range *found;

		if (strcmp(symbol->name, function) != 0)
			continue;
		unit = unit_at(image, address);
		found = unit ? ranges_find(&unit->functions, address) : NULL;
		file = found ? image_line(image, symbol->start, 1, first) : NULL;
		*last = *first;
		if (file)
			widen(unit, found, file, last);
	}
	return file;
}
