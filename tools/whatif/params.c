/* SPDX-License-Identifier: MIT */
/* params.c - reads lists of parameters. */
#include "tools/whatif/params.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parameter at *at: its bytes, and those of its key; *at goes on behind it and its comma. */
static const char *next(const char **at, size_t *bytes, size_t *key_bytes)
{
	const char *param = *at;

	*bytes = strcspn(param, ",");
	*key_bytes = strcspn(param, "=");
	*at += *bytes + (param[*bytes] == ',');
	return param;
}

static bool is_param(const char *param, size_t bytes, size_t key_bytes)
{
	if (key_bytes == 0 || key_bytes + 1 >= bytes || !isalpha((unsigned char)*param))
		return false;
	for (size_t i = 0; i < key_bytes; i++)
		if (!isalnum((unsigned char)param[i]) && param[i] != '_')
			return false;
	return true;
}

/* Whether a parameter has that key. */
static bool has_key(const char *text, const char *key, size_t key_bytes)
{
	while (*text) {
		size_t bytes, other;
		const char *param = next(&text, &bytes, &other);

		if (other == key_bytes && memcmp(param, key, other) == 0)
			return true;
	}
	return false;
}

static bool is_key(const char *param, size_t key_bytes, const char *key)
{
	return key_bytes == strlen(key) && memcmp(param, key, key_bytes) == 0;
}

bool params_find(const char *text, const char *key, char *value, size_t room)
{
	while (text && *text) {
		size_t bytes, key_bytes;
		const char *param = next(&text, &bytes, &key_bytes);

		if (is_key(param, key_bytes, key) && bytes > key_bytes) {
			snprintf(value, room, "%.*s", (int)(bytes - key_bytes - 1),
				 param + key_bytes + 1);
			return true;
		}
	}
	return false;
}

bool params_number(const char *text, const char *key, double *number)
{
	char value[64], *end;

	if (!params_find(text, key, value, sizeof(value)) || !isdigit((unsigned char)*value))
		return false;
	*number = strtod(value, &end);
	return !*end && isfinite(*number) && *number > 0;
}

void params_without(const char *text, const char *key, char *out)
{
	*out = 0;
	while (text && *text) {
		size_t bytes, key_bytes;
		const char *param = next(&text, &bytes, &key_bytes);

		if (is_key(param, key_bytes, key))
			continue;
		if (*out)
			*out++ = ',';
		memcpy(out, param, bytes);
		out += bytes;
		*out = 0;
	}
}

/* Whether the key has a number that can be computed with, or is not there. */
static bool is_number_if_there(const char *text, const char *key, bool whole)
{
	double number;

	if (!has_key(text, key, strlen(key)))
		return true;
	return params_number(text, key, &number) && !(whole && number != floor(number));
}

bool params_are(const char *text)
{
	const char *at = text;

	if (!*text || text[strlen(text) - 1] == ',')
		return false;
	while (*at) {
		size_t bytes, key_bytes;
		const char *param = next(&at, &bytes, &key_bytes);

		if (!is_param(param, bytes, key_bytes) || has_key(at, param, key_bytes))
			return false;
	}
	return is_number_if_there(text, PARAMS_SIZE, false) &&
	       is_number_if_there(text, PARAMS_WORKERS, true);
}
