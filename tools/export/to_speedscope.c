/* SPDX-License-Identifier: MIT */
/*
 * to_speedscope.c - speedscope's file format [speedscope, src/lib/file-format-spec.ts]: a profile a
 * worker, of frames that open and close.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "tools/export/facts.h"
#include "tools/export/format.h"
#include "tools/export/frames.h"
#include "tools/base/progress.h"
#include "tools/export/slices.h"
#include "tools/export/text.h"
#include "tools/table/put.h"

static int put_file_name(FILE *out, const char *file)
{
	char *text = text_utf8(file);

	if (!text)
		return -ENOMEM;
	fputs(",\"file\":", out);
	put_string(out, text);
	free(text);
	return 0;
}

static int put_frames(FILE *out, const struct frames *frames)
{
	char name[EXPORT_NAME];
	int error = 0;

	fputs("\"shared\":{\"frames\":[", out);
	for (uint32_t f = 0; f < frames->n && !error; f++) {
		const struct place *place = frames_place(frames, f);

		fputs(f ? ",\n{\"name\":" : "\n{\"name\":", out);
		put_string(out, frames_name(frames, f, name));
		if (place && place->file) {
			error = put_file_name(out, place->file);
			fprintf(out, ",\"line\":%u", place->line);
		}
		fputc('}', out);
	}
	fputs("]},\n", out);
	return error;
}

static int put_worker(FILE *out, struct frames *frames, struct slices *slices, uint32_t worker)
{
	const struct export *export = frames->export;
	const char *comma = "\n";
	enum slice_step step;

	fprintf(out,
		"{\"type\":\"evented\",\"name\":\"worker %u\",\"unit\":\"nanoseconds\","
		"\"startValue\":0,\"endValue\":%" PRIu64 ",\"events\":[",
		worker, export->dag->elapsed_ns);
	slices_worker(slices, worker);
	while ((step = slices_next(slices)) != SLICE_OVER) {
		uint32_t frame = frames_step(frames, step, slices->strand);

		if (frame == UINT32_MAX)
			return -ENOMEM;
		fprintf(out, "%s{\"type\":\"%c\",\"at\":%" PRIu64 ",\"frame\":%u}", comma,
			frames_opens(step) ? 'O' : 'C', slices->ns, frame);
		comma = ",\n";
		progress_add(export->progress, step == SLICE_PAUSE || step == SLICE_LEAVE);
	}
	fputs("]}", out);
	return 0;
}

static int put_profiles(FILE *out, struct frames *frames)
{
	const struct export *export = frames->export;
	const char *comma = "\n";
	struct slices slices;
	int error = slices_open(&slices, export);

	fputs("\"profiles\":[", out);
	for (uint32_t w = 0; w < export->dag->n_slots && !error; w++) {
		if (!export->worker[w])
			continue;
		fputs(comma, out);
		error = put_worker(out, frames, &slices, w);
		comma = ",\n";
	}
	fputs("],\n", out);
	slices_close(&slices);
	return error;
}

/* Keys that the format does not know are allowed. */
static void put_facts(FILE *out, const struct export *export)
{
	const char *command = facts_find(export, "command");

	fputs("\"name\":", out);
	put_string(out, *command ? command : facts_find(export, "trace"));
	fputs(",\n\"exporter\":", out);
	put_string(out, facts_find(export, "tptrace"));
	fputs(",\n\"tptrace\":{", out);
	for (uint32_t i = 0; i < export->n_facts; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_string(out, export->fact[i].key);
		fputc(':', out);
		put_string(out, export->fact[i].value);
	}
	fputs("}}\n", out);
}

static int write_speedscope(const struct export *export, FILE *out, struct err *err)
{
	struct frames frames;
	int error = frames_find(&frames, export);

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n", out);
	if (!error)
		error = put_frames(out, &frames);
	if (!error)
		error = put_profiles(out, &frames);
	put_facts(out, export);
	frames_free(&frames);
	return error ? err_set(err, -error, "out of memory") : 0;
}

const struct format format_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.reader = "https://www.speedscope.app",
	.file = write_speedscope,
};
