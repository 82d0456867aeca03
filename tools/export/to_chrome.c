/* SPDX-License-Identifier: MIT */
/*
 * to_chrome.c - the Trace Event Format of Chrome, as JSON: a thread a worker, slices as B and E,
 * arrows from create to begin, counters.  Times are us, with three decimals.
 */
#include <errno.h>
#include <inttypes.h>

#include "tools/export/facts.h"
#include "tools/export/format.h"
#include "tools/export/moments.h"
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
	const char *command = facts_find(to->export, "command");

	fputs("{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":", to->out);
	put_string(to->out, *command ? command : facts_find(to->export, "trace"));
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
	for (uint32_t i = 0; i < to->export->n_facts; i++) {
		fputs(i ? ",\n" : "\n", to->out);
		put_string(to->out, to->export->fact[i].key);
		fputc(':', to->out);
		put_string(to->out, to->export->fact[i].value);
	}
	fputs("\n}}\n", to->out);
}

/* ---- slices ---- */

/* Two ends of an arrow have the same id. */
static void put_flow(struct chrome *to, strand_id first)
{
	const struct dag *dag = to->export->dag;
	strand_id creating = dag->strand[first].pred;

	if (!(dag->how[first] & STRAND_FIRST) || creating == STRAND_NONE ||
	    !export_has(to->export, creating))
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

static void put_chrome_step(struct chrome *to, enum slice_step step, strand_id s, uint64_t ns)
{
	uint32_t worker = to->export->dag->strand[s].worker;

	switch (step) {
	case SLICE_ENTER:
		enter(to, s, ns);
		break;
	case SLICE_PAUSE:
		put_event(to, 'B', worker, ns);
		fputs(",\"cat\":\"call\"", to->out);
		put_name(to, export_ended_by(to->export, s));
		fputs("}", to->out);
		break;
	default:
		put_event(to, 'E', worker, ns);
		fputs("}", to->out);
		break;
	}
}

static int put_slices(struct chrome *to)
{
	struct slices slices;
	enum slice_step step;

	if (slices_open(&slices, to->export) < 0)
		return -ENOMEM;
	for (uint32_t w = 0; w < to->export->dag->n_slots; w++) {
		slices_worker(&slices, w);
		while ((step = slices_next(&slices)) != SLICE_OVER) {
			put_chrome_step(to, step, slices.strand, slices.ns);
			progress_add(to->export->progress,
				     step == SLICE_PAUSE || step == SLICE_LEAVE);
		}
	}
	slices_close(&slices);
	return 0;
}

/* ---- counters ---- */

static void put_counter(struct chrome *to, const char *name, uint64_t ns, uint64_t n)
{
	put_event(to, 'C', 0, ns);
	put_name(to, name);
	fprintf(to->out, ",\"args\":{\"n\":%" PRIu64 "}}", n);
}

static void on_running(void *to, uint64_t ns, uint64_t n)
{
	put_counter(to, "running", ns, n);
}

static void on_ready(void *to, uint64_t ns, uint64_t n)
{
	put_counter(to, "ready", ns, n);
}

static void on_held(void *to, uint64_t ns, uint32_t worker, uint64_t n)
{
	char name[40];

	snprintf(name, sizeof(name), "ready, held by worker %u", worker);
	put_counter(to, name, ns, n);
}

static int write_chrome(const struct export *export, FILE *out, struct err *err)
{
	struct chrome to = { export, out };
	struct moments of = {
		.context = &to, .running = on_running, .ready = on_ready, .held = on_held
	};
	int error;

	fputs("{\"traceEvents\":[\n", out);
	put_threads(&to);
	error = put_slices(&to);
	progress_stage(export->progress, "writing counters", 0);
	if (!error)
		error = moments_tell(export, &of);
	put_chrome_facts(&to);
	return error ? err_no_memory(err) : 0;
}

const struct format format_chrome = {
	.name = "chrome",
	.suffix = ".json",
	.reader = "https://ui.perfetto.dev or chrome://tracing",
	.file = write_chrome,
};
