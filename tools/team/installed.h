/* SPDX-License-Identifier: MIT */
/* installed.h - where the libraries and programs are that come with this program. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The directory of that file: beside this program, or ../lib/tptrace from it (scripts/install.mk).
 */
bool installed_directory(const char *file, char *out, size_t room);
