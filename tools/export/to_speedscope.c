/* SPDX-License-Identifier: MIT */
/*
 * to_speedscope.c - speedscope's file format [speedscope, src/lib/file-format-spec.ts]: a profile a
 * worker, of frames that open and close; and one of the stack samples, below the kinds of tasks.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/export/code_stacks.h"
#include "tools/export/facts.h"
#include "tools/export/format.h"
#include "tools/export/frames.h"
#include "tools/base/xalloc.h"
#include "tools/export/slices.h"
#include "tools/export/text.h"
#include "tools/table/put.h"

static void put_file_name(FILE *out, const char *file)
{
	FREED char *text = text_utf8(file);

	fputs(",\"file\":", out);
	put_string(out, text);
}

/* Those of samples: one for each kind, each state, the kernel, and each frame of the trace. */
static void put_code_frames(FILE *out, const struct export *export)
{
	const struct summary *summary = export->summary;
	const struct sampled *sampled = &summary->sampled;
	uint32_t n_kinds = export->dag->n_kinds;

	for (uint32_t i = 0; i < n_kinds + STATES; i++) {
		struct code_cell cell = { .kind = i < n_kinds ? i : CODE_NO_KIND,
					  .state = i < n_kinds ? 0 : (uint8_t)(i - n_kinds) };
		char name[CODE_ROOT];

		fputs(",\n{\"name\":", out);
		put_string(out, code_root(name, summary, &cell));
		fputc('}', out);
	}
	fputs(",\n{\"name\":\"" CODE_IN_KERNEL_FRAME "\"}", out);
	for (uint32_t f = 0; f < sampled->defs->n_frames; f++) {
		const struct name *name = &sampled->frame[f].name;

		fputs(",\n{\"name\":", out);
		put_string(out, name->function);
		if (name->file) {
			put_file_name(out, name->file);
			fprintf(out, ",\"line\":%u", name->line);
		}
		fputc('}', out);
	}
}

static void put_frames(FILE *out, const struct frames *frames)
{
	char name[EXPORT_NAME];

	fputs("\"shared\":{\"frames\":[", out);
	for (uint32_t f = 0; f < frames->n; f++) {
		const struct place *place = frames_place(frames, f);

		fputs(f ? ",\n{\"name\":" : "\n{\"name\":", out);
		put_string(out, frames_name(frames, f, name));
		if (place && place->file) {
			put_file_name(out, place->file);
			fprintf(out, ",\"line\":%u", place->line);
		}
		fputc('}', out);
	}
	if (frames->n && frames->export->summary->sampled.code.n)
		put_code_frames(out, frames->export);
	fputs("]},\n", out);
}

struct evented {
	FILE *out;
	struct frames *frames;
	const char *comma;
};

static void put_event(void *context, enum slice_step step, strand_id s, uint64_t ns)
{
	struct evented *to = context;
	uint32_t frame = frames_step(to->frames, step, s);

	fprintf(to->out, "%s{\"type\":\"%c\",\"at\":%" PRIu64 ",\"frame\":%u}", to->comma,
		frames_opens(step) ? 'O' : 'C', ns, frame);
	to->comma = ",\n";
}

static void put_worker(FILE *out, struct frames *frames, struct slices *slices, uint32_t worker)
{
	struct evented to = { out, frames, "\n" };

	fprintf(out,
		"{\"type\":\"evented\",\"name\":\"worker %u\",\"unit\":\"nanoseconds\","
		"\"startValue\":0,\"endValue\":%" PRIu64 ",\"events\":[",
		worker, frames->export->dag->elapsed_ns);
	slices_each_of(slices, worker, put_event, &to);
	fputs("]}", out);
}

/* What samples stand for, the outermost frame of each first; the frames are numbered as
 * put_code_frames() has them, behind n others. */
static void put_code_samples(FILE *out, const struct export *export, uint32_t n)
{
	const struct sampled *sampled = &export->summary->sampled;
	uint32_t kernel = n + export->dag->n_kinds + STATES;
	struct code_stack stack;
	const char *comma = "";
	uint64_t ns = 0;

	fputs(",\n{\"type\":\"sampled\",\"name\":\"CPU time by kind\",\"unit\":\"nanoseconds\","
	      "\"startValue\":0,\"samples\":[",
	      out);
	for (uint32_t i = 0; i < sampled->code.n_cells; i++) {
		if (!code_stack_of(&stack, export->summary, i) || !code_is_kept(export, stack.cell))
			continue;
		fprintf(out, "%s[%u", comma,
			n + (stack.cell->kind != CODE_NO_KIND
				     ? stack.cell->kind
				     : export->dag->n_kinds + stack.cell->state));
		for (uint32_t f = stack.n_frames; f-- > 0;)
			fprintf(out, ",%u", kernel + 1 + stack.frame[f]);
		fprintf(out, stack.cell->in_kernel ? ",%u]" : "]", kernel);
		comma = ",\n";
	}
	fputs("],\"weights\":[", out);
	comma = "";
	for (uint32_t i = 0; i < sampled->code.n_cells; i++)
		if (code_stack_of(&stack, export->summary, i) && code_is_kept(export, stack.cell)) {
			fprintf(out, "%s%" PRIu64, comma, stack.ns);
			ns += stack.ns;
			comma = ",";
		}
	fprintf(out, "],\"endValue\":%" PRIu64 "}", ns);
}

static void put_profiles(FILE *out, struct frames *frames)
{
	const struct export *export = frames->export;
	const char *comma = "\n";
	AT_END(slices_close) struct slices slices;

	slices_open(&slices, export);
	fputs("\"profiles\":[", out);
	for (uint32_t w = 0; w < export->dag->n_slots; w++) {
		if (!export->worker[w])
			continue;
		fputs(comma, out);
		put_worker(out, frames, &slices, w);
		comma = ",\n";
	}
	if (frames->n && export->summary->sampled.code.n)
		put_code_samples(out, export, frames->n);
	fputs("],\n", out);
}

/* Keys that the format does not know are allowed. */
static void put_facts(FILE *out, const struct export *export)
{
	fputs("\"name\":", out);
	put_string(out, facts_title(export));
	fputs(",\n\"exporter\":", out);
	put_string(out, facts_find(export, "tptrace"));
	fputs(",\n\"tptrace\":{", out);
	facts_put_json(out, export);
	fputs("}}\n", out);
}

static void write_speedscope(const struct export *export, FILE *out)
{
	AT_END(frames_free) struct frames frames;

	frames_find(&frames, export);
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n", out);
	put_frames(out, &frames);
	put_profiles(out, &frames);
	put_facts(out, export);
}

const struct format format_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.reader = "https://www.speedscope.app",
	.file = write_speedscope,
};
