/* SPDX-License-Identifier: MIT */
/* scopes.c - goes down from a function to what was inlined, and up to the class it is of. */
#include "tools/names/scopes.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/sorted.h"
#include "tools/names/shorten.h"

#define STEPS_MOST 16  /* from a task's class to the user's */
#define DEPTH_MAX 128u /* of DIEs in each other; more is taken for corrupt */

/* ---- all of a unit ---- */

static bool may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_structure_type: /* gcc: local classes and lambdas */
	case DW_TAG_class_type:
		return true;
	}
	return false;
}

static bool scopes_add(struct scopes *scopes, const Dwarf_Die *die, uint32_t around)
{
	if (scopes->n == scopes->room) {
		uint32_t room = scopes->room ? 2 * scopes->room : 256;
		struct scope *more = reallocarray(scopes->scope, room, sizeof(*more));

		if (!more)
			return false;
		scopes->scope = more;
		scopes->room = room;
	}
	scopes->scope[scopes->n++] = (struct scope){ .die = *die, .around = around };
	return true;
}

/*
 * *last is the DIE seen last: going only forward from there ends also where corrupt sibling
 * references go round in circles.
 */
static void list_below(struct scopes *scopes, Dwarf_Die *parent, uint32_t around, const void **last,
		       unsigned depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		if ((const char *)die.addr <= (const char *)*last)
			return;
		*last = die.addr;
		if (!may_hold_functions(dwarf_tag(&die)))
			continue;
		if (!scopes_add(scopes, &die, around))
			return;
		list_below(scopes, &die, scopes->n - 1, last, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

struct scopes *scopes_of(struct scopes **all, Dwarf_CU *unit)
{
	struct scopes *scopes = *all;
	const void *last;
	Dwarf_Die root;

	while (scopes && scopes->unit != unit)
		scopes = scopes->next;
	if (scopes || !dwarf_cu_die(unit, &root, NULL, NULL, NULL, NULL, NULL, NULL))
		return scopes;
	scopes = calloc(1, sizeof(*scopes));
	if (!scopes)
		return NULL;
	last = root.addr;
	scopes->unit = unit;
	list_below(scopes, &root, SCOPES_NONE, &last, 0);
	scopes->next = *all;
	*all = scopes;
	return scopes;
}

void scopes_free(struct scopes *all)
{
	while (all) {
		struct scopes *next = all->next;

		free(all->scope);
		free(all);
		all = next;
	}
}

/* ---- around one function ---- */

/* The DIE below `parent` that is inlined code at the address, or leads there. */
static bool step_down(Dwarf_Die *parent, Dwarf_Addr address, Dwarf_Die *found)
{
	Dwarf_Off last = dwarf_dieoffset(parent);

	if (dwarf_child(parent, found))
		return false;
	do {
		int tag = dwarf_tag(found);

		if (dwarf_dieoffset(found) <= last) /* corrupt */
			return false;
		last = dwarf_dieoffset(found);
		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
		    dwarf_haspc(found, address) > 0)
			return true;
	} while (dwarf_siblingof(found, found) == 0);
	return false;
}

uint32_t scopes_inlined(Dwarf_Die *function, Dwarf_Addr address, Dwarf_Die inlined[SCOPES_MOST])
{
	Dwarf_Die at = *function, next;
	uint32_t n = 0;

	for (uint32_t depth = 0; depth < 4 * SCOPES_MOST && step_down(&at, address, &next);
	     depth++) {
		if (dwarf_tag(&next) == DW_TAG_inlined_subroutine && n < SCOPES_MOST)
			inlined[n++] = next;
		at = next;
	}
	return n;
}

/* As dwarf_decl_file(), which takes the first file of DWARF 5 for none. */
static const char *file_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute mem;
	Dwarf_Attribute *attr = dwarf_attr_integrate(die, attribute, &mem);
	Dwarf_Files *files;
	Dwarf_Die unit;
	Dwarf_Half version;
	Dwarf_Word file;
	size_t n_files;

	if (!attr || dwarf_formudata(attr, &file) ||
	    !dwarf_cu_die(mem.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) ||
	    (file == 0 && version < 5) || dwarf_getsrcfiles(&unit, &files, &n_files) ||
	    file >= n_files)
		return NULL;
	return dwarf_filesrc(files, file, NULL, NULL);
}

static bool line_of(Dwarf_Die *die, unsigned attribute, uint32_t *line)
{
	Dwarf_Attribute mem;
	Dwarf_Word number;

	if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &mem), &number) || !number ||
	    number > UINT32_MAX)
		return false;
	*line = (uint32_t)number;
	return true;
}

const char *scopes_call(Dwarf_Die *inlined, uint32_t *line)
{
	return line_of(inlined, DW_AT_call_line, line) ? file_of(inlined, DW_AT_call_file) : NULL;
}

const char *scopes_declared(Dwarf_Die *function, uint32_t *line)
{
	return line_of(function, DW_AT_decl_line, line) ? file_of(function, DW_AT_decl_file) : NULL;
}

bool scopes_is_header(const char *file)
{
	static const char *const folders[] = { "/include/oneapi/",
					       "/include/tbb/",
					       "/include/c++/",
					       "/include/g++",
					       "/include/pstl/",
					       "/tptrace_task.h" /* copied to anywhere */ };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (strstr(file, folders[i]))
			return true;
	/* clang names those of GCC's library from its own place on */
	return !strncmp(file, "/usr/include/", 13) || !strncmp(file, "/usr/lib/", 9) ||
	       !strncmp(file, "/usr/bin/../", 12);
}

