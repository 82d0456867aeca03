/* SPDX-License-Identifier: MIT */
/*
 * names.h - what stands at an address of the traced program: function, file and line.
 *
 * Works offline, from the modules that the trace declares and the files that are on this
 * machine now.  A module is opened at the first address asked in it, and never over the network.
 * A file counts as the module's only if it has the recorded build id.  In this order:
 *
 *	the recorded path; <root>/.build-id/xx/yyyy and <root>/.build-id/xx/yyyy.debug; for the
 *	kernel's vdso, the one in our own process
 *
 * and, where that file has no DWARF of its own, its separate debug file:
 *
 *	<root>/.build-id/xx/yyyy.debug; the name in .gnu_debuglink beside the file, in .debug/
 *	beside it, and in <root>/<the file's directory>
 *
 * with <root> each of TPTRACE_DEBUG_PATH (colon separated), then /usr/lib/debug.
 *
 * A function's name comes from DWARF, else from .symtab, .dynsym or .gnu_debugdata.  C++ names
 * are demangled, with arguments, if libstdc++.so.6 is installed.  Functions that a compiler cut
 * out of others keep the name that it gave them: "fib._omp_fn.0".  Where code was inlined, file
 * and line are the innermost ones and the function is the one that it was inlined into.
 *
 * One thread at a time.
 */
#pragma once

#include <stdint.h>

struct names;

struct name {
	const char *function; /* NULL: not known, say module + offset */
	const char *file;     /* as the compiler was told it: may be relative; NULL: not known */
	uint32_t line;	      /* from 1; 0, with file NULL: not known */
	const char *module;   /* the path as declared; NULL: no module has this address */
	uint64_t offset;      /* address - bias, as addr2line wants it; 0 without a module */
};

int names_open(struct names **out);   /* 0 or -errno; then *out is yours to names_free() */
void names_free(struct names *names); /* NULL is fine; ends every string that names_of() gave */

/*
 * Declare that the traced process had the file `path` at [start, end), at bias + ELF vaddr each.
 * build_id is hex text, or "" if it isn't known: then whatever is at path now is believed.  Modules
 * are numbered from 1 by these calls, also by those that fail.  0, -ENOMEM, or -EINVAL: an empty
 * range, or not hex.
 */
int names_module(struct names *names, uint64_t start, uint64_t end, uint64_t bias, const char *path,
		 const char *build_id);

/*
 * What stands at this run-time address, in the module of that number; 0: in the last declared of
 * those that have it.  A return address is looked up one byte earlier, in the
 * call.  At the first byte of a function, file and line are where the function begins: for an
 * outlined one, the directive it comes from.  Never fails: what isn't known is NULL or 0.
 */
struct name names_in(struct names *names, uint32_t module, uint64_t address, int is_return_address);
static inline struct name names_of(struct names *names, uint64_t address, int is_return_address)
{
	return names_in(names, 0, address, is_return_address);
}

/*
 * The path of the i-th module whose file was changed since the recording, so that it gave no
 * names; NULL after the last.  Only modules that names_of() has met are counted, in the order
 * that they were declared.
 */
const char *names_stale(const struct names *names, uint32_t i);
