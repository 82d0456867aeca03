/* SPDX-License-Identifier: MIT */
/* defs.c - writes the lines that define runtimes, modules, sites and the clock. */
#include "collector/trace/defs.h"

#include <inttypes.h>
#include <stddef.h>

#define AT(what, member) offsetof(struct defs_##what, member)

static const struct defs_field runtime_fields[] = {
	{ "name", FORM_TEXT, AT(runtime, name), 0, false },
	{ "version", FORM_TEXT, AT(runtime, version), 0, false },
	{ "workers", FORM_NUMBER32, AT(runtime, n_workers), 1u << 20, true },
	{ "calls-ps", FORM_NUMBER32, AT(runtime, calls_ps), DEFS_CALLS_MOST_PS, false },
	{ "tokens", FORM_NUMBER32, AT(runtime, tokens), UINT32_MAX, false },
	{ "note", FORM_TEXT, AT(runtime, note), 0, false },
	{ "unlinked", FORM_TEXT, AT(runtime, unlinked), 0, false },
	{ 0 },
};

static const struct defs_field module_fields[] = {
	{ "start", FORM_NUMBER, AT(module, start), 0, true },
	{ "end", FORM_NUMBER, AT(module, end), 0, true },
	{ "bias", FORM_NUMBER, AT(module, bias), 0, true },
	{ "build-id", FORM_TEXT, AT(module, build_id), 0, false },
	{ "path", FORM_TEXT, AT(module, path), 0, false },
	{ 0 },
};

static const struct defs_field site_fields[] = {
	{ "runtime", FORM_NUMBER32, AT(site, runtime), DEFS_RUNTIMES_MAX - 1, true },
	{ "ret", FORM_NUMBER, AT(site, return_address), 0, true },
	{ "fn", FORM_NUMBER, AT(site, function), 0, true },
	{ "ret-module", FORM_MODULE, AT(site, return_module), 0, false },
	{ "fn-module", FORM_MODULE, AT(site, function_module), 0, false },
	{ "name", FORM_TEXT, AT(site, name), 0, false },
	{ "file", FORM_TEXT, AT(site, file), 0, false },
	{ "line", FORM_NUMBER32, AT(site, line), UINT32_MAX, true },
	{ "at", FORM_TEXT, AT(site, at), 0, false },
	{ "at-file", FORM_TEXT, AT(site, at_file), 0, false },
	{ "at-line", FORM_NUMBER32, AT(site, at_line), UINT32_MAX, false },
	{ 0 },
};

static const struct defs_field counter_fields[] = {
	{ "name", FORM_TEXT, AT(counter, name), 0, false },
	{ "unit", FORM_TEXT, AT(counter, unit), 0, false },
	{ 0 },
};

static const struct defs_field path_fields[] = {
	{ "site", FORM_NUMBER32, AT(path, site), DEFS_SITES_MAX - 1, true },
	{ "parent", FORM_PARENT, AT(path, parent), 0, true },
	{ 0 },
};

static const struct defs_field frame_fields[] = {
	{ "pc", FORM_NUMBER, AT(frame, pc), 0, true },
	{ "fn", FORM_NUMBER, AT(frame, function), 0, false },
	{ "module", FORM_MODULE, AT(frame, module), 0, false },
	{ "name", FORM_TEXT, AT(frame, name), 0, false },
	{ "file", FORM_TEXT, AT(frame, file), 0, false },
	{ "line", FORM_NUMBER32, AT(frame, line), UINT32_MAX, false },
	{ "header", FORM_TEXT, AT(frame, header), 0, false },
	{ "around", FORM_TEXT, AT(frame, around), 0, false },
	{ "hidden", FORM_NUMBER32, AT(frame, hidden), 1, false },
	{ "op", FORM_OP, AT(frame, op), 0, false },
	{ 0 },
};

static const struct defs_field stack_fields[] = {
	{ "frame", FORM_NUMBER32, AT(stack, frame), DEFS_FRAMES_MAX - 1, true },
	{ "parent", FORM_PARENT, AT(stack, parent), 0, false },
	{ 0 },
};

