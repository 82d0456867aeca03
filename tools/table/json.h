/* SPDX-License-Identifier: MIT */
/*
 * json.h - writes JSON as it comes: commas, quotes and null are the writer's.
 *
 * A key is NULL in an array.  What is not UTF-8 becomes U+FFFD (put.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_UNKNOWN UINT64_MAX /* as a number: null */

struct json {
	FILE *out;
	bool comma; /* before the next member */
};

/* '{' or '[', and their ends. */
void json_open(struct json *to, const char *key, char bracket);
void json_close(struct json *to, char bracket);

/* An answer of a command: an object on a line of its own, with "version". */
void json_begin(struct json *to, FILE *out);
void json_end(struct json *to);

void json_number(struct json *to, const char *key, uint64_t value);

/* JSON_NUMBERS(to, { "a", 1 }, { "b", 2 }): one after the other. */
struct json_figure {
	const char *key;
	uint64_t value;
};
void json_figures(struct json *to, const struct json_figure *figure, size_t n);
#define JSON_NUMBERS(to, ...)                                                                      \
	json_figures(to, (const struct json_figure[]){ __VA_ARGS__ },                              \
		     sizeof((const struct json_figure[]){ __VA_ARGS__ }) /                         \
			     sizeof(struct json_figure))

/* [a, b] */
void json_pair(struct json *to, const char *key, uint64_t a, uint64_t b);
void json_signed(struct json *to, const char *key, int64_t value);
void json_bool(struct json *to, const char *key, bool value);
void json_text(struct json *to, const char *key, const char *value); /* NULL: null */
/* By that format of one double; null if the value is not finite. */
void json_real(struct json *to, const char *key, const char *format, double value);
/* JSON_REALS(to, "%.6f", { "a", 1. }, { "b", 2. }): one after the other. */
struct json_ratio {
	const char *key;
	double value;
};
void json_reals(struct json *to, const char *format, const struct json_ratio *ratio, size_t n);
#define JSON_REALS(to, format, ...)                                                                \
	json_reals(to, format, (const struct json_ratio[]){ __VA_ARGS__ },                         \
		   sizeof((const struct json_ratio[]){ __VA_ARGS__ }) / sizeof(struct json_ratio))
/* The key of a value that the caller prints. */
void json_key(struct json *to, const char *key);
