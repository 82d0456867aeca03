/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h - what the fuzz targets share: bytes as a trace file, and all that the tools do with one.
 *
 * A target is a LLVMFuzzerTestOneInput() of its own.  Whatever the bytes are, they are refused
 * with one line, or what is made of them keeps its promises.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "collector/trace/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct reader;

/* Ends the program, for the fuzzer to notice. */
#define fuzz_check(condition)                                                                      \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fuzz_fail(__FILE__, __LINE__, #condition);                                 \
	} while (0)
_Noreturn void fuzz_fail(const char *file, int line, const char *what);

/* A file in memory with these bytes; its path is good while the descriptor is open. */
int fuzz_file(const void *data, size_t bytes, char path[64]);

/* An error has one line. */
void fuzz_told(int error, const struct err *err);

/* Opens what is at the path and does all that info, dump and report do, on no output. */
void fuzz_read(const char *path);
