/* SPDX-License-Identifier: MIT */
/* put.h - prints text out of a trace, which could tell a terminal to do anything: `?` for all that
 * is not plain (collector/trace/plain.h). */
#pragma once

#include <stdio.h>

void put_text(FILE *out, const char *text);

/* And spaces, up to that many bytes. */
void put_padded(FILE *out, const char *text, int width);

/* As a string of JSON, or null for NULL; and as a field of CSV. */
void put_string(FILE *out, const char *text);
void put_quoted(FILE *out, const char *text);
