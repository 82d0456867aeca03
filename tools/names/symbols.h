/* SPDX-License-Identifier: MIT */
/* symbols.h - the functions and variables of an ELF file, by its symbols.  For image.c alone. */
#pragma once

#include <elfutils/libdwfl.h>

#include "tools/names/range.h"

/* Lists them, sorted for ranges_find(), of .symtab, .dynsym or .gnu_debugdata. */
void symbols_list(struct ranges *symbols, Dwfl_Module *mod);

/* Likewise, without names, functions that can be unwound (.eh_frame_hdr): stripped ones, too. */
void symbols_list_unwound(struct ranges *functions, Dwfl_Module *mod);

/* Likewise the variables, those of threads apart. */
void symbols_list_objects(struct ranges *objects, Dwfl_Module *mod);
