/* SPDX-License-Identifier: MIT */
/* linkage.c - reads dynamic sections. */
#include "shims/common/linkage.h"

#include <string.h>

#ifdef __x86_64__
#define IS_SLOT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#else
#define IS_SLOT(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#endif

/* glibc has made addresses of these, but where the section is read-only (the vdso's). */
static const void *linkage_place(const struct linkage *file, uintptr_t value)
{
	return (const void *)(value < file->bias ? file->bias + value : value);
}

static uintptr_t value_of(const struct linkage *file, int64_t tag)
{
	for (const ElfW(Dyn) *at = file->dynamic; at->d_tag != DT_NULL; at++)
		if (at->d_tag == tag)
			return at->d_un.d_val;
	return 0;
}

static const void *table(const struct linkage *file, int64_t tag)
{
	uintptr_t value = value_of(file, tag);

	return value ? linkage_place(file, value) : NULL;
}

bool linkage_open(struct linkage *file, uintptr_t bias, const ElfW(Dyn) * dynamic)
{
	*file = (struct linkage){ .bias = bias, .dynamic = dynamic };
	if (!dynamic)
		return false;
	file->symbol = table(file, DT_SYMTAB);
	file->text = table(file, DT_STRTAB);
	file->hash = table(file, DT_GNU_HASH);
	file->version = table(file, DT_VERSYM);
	if (value_of(file, DT_PLTREL) == DT_RELA) {
		file->relocations[0].first = table(file, DT_JMPREL);
		file->relocations[0].n = value_of(file, DT_PLTRELSZ) / sizeof(ElfW(Rela));
	}
	file->relocations[1].first = table(file, DT_RELA);
	file->relocations[1].n = value_of(file, DT_RELASZ) / sizeof(ElfW(Rela));
	return file->symbol && file->text;
}

const char *linkage_text(const struct linkage *file, int64_t tag, size_t n)
{
	for (const ElfW(Dyn) *at = file->dynamic; at->d_tag != DT_NULL; at++)
		if (at->d_tag == tag && n-- == 0)
			return file->text + at->d_un.d_val;
	return NULL;
}

bool linkage_constructs(const struct linkage *file)
{
	for (const ElfW(Dyn) *at = file->dynamic; at->d_tag != DT_NULL; at++)
		if (at->d_tag == DT_INIT_ARRAYSZ)
			return at->d_un.d_val > sizeof(void (*)(void));
	return false;
}

/* [The tables of DT_GNU_HASH: its bloom filter is left aside] */
const ElfW(Sym) * linkage_defines(const struct linkage *file, const char *name)
{
	const uint32_t *head = file->hash; /* buckets, first symbol, words of the filter, shift */
	const uint32_t *bucket, *chain;
	uint32_t hash = 5381, i;

	if (!head || !head[0])
		return NULL;
	for (const unsigned char *at = (const unsigned char *)name; *at; at++)
		hash = hash * 33 + *at;
	bucket = head + 4 + head[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
	chain = bucket + head[0] - head[1];
	i = bucket[hash % head[0]];
	if (i < head[1])
		return NULL;
	do {
		const ElfW(Sym) *symbol = &file->symbol[i];

		if ((chain[i] | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
		    strcmp(file->text + symbol->st_name, name) == 0)
			return symbol;
	} while (!(chain[i++] & 1));
	return NULL;
}

void **linkage_slot(const struct linkage *file, const ElfW(Rela) * relocation,
		    const ElfW(Sym) * *symbol)
{
	*symbol = &file->symbol[ELF64_R_SYM(relocation->r_info)];
	if (!IS_SLOT(ELF64_R_TYPE(relocation->r_info)))
		return NULL;
	return (void **)(file->bias + relocation->r_offset); /* NOLINT: an address */
}
