/* SPDX-License-Identifier: MIT */
/*
 * to_pprof.c - stack samples as a profile of pprof [github.com/google/pprof, proto/profile.proto],
 * in gzip: the root of each stack is the kind of tasks that it was in, which is a label, too.
 *
 * Samples have a kind, but no worker and no task to be cut by.
 */
#include <stdlib.h>
#include <zlib.h>

#include "tools/export/code_stacks.h"
#include "tools/base/xalloc.h"
#include "tools/export/format.h"
#include "tools/export/protobuf.h"
#include "tools/export/text.h"

/* Fields of the messages. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRINGS = 6,
	PROFILE_DURATION_NS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT = 14
};
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum { LOCATION_ID = 1, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_START = 5
};

struct pprof {
	const struct export *export;
	struct protobuf profile, strings, message, inner;
	uint64_t n_strings;
	uint64_t *location; /* by frame: its id; 0: none yet */
	uint64_t *root;	    /* by kind, then by state: likewise */
	uint64_t kernel, n_locations;
};

/* ---- strings ---- */

/* Its number.  The same text may have several. */
static uint64_t put_string_of(struct pprof *pprof, const char *text)
{
	FREED char *utf8 = text_utf8(text ? text : "");

	protobuf_text(&pprof->strings, PROFILE_STRINGS, utf8);
	return pprof->n_strings++;
}

static void put_type(struct pprof *pprof, uint32_t field, const char *type, const char *unit)
{
	protobuf_clear(&pprof->message);
	protobuf_number(&pprof->message, TYPE_TYPE, put_string_of(pprof, type));
	protobuf_number(&pprof->message, TYPE_UNIT, put_string_of(pprof, unit));
	protobuf_message(&pprof->profile, field, &pprof->message);
}

/* ---- places ---- */

/* A location with a function of its own; pprof puts those of one name together. */
static uint64_t put_location(struct pprof *pprof, const struct place *place, uint64_t address,
			     uint32_t line)
{
	uint64_t id = ++pprof->n_locations, name = put_string_of(pprof, place->name);

	protobuf_clear(&pprof->message);
	protobuf_number(&pprof->message, FUNCTION_ID, id);
	protobuf_number(&pprof->message, FUNCTION_NAME, name);
	protobuf_number(&pprof->message, FUNCTION_SYSTEM_NAME, name);
	if (place->file)
		protobuf_number(&pprof->message, FUNCTION_FILE, put_string_of(pprof, place->file));
	protobuf_message(&pprof->profile, PROFILE_FUNCTION, &pprof->message);

	protobuf_clear(&pprof->inner);
	protobuf_number(&pprof->inner, LINE_FUNCTION, id);
	protobuf_number(&pprof->inner, LINE_LINE, line);
	protobuf_clear(&pprof->message);
	protobuf_number(&pprof->message, LOCATION_ID, id);
	protobuf_number(&pprof->message, LOCATION_ADDRESS, address);
	protobuf_message(&pprof->message, LOCATION_LINE, &pprof->inner);
	protobuf_message(&pprof->profile, PROFILE_LOCATION, &pprof->message);
	return id;
}

static uint64_t location_of(struct pprof *pprof, uint32_t frame)
{
	const struct sampled *sampled = &pprof->export->summary->sampled;
	const struct name *name = &sampled->frame[frame].name;
	struct place place = { .name = name->function, .file = name->file };

	if (!pprof->location[frame])
		pprof->location[frame] =
			put_location(pprof, &place, sampled->defs->frame[frame].pc, name->line);
	return pprof->location[frame];
}

static uint64_t root_of(struct pprof *pprof, const struct code_cell *cell, const char *text)
{
	const struct summary *summary = pprof->export->summary;
	bool of_kind = cell->kind != CODE_NO_KIND;
	uint64_t *root = &pprof->root[of_kind ? cell->kind : summary->dag->n_kinds + cell->state];
	struct place place = { .name = text,
			       .file = of_kind ? summary->rows.code[cell->kind].file : NULL };

	if (!*root)
		*root = put_location(pprof, &place, 0,
				     of_kind ? summary->rows.code[cell->kind].line : 0);
	return *root;
}

static uint64_t kernel_of(struct pprof *pprof)
{
	const struct place place = { .name = CODE_IN_KERNEL_FRAME };

	if (!pprof->kernel)
		pprof->kernel = put_location(pprof, &place, 0, 0);
	return pprof->kernel;
}

/* ---- samples ---- */

