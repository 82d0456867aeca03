/* SPDX-License-Identifier: MIT */
/*
 * to_paje.c - the trace format of Paje [Schnorr, "Paje Trace File Format", 2014]: a container a
 * worker, with a stack of states, variables and links; times in seconds, in order.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "tools/export/creations.h"
#include "tools/export/facts.h"
#include "tools/export/format.h"
#include "tools/export/moments.h"
#include "tools/base/progress.h"
#include "tools/export/slices.h"
#include "tools/export/text.h"

/* The events, by number; pj_dump wants the fields of each in this order. */
static const char header[] = "%EventDef PajeDefineContainerType 0\n"
			     "% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
			     "%EventDef PajeDefineStateType 1\n"
			     "% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
			     "%EventDef PajeDefineVariableType 2\n"
			     "% Alias string\n% Type string\n% Name string\n% Color color\n"
			     "%EndEventDef\n"
			     "%EventDef PajeDefineLinkType 3\n"
			     "% Alias string\n% Type string\n% StartContainerType string\n"
			     "% EndContainerType string\n% Name string\n%EndEventDef\n"
			     "%EventDef PajeDefineEventType 4\n"
			     "% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
			     "%EventDef PajeCreateContainer 5\n"
			     "% Time date\n% Alias string\n% Type string\n% Container string\n"
			     "% Name string\n%EndEventDef\n"
			     "%EventDef PajeDestroyContainer 6\n"
			     "% Time date\n% Type string\n% Name string\n%EndEventDef\n"
			     "%EventDef PajePushState 7\n"
			     "% Time date\n% Type string\n% Container string\n% Value string\n"
			     "%EndEventDef\n"
			     "%EventDef PajePopState 8\n"
			     "% Time date\n% Type string\n% Container string\n%EndEventDef\n"
			     "%EventDef PajeSetVariable 9\n"
			     "% Time date\n% Type string\n% Container string\n% Value double\n"
			     "%EndEventDef\n"
			     "%EventDef PajeStartLink 10\n"
			     "% Time date\n% Type string\n% Container string\n"
			     "% StartContainer string\n% Value string\n% Key string\n%EndEventDef\n"
			     "%EventDef PajeEndLink 11\n"
			     "% Time date\n% Type string\n% Container string\n"
			     "% EndContainer string\n% Value string\n% Key string\n%EndEventDef\n"
			     "%EventDef PajeNewEvent 12\n"
			     "% Time date\n% Type string\n% Container string\n% Value string\n"
			     "%EndEventDef\n";

static const char types[] = "0 P 0 \"process\"\n"
			    "0 W P \"worker\"\n"
			    "1 T W \"task\"\n"
			    "2 run P \"running\" \"0 0.6 0.2\"\n"
			    "2 rdy P \"ready\" \"0.9 0.6 0\"\n"
			    "2 hld W \"held\" \"0.9 0.6 0\"\n"
			    "3 C P W W \"create\"\n"
			    "4 F P \"fact\"\n";

/* A counter's value from then on. */
struct change {
	uint64_t ns, n;
	enum moment_count what;
	uint32_t worker;
};

struct paje {
	const struct export *export;
	FILE *out;
	struct change *change;
	uint64_t n, room, at;
	struct creations creations;
	bool failed;
};

static void put_start(FILE *out, unsigned event, uint64_t ns, const char *type)
{
	fprintf(out, "%u %" PRIu64 ".%09" PRIu64 " %s", event, ns / 1000000000u, ns % 1000000000u,
		type);
}

/* ---- counters: kept, for they come before slices ---- */

static void keep(void *context, enum moment_count what, uint32_t worker, uint64_t ns, uint64_t n)
{
	struct paje *to = context;

	if (what == MOMENT_BUSY)
		return;
	if (!array_grow(&to->change, &to->room, to->n + 1, sizeof(*to->change))) {
		to->failed = true;
		return;
	}
	to->change[to->n++] = (struct change){ ns, n, what, worker };
}

/* Those up to that time. */
static void put_changes(struct paje *to, uint64_t until_ns)
{
	static const char *const name[] = { "run p", "rdy p", "hld" };

	for (; to->at < to->n && to->change[to->at].ns <= until_ns; to->at++) {
		const struct change *change = &to->change[to->at];

		put_start(to->out, 9, change->ns, name[change->what]);
		if (change->what == MOMENT_HELD)
			fprintf(to->out, " w%u", change->worker);
		fprintf(to->out, " %" PRIu64 "\n", change->n);
	}
}

