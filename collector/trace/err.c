/* SPDX-License-Identifier: MIT */
/* err.c - fills a struct err. */
#include "collector/trace/err.h"

#include <stdarg.h>
#include <stdio.h>

#include "collector/trace/plain.h"

int err_set(struct err *err, int code, const char *format, ...)
{
	va_list args;

	if (err) {
		err->code = -code;
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
		/* names out of files: one line, and nothing that a terminal obeys */
		plain_make(err->text);
	}
	return -code;
}

int err_no_memory(struct err *err)
{
	return err_set(err, ENOMEM, "out of memory");
}
