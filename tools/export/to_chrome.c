/* SPDX-License-Identifier: MIT */
/*
 * to_chrome.c - the Trace Event Format of Chrome, as JSON: a thread a worker, slices as B and E,
 * arrows from create to begin, counters.  Times are us, with three decimals.
 */
#include <inttypes.h>

#include "tools/export/facts.h"
#include "tools/export/format.h"
#include "tools/export/moments.h"
#include "tools/export/device_lanes.h"
#include "tools/base/xalloc.h"
#include "tools/base/progress.h"
#include "tools/export/slices.h"
#include "tools/table/put.h"

struct chrome {
	const struct export *export;
	FILE *out;
};

/* Begins an event: what all of them have. */
static void put_event(struct chrome *to, char phase, uint32_t thread, uint64_t ns)
{
	fprintf(to->out, ",\n{\"ph\":\"%c\",\"pid\":1,\"tid\":%u,\"ts\":%" PRIu64 ".%03" PRIu64,
		phase, thread, ns / 1000, ns % 1000);
}

static void put_name(struct chrome *to, const char *name)
{
	fputs(",\"name\":", to->out);
	put_string(to->out, name);
}

/* ---- threads and facts ---- */

static void put_threads(struct chrome *to)
{
	fputs("{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":", to->out);
	put_string(to->out, facts_title(to->export));
	fputs("}}", to->out);
	for (uint32_t w = 0; w < to->export->dag->n_slots; w++)
		if (to->export->worker[w])
			fprintf(to->out,
				",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\","
				"\"args\":{\"name\":\"worker %u\"}},\n{\"ph\":\"M\",\"pid\":1,"
				"\"tid\":%u,\"name\":\"thread_sort_index\",\"args\":"
				"{\"sort_index\":%u}}",
				w, w, w, w);
}

static void put_chrome_facts(struct chrome *to)
{
	fputs("\n],\"displayTimeUnit\":\"ns\",\"otherData\":{", to->out);
	facts_put_json(to->out, to->export);
	fputs("\n}}\n", to->out);
}

/* ---- slices ---- */

/* Two ends of an arrow have the same id. */
static void put_flow(struct chrome *to, strand_id first)
{
	const struct dag *dag = to->export->dag;
	strand_id creating = export_creator(to->export, first);

	if (creating == STRAND_NONE)
		return;
	put_event(to, 's', dag->strand[creating].worker, dag_end(dag, creating));
	fprintf(to->out, ",\"cat\":\"create\",\"name\":\"create\",\"id\":%u}",
		dag->strand[first].task);
	put_event(to, 'f', dag->strand[first].worker, dag_start(dag, first));
	fprintf(to->out, ",\"cat\":\"create\",\"name\":\"create\",\"id\":%u,\"bp\":\"e\"}",
		dag->strand[first].task);
}

static void enter(struct chrome *to, strand_id s, uint64_t ns)
{
	const struct dag *dag = to->export->dag;
	char name[EXPORT_NAME], id[EXPORT_ID];

	put_event(to, 'B', dag->strand[s].worker, ns);
	fputs(",\"cat\":\"task\"", to->out);
	put_name(to, export_name(to->export, s, name));
	fprintf(to->out, ",\"args\":{\"task\":\"%s\"}}",
		export_id(to->export, dag->strand[s].task, id));
	put_flow(to, s);
}

static void put_chrome_step(void *context, enum slice_step step, strand_id s, uint64_t ns)
{
	struct chrome *to = context;

	if (step == SLICE_ENTER) {
		enter(to, s, ns);
		return;
	}
	put_event(to, step == SLICE_PAUSE ? 'B' : 'E', to->export->dag->strand[s].worker, ns);
	if (step == SLICE_PAUSE) {
		fputs(",\"cat\":\"call\"", to->out);
		put_name(to, export_ended_by(to->export, s));
	}
	fputs("}", to->out);
}

/* ---- operations ---- */

static void put_arrow(struct chrome *to, char phase, uint64_t id, uint32_t thread, uint64_t ns)
{
	put_event(to, phase, thread, ns);
	fprintf(to->out, ",\"cat\":\"operation\",\"name\":\"operation\",\"id\":%" PRIu64 "%s}", id,
		phase == 'f' ? ",\"bp\":\"e\"" : "");
}

/* Threads behind those of workers, one for each lane. */
static void put_operation(struct chrome *to, const struct operation *of, uint64_t id, bool first)
{
	const struct dag *dag = to->export->dag;
	uint32_t thread = dag->n_slots + of->lane;

	if (first) {
		fprintf(to->out,
			",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{"
			"\"name\":",
			thread);
		put_string(to->out, operation_device(to->export, of));
		fputs("}}", to->out);
	}
	put_event(to, 'B', thread, of->its->begin_ns);
	fputs(",\"cat\":\"operation\"", to->out);
	put_name(to, operation_name(to->export, of));
	fprintf(to->out, ",\"args\":{\"bytes\":%" PRIu64 "}}", of->its->bytes);
	if (of->waiter != STRAND_NONE && export_has(to->export, of->waiter)) {
		put_arrow(to, 's', id, thread, of->its->end_ns);
		put_arrow(to, 'f', id, dag->strand[of->waiter].worker, dag_start(dag, of->waiter));
	}
	put_event(to, 'E', thread, of->its->end_ns);
	fputs(",\"cat\":\"operation\"}", to->out);
}

static void put_operations(struct chrome *to)
{
	AT_END(operations_free) struct operations operations;

	operations_find(&operations, to->export);

	for (uint64_t i = 0; i < operations.n; i++)
		put_operation(to, &operations.of[i], i,
			      !i || operations.of[i].lane != operations.of[i - 1].lane);
}

/* ---- counters ---- */

static void put_counter(void *context, enum moment_count what, uint32_t worker, uint64_t ns,
			uint64_t n)
{
	struct chrome *to = context;
	char name[40];

	if (what == MOMENT_BUSY)
		return;
	snprintf(name, sizeof(name), "ready, held by worker %u", worker);
	put_event(to, 'C', 0, ns);
	put_name(to, what == MOMENT_RUNNING ? "running" : what == MOMENT_READY ? "ready" : name);
	fprintf(to->out, ",\"args\":{\"n\":%" PRIu64 "}}", n);
}

static void write_chrome(const struct export *export, FILE *out)
{
	struct chrome to = { export, out };
	struct moments of = { .context = &to, .count = put_counter };

	fputs("{\"traceEvents\":[\n", out);
	put_threads(&to);
	slices_each(export, put_chrome_step, &to);
	put_operations(&to);
	progress_stage(export->progress, "writing counters", 0);
	moments_tell(export, &of);
	put_chrome_facts(&to);
}

const struct format format_chrome = {
	.name = "chrome",
	.suffix = ".json",
	.reader = "https://ui.perfetto.dev or chrome://tracing",
	.file = write_chrome,
};
