/* SPDX-License-Identifier: MIT */
/*
 * linkage.h - a loaded file's dynamic section: what it calls of other files, and by which slots.
 *
 * Nothing is allocated or locked, and no function of the loader's is called: the caller may hold
 * its lock.  The file must stay loaded meanwhile.
 */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "shims/common/segment.h"

struct linkage {
	uintptr_t bias;
	const ElfW(Dyn) * dynamic;
	const ElfW(Sym) * symbol;
	const char *text;
	const uint32_t *hash;	 /* GNU's; NULL */
	const uint16_t *version; /* of each symbol; NULL */
	struct {
		const ElfW(Rela) * first;
		size_t n;
	} relocations[2]; /* of calls by a stub, others */
};

/* False if there is nothing to be read, or on a machine whose relocations are not known. */
bool linkage_open(struct linkage *file, uintptr_t bias, const ElfW(Dyn) * dynamic) CALL_HIDDEN;

/* The n-th string with that tag of the dynamic section; NULL. */
const char *linkage_text(const struct linkage *file, int64_t tag, size_t n) CALL_HIDDEN;

/* Whether it has constructors, but for the one that compilers put into each file. */
bool linkage_constructs(const struct linkage *file) CALL_HIDDEN;

/* A symbol that the file defines, by its name; NULL. */
const ElfW(Sym) * linkage_defines(const struct linkage *file, const char *name) CALL_HIDDEN;

/* The slot of a relocation that is the address of a symbol, which may be another file's; NULL:
 * none. */
void **linkage_slot(const struct linkage *file, const ElfW(Rela) * relocation,
		    const ElfW(Sym) * *symbol) CALL_HIDDEN;