static void put_sample_of(struct pprof *pprof, const struct code_stack *stack)
{
	const struct summary *summary = pprof->export->summary;
	char text[CODE_ROOT];
	uint64_t id[CODE_FRAMES + 2];
	uint32_t n = 0;

	code_root(text, summary, stack->cell);
	if (stack->cell->in_kernel)
		id[n++] = kernel_of(pprof);
	for (uint32_t i = 0; i < stack->n_frames; i++)
		id[n++] = location_of(pprof, stack->frame[i]);
	id[n++] = root_of(pprof, stack->cell, text);

	protobuf_clear(&pprof->inner);
	protobuf_number(&pprof->inner, LABEL_KEY, put_string_of(pprof, "kind"));
	protobuf_number(&pprof->inner, LABEL_TEXT, put_string_of(pprof, text));
	protobuf_clear(&pprof->message);
	for (uint32_t i = 0; i < n; i++)
		protobuf_number(&pprof->message, SAMPLE_LOCATION, id[i]);
	protobuf_number(&pprof->message, SAMPLE_VALUE, stack->n);
	protobuf_number(&pprof->message, SAMPLE_VALUE, stack->ns);
	protobuf_message(&pprof->message, SAMPLE_LABEL, &pprof->inner);
	protobuf_message(&pprof->profile, PROFILE_SAMPLE, &pprof->message);
}

static void put_profile(struct pprof *pprof)
{
	const struct export *export = pprof->export;
	const struct sampled *sampled = &export->summary->sampled;
	char text[600];
	struct code_stack stack;

	put_string_of(pprof, ""); /* number 0 has to be */
	put_type(pprof, PROFILE_SAMPLE_TYPE, "samples", "count");
	put_type(pprof, PROFILE_SAMPLE_TYPE, "cpu", "nanoseconds");
	for (uint32_t i = 0; i < sampled->code.n_cells; i++)
		if (code_stack_of(&stack, export->summary, i) && code_is_kept(export, stack.cell))
			put_sample_of(pprof, &stack);
	protobuf_number(&pprof->profile, PROFILE_DURATION_NS, export->dag->elapsed_ns);
	put_type(pprof, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
	protobuf_number(&pprof->profile, PROFILE_PERIOD, sampled->period_ns);
	for (uint32_t i = 0; i < export->n_facts; i++) {
		snprintf(text, sizeof(text), "%s: %s", export->fact[i].key, export->fact[i].value);
		protobuf_number(&pprof->profile, PROFILE_COMMENT, put_string_of(pprof, text));
	}
	protobuf_number(&pprof->profile, PROFILE_DEFAULT, put_string_of(pprof, "cpu"));
}

/* ---- the file ---- */

#define GZIP_WINDOW (15 + 16) /* zlib's largest, with gzip's header */
static void put_gzip(FILE *out, const struct protobuf *const part[], size_t n_parts)
{
	z_stream zip = { 0 };
	uint8_t bytes[16384];

	if (deflateInit2(&zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		out_of_memory();
	for (size_t i = 0; i <= n_parts; i++) {
		zip.next_in = i < n_parts ? part[i]->byte : NULL;
		zip.avail_in = i < n_parts ? (uInt)part[i]->n : 0;
		do {
			zip.next_out = bytes;
			zip.avail_out = sizeof(bytes);
			deflate(&zip, i < n_parts ? Z_NO_FLUSH : Z_FINISH);
			fwrite(bytes, 1, sizeof(bytes) - zip.avail_out, out);
		} while (zip.avail_out == 0);
	}
	deflateEnd(&zip);
}

static const char *pprof_why_not(const struct export *export)
{
	if (!export->summary->sampled.code.n)
		return "the trace has no samples of stacks; record it with --sample";
	if (export->cut.workers || export->cut.top)
		return "samples can only be cut by kind and time; leave out --worker and --top";
	return NULL;
}

static void write_pprof(const struct export *export, FILE *out)
{
	const struct sampled *sampled = &export->summary->sampled;
	struct pprof pprof = { .export = export };
	const struct protobuf *const parts[] = { &pprof.profile, &pprof.strings };

	pprof.location = xcalloc(sampled->defs->n_frames + 1ull, sizeof(*pprof.location));
	pprof.root = xcalloc(export->dag->n_kinds + (uint64_t)STATES, sizeof(*pprof.root));
	put_profile(&pprof);
	put_gzip(out, parts, 2);
	free(pprof.location);
	free(pprof.root);
	protobuf_free(&pprof.profile);
	protobuf_free(&pprof.strings);
	protobuf_free(&pprof.message);
	protobuf_free(&pprof.inner);
}

const struct format format_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.reader = "pprof -http=:, or https://www.speedscope.app",
	.binary = true,
	.why_not = pprof_why_not,
	.file = write_pprof,
};
