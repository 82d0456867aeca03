/* SPDX-License-Identifier: MIT */
/*
 * exported.h - what libtptrace.so shows to shims, under names of its own.
 *
 * A preloaded library comes first in the search for every symbol: a plain name could take the
 * place of a function of the program.
 */
#pragma once

#define EXPORT_AS(name) __asm__("tptrace_" #name) __attribute__((visibility("default")))
