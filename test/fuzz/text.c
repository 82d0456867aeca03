/* SPDX-License-Identifier: MIT */
/* text.c - fuzz target: a trace as text, from the loader to the report. */
#include "test/fuzz/fuzz.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char path[64];
	int fd = fuzz_file(data, bytes, path);

	fuzz_read(path);
	close(fd);
	return 0;
}
