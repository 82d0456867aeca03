/* SPDX-License-Identifier: MIT */
/* segment.h - files in memory: whose code an address is. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CALL_HIDDEN __attribute__((visibility("hidden")))
#define CALL_EXPORT __attribute__((visibility("default")))

/* A file in memory, or a part of it; empty if there is none. */
struct segment {
	uintptr_t start, end;
	const char *path; /* of the file, as the loader has it; NULL */
};

static inline bool segment_has(const struct segment *segment, uintptr_t address)
{
	return address - segment->start < segment->end - segment->start;
}

/* The segment that holds the address. */
struct segment segment_of(uintptr_t address) CALL_HIDDEN;

/* The file that does, from its first segment to its last. */
struct segment file_of(uintptr_t address) CALL_HIDDEN;
