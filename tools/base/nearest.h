/* SPDX-License-Identifier: MIT */
/* nearest.h - what somebody may have meant who typed a word that there is not. */
#pragma once

#include <stddef.h>

/*
 * The one of n words that is nearest to `typed`, by single letters left out, added, replaced or
 * exchanged with the next; the first of equals.  NULL if it takes more than two, or a third of the
 * letters.
 */
const char *nearest_of(const char *typed, const char *const *word, size_t n);
