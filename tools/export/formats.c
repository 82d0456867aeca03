/* SPDX-License-Identifier: MIT */
/* formats.c - the list of all formats. */
#include "tools/export/format.h"

#include <string.h>

const struct format *const formats[] = {
	&format_perfetto,   &format_sqlite,  &format_csv,   &format_chrome,
	&format_otf2,	    &format_graphml, &format_dot,   &format_folded,
	&format_speedscope, &format_paje,    &format_pprof, NULL,
};

const struct format *format_find(const char *name)
{
	size_t i = 0;

	while (formats[i] && strcmp(formats[i]->name, name) != 0)
		i++;
	return formats[i];
}
