/* SPDX-License-Identifier: MIT */
/*
 * module.h - the program's code as it comes and goes, for shims that keep something by address.
 *
 * A module is a file that is, or was, loaded to some place; its number, from 1, stays.  Loaded
 * there once more it has the same; another in its place has another.  Any thread, off the hot path.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/session/exported.h"

/* How often modules were found to be gone, up to now; 0 as long as nothing is recorded. */
uint64_t record_unloads(void) EXPORT_AS(record_unloads);

/* The module at this address; 0: there is none, or nothing is recorded. */
uint32_t record_module(uintptr_t address) EXPORT_AS(record_module);

/*
 * Whether the call that returns there is made by a task runtime's own library, known by its file's
 * name, and not by the program's code that the library has called.
 */
bool record_runtime_calls(uintptr_t return_address) EXPORT_AS(record_runtime_calls);

/* Whether the code at the site's addresses is what it was when the site was made. */
bool record_site_stands(uint32_t site) EXPORT_AS(record_site_stands);

/* The code at that path calls runtimes without coming by the shims: what it makes is lost. */
void record_bypass(const char *path) EXPORT_AS(record_bypass);
