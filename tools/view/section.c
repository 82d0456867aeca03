/* SPDX-License-Identifier: MIT */
/* section.c - varints, deflate and base64. */
#include "tools/view/section.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tools/base/map.h"
#include "tools/base/threads.h"
#include "tools/base/xalloc.h"

#define DEFLATE_LEVEL 2 /* 6 takes 4 times as long, for 15 % less */
#define VARINT_BYTES 10

static void grow(struct section *section, uint64_t more)
{
	array_grow(&section->at, &section->room, section->n + more, sizeof(*section->at));
}

void section_byte(struct section *section, uint8_t byte)
{
	if (section->n == section->room)
		grow(section, 1);
	section->at[section->n++] = byte;
}

void section_number(struct section *section, uint64_t number)
{
	if (section->n + VARINT_BYTES > section->room)
		grow(section, VARINT_BYTES);
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
	char text[4096];
	size_t used = 0;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16;
		char *four = &text[used];

		three |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
		three |= i + 2 < n ? bytes[i + 2] : 0;
		four[0] = digit[three >> 18];
		four[1] = digit[three >> 12 & 63];
		four[2] = i + 1 < n ? digit[three >> 6 & 63] : '=';
		four[3] = i + 2 < n ? digit[three & 63] : '=';
		used += 4;
		if (used == sizeof(text) || i + 3 >= n) {
			fwrite(text, 1, used, out);
			used = 0;
		}
	}
}

static void pack(struct section *section)
{
	uLongf n_packed = compressBound(section->n);
	uint8_t *packed = xmalloc(n_packed);

	if (compress2(packed, &n_packed, section->at ? section->at : packed, section->n,
		      DEFLATE_LEVEL) != Z_OK)
		out_of_memory();
	free(section->at);
	section->at = packed;
	section->n = n_packed;
	section->packed = true;
}

static void pack_one(void *context, uint32_t i)
{
	struct section *section = context;

	pack(&section[i]);
}

void sections_pack(struct section *section, uint32_t n)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < n; i++)
		bytes += section[i].n;
	threads_run(threads_for(bytes), pack_one, section, n);
}

void section_put(FILE *out, struct section *section, const char *name)
{
	if (!section->packed)
		pack(section);
	fprintf(out, "<script type=\"application/octet-stream\" data-column=\"%s\">", name);
	put_base64(out, section->at, section->n);
	fputs("</script>\n", out);
	section_free(section);
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
