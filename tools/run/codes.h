/* SPDX-License-Identifier: MIT */
/*
 * codes.h - which kinds of a run run the same code, by its names.
 *
 * Tasks of one code may have several kinds: several places create them, or a compiler copied it,
 * with its directives, into loops that it unrolled and functions that it inlined.
 */
#pragma once

#include "tools/dag/dag.h"
#include "tools/run/sites.h"

/*
 * code[k] becomes the first kind of the same function, file, line and module as k; k itself where
 * that is not known.  Where only the function is, it must be at the same address.  *any: at least
 * two are the same.  0 or -ENOMEM.
 */
int codes_find(kind_id *code, bool *any, const struct dag *dag, const struct sites *sites);