/* What a reference leads to, past typedefs and const. */
static bool follow(Dwarf_Die *die, unsigned attribute, Dwarf_Die *to)
{
	Dwarf_Attribute mem;

	if (!dwarf_formref_die(dwarf_attr_integrate(die, attribute, &mem), to))
		return false;
	for (int i = 0; i < STEPS_MOST; i++) {
		int tag = dwarf_tag(to);

		if (tag != DW_TAG_typedef && tag != DW_TAG_const_type)
			return true;
		if (!dwarf_formref_die(dwarf_attr(to, DW_AT_type, &mem), to))
			return false;
	}
	return false;
}

static bool is_class(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/* The scopes of the unit of a method's declaration, and its own among them; NULL: not known. */
static struct scopes *declared_in(struct scopes **all, Dwarf_Die *method, uint32_t *at)
{
	Dwarf_Die declared = *method;
	struct scopes *scopes;
	Dwarf_Attribute mem;
	uint64_t n;

	/* from the code to the abstract function, and from there to the class's own line */
	for (int i = 0; i < STEPS_MOST; i++)
		if (!dwarf_formref_die(dwarf_attr(&declared, DW_AT_abstract_origin, &mem),
				       &declared) &&
		    !dwarf_formref_die(dwarf_attr(&declared, DW_AT_specification, &mem), &declared))
			break;
	scopes = scopes_of(all, declared.cu);
	n = scopes ? SORTED_BEFORE(scopes->scope, scopes->n, it->die.addr <= declared.addr) : 0;
	*at = (uint32_t)n - 1;
	return n && scopes->scope[*at].die.addr == declared.addr ? scopes : NULL;
}

/* The class that a method is of. */
static bool class_of(struct scopes **all, Dwarf_Die *method, Dwarf_Die *class)
{
	uint32_t at;
	struct scopes *scopes = declared_in(all, method, &at);

	if (!scopes || scopes->scope[at].around == SCOPES_NONE)
		return false;
	*class = scopes->scope[scopes->scope[at].around].die;
	return is_class(class);
}

static const char *linkage_name(Dwarf_Die *function)
{
	Dwarf_Attribute mem;

	return dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &mem));
}

const char *scopes_owner(struct scopes **all, Dwarf_Die *function)
{
	const char *name = dwarf_diename(function), *owner = NULL;
	struct scopes *scopes;
	uint32_t at;

	if (!name || strcmp(name, "operator()") != 0 || linkage_name(function))
		return NULL;
	scopes = declared_in(all, function, &at);
	while (scopes && !owner && (at = scopes->scope[at].around) != SCOPES_NONE) {
		Dwarf_Die *die = &scopes->scope[at].die;

		if (dwarf_tag(die) != DW_TAG_subprogram)
			continue;
		owner = linkage_name(die);
		owner = owner ? owner : dwarf_diename(die);
	}
	return owner;
}

/* The first type that is an argument of the template, from the n-th on, and a class. */
static bool argument_of(Dwarf_Die *class, int n, Dwarf_Die *type)
{
	Dwarf_Off last = dwarf_dieoffset(class);
	Dwarf_Die die;

	if (n < 0 || dwarf_child(class, &die))
		return false;
	do {
		if (dwarf_dieoffset(&die) <= last)
			return false;
		last = dwarf_dieoffset(&die);
		if (dwarf_tag(&die) == DW_TAG_template_type_parameter && n-- <= 0 &&
		    follow(&die, DW_AT_type, type) && is_class(type)) {
			const char *file = file_of(type, DW_AT_decl_file),
				   *name = dwarf_diename(type);

			if ((file && !scopes_is_header(file)) ||
			    (name && shorten_code_argument(name) >= 0))
				return true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* The line of the call operator, or of the class itself. */
static const char *code_of(Dwarf_Die *class, uint32_t *line)
{
	Dwarf_Off last = dwarf_dieoffset(class);
	Dwarf_Die die, *found = class;
	uint32_t number;

	if (dwarf_child(class, &die) == 0)
		do {
			const char *name = dwarf_diename(&die);

			if (dwarf_dieoffset(&die) <= last)
				break;
			last = dwarf_dieoffset(&die);
			if (dwarf_tag(&die) == DW_TAG_subprogram && name &&
			    !strcmp(name, "operator()") && scopes_declared(&die, &number)) {
				found = &die;
				break;
			}
		} while (dwarf_siblingof(&die, &die) == 0);
	return scopes_declared(found, line);
}

const char *scopes_code(struct scopes **all, Dwarf_Die *method, uint32_t *line)
{
	Dwarf_Die class, inner;
	const char *name;

	if (!class_of(all, method, &class))
		return NULL;
	name = dwarf_diename(&class);
	if (!name || shorten_code_argument(name) < 0)
		return NULL;
	for (int i = 0; i < STEPS_MOST && name; i++) {
		int n = shorten_code_argument(name);

		if (n < 0)
			return code_of(&class, line);
		if (!argument_of(&class, n, &inner))
			return NULL;
		class = inner;
		name = dwarf_diename(&class);
	}
	return code_of(&class, line);
}
