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
 * A function's name comes from DWARF, else from .symtab, .dynsym or .gnu_debugdata.  It is the one
 * that users wrote: C++ is demangled (by libstdc++.so.6, if that is installed) and shortened
 * (shorten.h), and what a compiler cut out of a function, fib._omp_fn.0 or .omp_outlined., has the
 * name of that function.  Where code was inlined, function, file and line are the innermost ones
 * that are not of a library's header (oneTBB's, libstdc++'s).
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
	uint64_t offset; /* address - bias, as addr2line wants it; without a module the address */
	uint64_t function_begin; /* run-time address of its first byte; 0: not known */
	const char *header; /* of a library, whose code was inlined there into the function; NULL */
	const char *around; /* the function that this one was inlined into, at last; NULL: none */
	uint8_t in_header;  /* a library's: no user's code is known around it */
	uint8_t is_nameless; /* the function's name is a compiler's, and tells nobody anything, or
				is that of any instance of a template */
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
 * The variable at a run-time address: `guard`, `app::pool`, `pool+0x20`; of a named critical
 * section, which compilers give a variable, `critical(histogram)`.  NULL: not known, as of what is
 * on the heap or a stack.
 */
const char *names_object(struct names *names, uint64_t address);

/*
 * What a task of oneTBB runs, by the name of its class as typeid() gives it: the user's code, or
 * else the algorithm.  Only `function` is set; NULL: it is no such name.
 */
struct name names_task(struct names *names, const char *type);

/*
 * File and lines of the function of that name in the module whose path this is; *last_line >= line.
 * file is NULL if they are not known.
 */
struct name names_extent(struct names *names, const char *path, const char *function,
			 uint32_t *last_line);

/* The function; of one that is not known, the module and the offset, or the address. */
const char *names_say(struct names *names, const struct name *name);

/* The function's name and a number, by which those of one name are told apart. */
const char *names_numbered(struct names *names, const char *function, uint32_t number);

/* Look whether the file of the module of that number was changed, for names_stale(). */
void names_compare(struct names *names, uint32_t module);

/*
 * The path of the i-th module whose file was changed since the recording, so that it gave no
 * names; NULL after the last.  Only modules that names_of() has met are counted, in the order
 * that they were declared.
 */
const char *names_stale(const struct names *names, uint32_t i);
