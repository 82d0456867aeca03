/* SPDX-License-Identifier: MIT */
/* symbols.c - takes functions and variables of a table of symbols, and the best name of each. */
#include "tools/names/symbols.h"

#include <string.h>

#define SYMBOL_SIZED 32u /* part of a symbol's quality */

/*
 * 0: not a function's.  Where several stand at one address the highest is taken, SYMBOL_SIZED
 * and up if it has a size, which one from assembler need not have.
 */
static uint32_t symbol_quality(const GElf_Sym *sym, const char *name)
{
	uint32_t type = GELF_ST_TYPE(sym->st_info);
	uint32_t is_global = GELF_ST_BIND(sym->st_info) != STB_LOCAL;
	uint32_t is_typed = type != STT_NOTYPE;
	uint32_t underscores = (uint32_t)strspn(name, "_");

	if (!*name || (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
	    (type == STT_NOTYPE && *name == '$')) /* $x, $d: arm's marks between code and data */
		return 0;
	return 1 + is_global + 2 * (3 - (underscores < 3 ? underscores : 3)) + 8 * is_typed +
	       (sym->st_size ? SYMBOL_SIZED : 0);
}

/* The end of the section that a symbol is in; 0 if that isn't one of code. */
static uint64_t code_end(Elf *elf, GElf_Word section, GElf_Addr bias)
{
	GElf_Shdr mem;
	GElf_Shdr *shdr = gelf_getshdr(elf_getscn(elf, section), &mem);

	return shdr && shdr->sh_flags & SHF_EXECINSTR ? shdr->sh_addr + shdr->sh_size + bias : 0;
}

static void list_symbol(struct ranges *symbols, Dwfl_Module *mod, int i)
{
	struct range range = { 0 };
	GElf_Addr bias;
	GElf_Word section;
	GElf_Sym sym;
	Elf *elf;

	range.name = dwfl_module_getsym_info(mod, i, &sym, &range.start, &section, &elf, &bias);
	if (!range.name || section == SHN_UNDEF)
		return;
	range.number = symbol_quality(&sym, range.name);
	range.end = range.number ? code_end(elf, section, bias) : 0;
	if (range.start >= range.end)
		return;
	if (sym.st_size && sym.st_size < range.end - range.start)
		range.end = range.start + sym.st_size;
	ranges_add(symbols, &range);
}

/* A symbol without a size goes to the next one at most, and inside another it's only a label. */
static void settle_symbols(struct ranges *symbols)
{
	uint64_t reach = 0;
	size_t n = 0;

	for (size_t i = 0; i < symbols->n; i++) {
		struct range range = symbols->range[i];
		int is_sized = range.number >= SYMBOL_SIZED;

		if (!is_sized && range.start < reach)
			continue;
		if (is_sized && range.end > reach)
			reach = range.end;
		if (n && symbols->range[n - 1].number < SYMBOL_SIZED &&
		    symbols->range[n - 1].end > range.start)
			symbols->range[n - 1].end = range.start;
		symbols->range[n++] = range;
	}
	symbols->n = n;
}

void symbols_list(struct ranges *symbols, Dwfl_Module *mod)
{
	int n = dwfl_module_getsymtab(mod);

	for (int i = 0; i < n; i++)
		list_symbol(symbols, mod, i);
	ranges_sort(symbols);
	settle_symbols(symbols);
}

void symbols_list_objects(struct ranges *objects, Dwfl_Module *mod)
{
	int n = dwfl_module_getsymtab(mod);

	for (int i = 0; i < n; i++) {
		struct range range = { 0 };
		GElf_Addr bias;
		GElf_Word section;
		GElf_Sym sym;
		Elf *elf;

		range.name = dwfl_module_getsym_info(mod, i, &sym, &range.start, &section, &elf,
						     &bias);
		if (!range.name || !*range.name || section == SHN_UNDEF ||
		    GELF_ST_TYPE(sym.st_info) != STT_OBJECT)
			continue;
		range.end = range.start + sym.st_size;
		range.number = GELF_ST_BIND(sym.st_info) != STB_LOCAL;
		ranges_add(objects, &range);
	}
	ranges_sort(objects);
}
