/* SPDX-License-Identifier: MIT */
/* symbols.c - takes functions and variables of a table of symbols, the best name of each, and
 * functions without a name of the tables for unwinding. */
#include "tools/names/symbols.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stddef.h>
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

/* ---- functions without a symbol ---- */

/*
 * .eh_frame_hdr, as linkers make it, which stripped files have, too: behind the header a row for
 * each function, with its entry (FDE) in .eh_frame; both are from the header on.
 */
struct unwind_header {
	uint8_t version, eh_frame_encoding, count_encoding, table_encoding;
	int32_t eh_frame;
	uint32_t n;
};
struct unwind_row {
	int32_t function, entry;
};
struct unwind_entry {
	uint32_t bytes, cie;
	int32_t function; /* from this field on */
	uint32_t function_bytes;
};

/* What is loaded from the file at [vaddr, vaddr + n), without bias. */
struct segment {
	const char *at;
	uint64_t vaddr, n;
};

static bool segment_read(const struct segment *segment, uint64_t vaddr, void *out, uint64_t n)
{
	uint64_t from = vaddr - segment->vaddr;

	if (vaddr < segment->vaddr || from > segment->n || n > segment->n - from)
		return false;
	memcpy(out, segment->at + from, n);
	return true;
}

static GElf_Phdr *find_phdr(Elf *elf, uint32_t type, uint64_t vaddr, GElf_Phdr *phdr)
{
	size_t n;

	for (size_t i = 0; elf_getphdrnum(elf, &n) == 0 && i < n; i++)
		if (gelf_getphdr(elf, (int)i, phdr) && phdr->p_type == type &&
		    (type != PT_LOAD || vaddr - phdr->p_vaddr < phdr->p_filesz))
			return phdr;
	return NULL;
}

/* That of the header, which linkers put into one with .eh_frame. */
static struct segment unwind_segment(Elf *elf, uint64_t *header)
{
	GElf_Phdr phdr;
	Elf_Data *data = NULL;

	if (!find_phdr(elf, PT_GNU_EH_FRAME, 0, &phdr))
		return (struct segment){ 0 };
	*header = phdr.p_vaddr;
	if (find_phdr(elf, PT_LOAD, *header, &phdr))
		data = elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset, phdr.p_filesz, ELF_T_BYTE);
	return data ? (struct segment){ data->d_buf, phdr.p_vaddr, data->d_size }
		    : (struct segment){ 0 };
}

/* An entry that is encoded otherwise does not say that it begins there. */
static struct range unwound(const struct segment *segment, uint64_t header, uint32_t i)
{
	uint64_t at = header + sizeof(struct unwind_header) + i * sizeof(struct unwind_row);
	struct unwind_row row;
	struct unwind_entry entry;
	uint64_t function, where;

	if (!segment_read(segment, at, &row, sizeof(row)))
		return (struct range){ .name = NULL };
	function = header + (uint64_t)(int64_t)row.function;
	where = header + (uint64_t)(int64_t)row.entry;
	if (!segment_read(segment, where, &entry, sizeof(entry)))
		return (struct range){ .name = NULL };
	where += offsetof(struct unwind_entry, function) + (uint64_t)(int64_t)entry.function;
	return (struct range){ .start = function,
			       .end = where == function ? function + entry.function_bytes : 0 };
}

void symbols_list_unwound(struct ranges *functions, Dwfl_Module *mod)
{
	GElf_Addr bias = 0;
	uint64_t at = 0;
	Elf *elf = dwfl_module_getelf(mod, &bias);
	struct segment segment = elf ? unwind_segment(elf, &at) : (struct segment){ 0 };
	struct unwind_header header;

	if (!segment_read(&segment, at, &header, sizeof(header)) || header.version != 1 ||
	    header.count_encoding != DW_EH_PE_udata4 ||
	    header.table_encoding != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return;
	for (uint32_t i = 0; i < header.n && i < segment.n / sizeof(struct unwind_row); i++) {
		struct range range = unwound(&segment, at, i);

		range.start += bias;
		range.end += range.end ? bias : 0;
		ranges_add(functions, &range);
	}
	ranges_sort(functions);
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
