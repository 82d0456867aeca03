/* SPDX-License-Identifier: MIT */
/*
 * shorten.h - what users recognise of a demangled name.
 *
 * Only tools/names calls it.  What comes back is malloc'd, yours to free(); NULL: no memory.
 */
#pragma once

#include <stdbool.h>

/*
 * The name of a function without its result, its arguments, what compilers append to it
 * (._omp_fn.0, .constprop.0, [clone ..]), unnamed namespaces and the call operator of a lambda.
 * Arguments of templates are cut, the innermost first, until the name is short:
 *
 *	int app::load<int>(char)::{lambda(int)#1}::operator()(int) const
 *	app::load<int>()::{lambda #1}
 */
char *shorten_function(const char *demangled);

/* Likewise that of a type. */
char *shorten_type(const char *demangled);

/*
 * Of one of oneTBB's task classes: the type of the user's code in it, or, if that has no name, the
 * algorithm that it belongs to.  NULL: not such a class.
 */
char *shorten_task(const char *demangled);

/* Which argument of the template of that name holds the user's code, from 0; -1: none is known to.
 */
int shorten_code_argument(const char *name);

/* Whether a compiler made the function for a directive (fib._omp_fn.0, .omp_outlined.,
 * __omp_offloading_35_ab01_fib_l18). */
bool shorten_is_outlined(const char *name);
