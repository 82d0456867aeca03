/* SPDX-License-Identifier: MIT */
/* json.c - a comma stands before all but the first of an object or array. */
#include "tools/table/json.h"

#include <inttypes.h>
#include <math.h>

#include "tools/table/put.h"

void json_key(struct json *to, const char *key)
{
	if (to->comma)
		fputc(',', to->out);
	to->comma = true;
	if (!key)
		return;
	put_string(to->out, key);
	fputc(':', to->out);
}

void json_open(struct json *to, const char *key, char bracket)
{
	json_key(to, key);
	fputc(bracket, to->out);
	to->comma = false;
}

void json_close(struct json *to, char bracket)
{
	fputc(bracket, to->out);
	to->comma = true;
}

void json_begin(struct json *to, FILE *out)
{
	*to = (struct json){ .out = out };
	json_open(to, NULL, '{');
	json_number(to, "version", 1);
}

void json_end(struct json *to)
{
	json_close(to, '}');
	fputc('\n', to->out);
}

void json_number(struct json *to, const char *key, uint64_t value)
{
	json_key(to, key);
	if (value == JSON_UNKNOWN)
		fputs("null", to->out);
	else
		fprintf(to->out, "%" PRIu64, value);
}

void json_figures(struct json *to, const struct json_figure *figure, size_t n)
{
	for (size_t i = 0; i < n; i++)
		json_number(to, figure[i].key, figure[i].value);
}

void json_pair(struct json *to, const char *key, uint64_t a, uint64_t b)
{
	json_open(to, key, '[');
	json_number(to, NULL, a);
	json_number(to, NULL, b);
	json_close(to, ']');
}

void json_signed(struct json *to, const char *key, int64_t value)
{
	json_key(to, key);
	fprintf(to->out, "%" PRId64, value);
}

void json_bool(struct json *to, const char *key, bool value)
{
	json_key(to, key);
	fputs(value ? "true" : "false", to->out);
}

void json_text(struct json *to, const char *key, const char *value)
{
	json_key(to, key);
	put_string(to->out, value);
}

void json_real(struct json *to, const char *key, const char *format, double value)
{
	json_key(to, key);
	if (isfinite(value))
		fprintf(to->out, format, value);
	else
		fputs("null", to->out);
}

void json_reals(struct json *to, const char *format, const struct json_ratio *ratio, size_t n)
{
	for (size_t i = 0; i < n; i++)
		json_real(to, ratio[i].key, format, ratio[i].value);
}
