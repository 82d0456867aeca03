/* SPDX-License-Identifier: MIT */
/* err.c - fills a struct err. */
#include "collector/err.h"

#include <stdarg.h>
#include <stdio.h>

int err_set(struct err *err, int code, const char *format, ...)
{
	va_list args;

	if (err) {
		err->code = -code;
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
		/* names out of files: one line, and nothing that a terminal obeys */
		for (char *at = err->text; *at; at++)
			if ((unsigned char)*at < ' ' || *at == 0x7f)
				*at = '?';
	}
	return -code;
}