const char *const defs_op_name[DEFS_OPS] = {
	"other", "load", "store", "atomic", "spin", "syscall"
};

#define NUMBERED(what)                                                                             \
	{                                                                                          \
#what, what##_fields                                                               \
	}

const struct defs_numbered_line defs_numbered_line[] = {
	[DEFS_RUNTIME] = NUMBERED(runtime), [DEFS_MODULE] = NUMBERED(module),
	[DEFS_SITE] = NUMBERED(site),	    [DEFS_COUNTER] = NUMBERED(counter),
	[DEFS_PATH] = NUMBERED(path),	    [DEFS_FRAME] = NUMBERED(frame),
	[DEFS_STACK] = NUMBERED(stack),
};

const char *const defs_mark_word[WIRE_MARKS] = {
	[WIRE_MARK_START] = "start", [WIRE_MARK_STOP] = "stop", [WIRE_MARK_PHASE] = "phase",
	[WIRE_MARK_BEGIN] = "begin", [WIRE_MARK_END] = "end",
};

static void put_field(struct lines *out, const struct defs_field *field, const void *at)
{
	if (field->form == FORM_TEXT) {
		const char *text = *(char *const *)at;

		if (text && !*text)
			lines_print(out, " %s=", field->key);
		lines_field(out, field->key, text);
	} else if (field->form == FORM_OP) {
		if (*(const uint8_t *)at > DEFS_OTHER && *(const uint8_t *)at < DEFS_OPS)
			lines_print(out, " %s=%s", field->key, defs_op_name[*(const uint8_t *)at]);
	} else if (field->form == FORM_NUMBER) {
		if (*(const uint64_t *)at || field->always)
			lines_print(out, " %s=0x%" PRIx64, field->key, *(const uint64_t *)at);
	} else if (*(const uint32_t *)at || field->always) {
		lines_print(out, " %s=%u", field->key,
			    *(const uint32_t *)at - (field->form == FORM_MODULE));
	}
}

void defs_put(struct lines *out, enum defs_numbered what, uint32_t i, const void *entry)
{
	lines_print(out, "%s %u", defs_numbered_line[what].word, i);
	for (const struct defs_field *field = defs_numbered_line[what].field; field->key; field++)
		put_field(out, field, (const char *)entry + field->at);
	lines_print(out, "\n");
}

void defs_put_sync(struct lines *out, struct defs_sync sync, bool snapshot)
{
	lines_print(out, "sync %" PRIu64 " %" PRIu64 "%s\n", sync.units, sync.ns,
		    snapshot ? " snapshot" : "");
}

void defs_put_mark(struct lines *out, const struct defs_mark *mark)
{
	lines_print(out, "mark %" PRIu64 " %s", mark->units, defs_mark_word[mark->what]);
	lines_word(out, mark->name);
}

void defs_put_sample(struct lines *out, const struct defs_sample *sample)
{
	lines_print(out, "sample w%u %" PRIu64 " stack=%u", sample->worker, sample->units,
		    sample->stack);
	if (sample->word)
		lines_print(out, " word=0x%" PRIx64, sample->word);
	if (sample->asleep_ns)
		lines_print(out, " asleep=%" PRIu64, sample->asleep_ns);
	lines_print(out, "%s\n", sample->in_kernel ? " in=kernel" : "");
}

void defs_put_cpu(struct lines *out, const struct defs_cpu *cpu)
{
	lines_print(out, "cpu w%u %" PRIu64 " run=%" PRIu64, cpu->worker, cpu->units, cpu->run_ns);
	if (cpu->has_wait)
		lines_print(out, " wait=%" PRIu64, cpu->wait_ns);
	lines_print(out, "\n");
}

void defs_put_process(struct lines *out, const struct defs_cpu *cpu)
{
	lines_print(out, "process %" PRIu64 " run=%" PRIu64 "\n", cpu->units, cpu->run_ns);
}