/* ---- slices and links ---- */

static void put_links(struct paje *to, strand_id s, uint64_t ns)
{
	uint64_t n;
	const struct creation *creation = creations_of(&to->creations, s, &n);

	for (uint64_t i = 0; i < n; i++) {
		put_start(to->out, 10, ns, "C p");
		fprintf(to->out, " w%u create t%u\n", to->export->dag->strand[s].worker,
			creation[i].task);
	}
}

/* The end of a link, if it had a start. */
static void put_link_end(struct paje *to, strand_id s, uint64_t ns)
{
	const struct dag *dag = to->export->dag;

	if (export_creator(to->export, s) == STRAND_NONE)
		return;
	put_start(to->out, 11, ns, "C p");
	fprintf(to->out, " w%u create t%u\n", dag->strand[s].worker, dag->strand[s].task);
}

static void put_paje_step(struct paje *to, enum slice_step step, strand_id s, uint64_t ns)
{
	bool opens = step == SLICE_ENTER || step == SLICE_PAUSE;
	char name[EXPORT_NAME];

	if (step == SLICE_ENTER)
		put_link_end(to, s, ns);
	put_start(to->out, opens ? 7 : 8, ns, "T");
	fprintf(to->out, " w%u ", to->export->dag->strand[s].worker);
	if (opens)
		text_paje(to->out, step == SLICE_ENTER ? export_name(to->export, s, name)
						       : export_ended_by(to->export, s));
	fputc('\n', to->out);
	if (step == SLICE_PAUSE || step == SLICE_LEAVE) {
		put_links(to, s, ns);
		progress_add(to->export->progress, 1);
	}
}

static int put_slices(struct paje *to)
{
	struct slices slices;
	enum slice_step step;
	int error = slices_open_all(&slices, to->export);

	while (!error && (step = slices_next(&slices)) != SLICE_OVER) {
		put_changes(to, slices.ns);
		put_paje_step(to, step, slices.strand, slices.ns);
	}
	put_changes(to, UINT64_MAX);
	slices_close(&slices);
	return error;
}

/* ---- containers and facts ---- */

static void put_begin(struct paje *to)
{
	fputs(header, to->out);
	fputs(types, to->out);
	fputs("5 0.0 p P 0 ", to->out);
	text_paje(to->out, facts_title(to->export));
	fputc('\n', to->out);
	for (uint32_t w = 0; w < to->export->dag->n_slots; w++)
		if (to->export->worker[w])
			fprintf(to->out, "5 0.0 w%u W p \"worker %u\"\n", w, w);
	for (uint32_t i = 0; i < to->export->n_facts; i++) {
		char *text = NULL;

		if (asprintf(&text, "%s: %s", to->export->fact[i].key, to->export->fact[i].value) <
		    0) {
			to->failed = true;
			return;
		}
		fputs("12 0.0 F p ", to->out);
		text_paje(to->out, text);
		fputc('\n', to->out);
		free(text);
	}
}

static void put_end(struct paje *to)
{
	uint64_t ns = to->export->dag->elapsed_ns;

	for (uint32_t w = 0; w < to->export->dag->n_slots; w++) {
		if (!to->export->worker[w])
			continue;
		put_start(to->out, 6, ns, "W");
		fprintf(to->out, " w%u\n", w);
	}
	put_start(to->out, 6, ns, "P p\n");
}

static int write_paje(const struct export *export, FILE *out, struct err *err)
{
	struct paje to = { .export = export, .out = out };
	struct moments of = { .context = &to, .count = keep };
	int error = creations_find(&to.creations, export) ?: moments_tell(export, &of);

	put_begin(&to);
	if (!error)
		error = put_slices(&to);
	put_end(&to);
	if (!error && to.failed)
		error = -ENOMEM;
	creations_free(&to.creations);
	free(to.change);
	return error ? err_no_memory(err) : 0;
}

const struct format format_paje = {
	.name = "paje",
	.suffix = ".paje",
	.reader = "ViTE, StarVZ or pj_dump",
	.file = write_paje,
};
