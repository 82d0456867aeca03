/* SPDX-License-Identifier: MIT */
/* defs.c - fuzz target: lines of definitions. */
#include "tools/trace/defs_read.h"

#include <stdlib.h>
#include <string.h>

#include "test/fuzz/fuzz.h"

static void check_strings(const struct defs *defs)
{
	char *room;

	for (uint32_t i = 0; i < defs->n_metas; i++) {
		fuzz_check(defs->meta[i].key && defs->meta[i].value);
		fuzz_check(defs_meta(defs, defs->meta[i].key));
		room = malloc(3 * strlen(defs->meta[i].value) + 1);
		fuzz_check(room);
		lines_escape(room, defs->meta[i].value);
		fuzz_check(!strpbrk(room, " \t\r\n#"));
		defs_unescape(room);
		fuzz_check(strcmp(room, defs->meta[i].value) == 0);
		free(room);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = malloc(bytes + 1), *at = text;
	struct defs defs = { 0 };
	const char *what;

	fuzz_check(text);
	memcpy(text, data, bytes);
	text[bytes] = 0;
	while (at) {
		char *line = strsep(&at, "\n");
		int error = defs_line(&defs, line, &what);

		fuzz_check(error == 0 || what);
	}
	check_strings(&defs);
	defs_free(&defs);
	free(text);
	return 0;
}
