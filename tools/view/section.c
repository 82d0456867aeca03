/* SPDX-License-Identifier: MIT */
/* section.c - varints, deflate and base64. */
#include "tools/view/section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tools/base/map.h"

#define DEFLATE_LEVEL 6
#define VARINT_BYTES 10

static bool grow(struct section *section, uint64_t more)
{
	if (!section->failed &&
	    !array_grow(&section->at, &section->room, section->n + more, sizeof(*section->at)))
		section->failed = true;
	return !section->failed;
}

void section_byte(struct section *section, uint8_t byte)
{
	if (section->n < section->room || grow(section, 1))
		section->at[section->n++] = byte;
}

void section_number(struct section *section, uint64_t number)
{
	if (section->n + VARINT_BYTES > section->room && !grow(section, VARINT_BYTES))
		return;
	for (; number >= 0x80; number >>= 7)
		section->at[section->n++] = (uint8_t)(number | 0x80);
	section->at[section->n++] = (uint8_t)number;
}

void section_signed(struct section *section, int64_t number)
{
	section_number(section, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

static void put_base64(FILE *out, const uint8_t *bytes, size_t n)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char four[4];

	for (size_t i = 0; i < n; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16;

		three |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
		three |= i + 2 < n ? bytes[i + 2] : 0;
		four[0] = digit[three >> 18];
		four[1] = digit[three >> 12 & 63];
		four[2] = i + 1 < n ? digit[three >> 6 & 63] : '=';
		four[3] = i + 2 < n ? digit[three & 63] : '=';
		fwrite(four, 1, sizeof(four), out);
	}
}

int section_put(FILE *out, struct section *section, const char *name)
{
	uLongf n_packed = compressBound(section->n);
	uint8_t *packed = section->failed ? NULL : malloc(n_packed);
	int error = packed ? 0 : -ENOMEM;

	if (!error && compress2(packed, &n_packed, section->at ? section->at : packed, section->n,
				DEFLATE_LEVEL) != Z_OK)
		error = -ENOMEM;
	if (!error) {
		fprintf(out, "<script type=\"application/octet-stream\" data-column=\"%s\">", name);
		put_base64(out, packed, n_packed);
		fputs("</script>\n", out);
	}
	free(packed);
	section_free(section);
	return error;
}

void section_free(struct section *section)
{
	free(section->at);
	*section = (struct section){ 0 };
}

void section_put_json(FILE *out, const char *text, size_t n)
{
	const char *end = text + n;

	while (text < end) {
		const char *next = memchr(text, '<', (size_t)(end - text));
		size_t plain = (size_t)((next ? next : end) - text);

		fwrite(text, 1, plain, out);
		if (next)
			fputs("\\u003c", out);
		text += plain + (next ? 1 : 0);
	}
}
