/* SPDX-License-Identifier: MIT */
/*
 * text.h - names out of a trace, which may hold any byte, as each format takes them.
 *
 * text_utf8() comes first: the others take what it gives.  Control characters stay what they are
 * where a format can say them; else U+FFFD stands for one.
 */
#pragma once

#include <stdio.h>

/* The text with U+FFFD for bytes that are no UTF-8.  Freed by the caller. */
char *text_utf8(const char *text);

/* What stands between tags of XML 1.0, or between quotes in one. */
void text_xml(FILE *out, const char *text);
/* A quoted string of DOT, that a label shows as it is. */
void text_dot(FILE *out, const char *text);
/* A field of CSV [RFC 4180, 2.5 to 2.7], in quotes. */
void text_csv(FILE *out, const char *text);
/* A quoted string of Paje, which knows no escapes: `'` for quotes, U+FFFD for control characters.
 */
void text_paje(FILE *out, const char *text);
