/* SPDX-License-Identifier: MIT */
/*
 * to_paje.c - the trace format of Paje [Schnorr, "Paje Trace File Format", 2014]: a container a
 * worker, with a stack of states, variables and links; times in seconds, in order.  The ranks of a
 * job follow each other, each with its containers, at times of one clock; messages are links
 * between their processes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/export/creations.h"
#include "tools/export/facts.h"
#include "tools/export/format.h"
#include "tools/export/moments.h"
#include "tools/base/order.h"
#include "tools/base/progress.h"
#include "tools/base/spool.h"
#include "tools/base/xalloc.h"
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
			    "3 M 0 P P \"message\"\n"
			    "4 F P \"fact\"\n";

/* Of a job's ranks each line, where it begins in a file of its own: all are put in order of time.
 */
struct paje_line {
	uint64_t ns;
	long at;
};

struct paje_lines {
	FILE *file;
	struct paje_line *line;
	uint64_t n, room;
};

/* A counter's value from then on. */
struct change {
	uint64_t ns, n;
	enum moment_count what;
	uint32_t worker;
};

struct paje {
	const struct export *export;
	const struct job_times *times; /* NULL: of one */
	struct paje_lines *lines;      /* NULL: they come in order */
	char rank[24];		       /* in front of all its aliases */
	uint32_t process;
	FILE *out;
	struct change *change;
	uint64_t n, room, at;
	struct creations creations;
};

/* A line begins. */
static void begin_line(FILE *out, struct paje_lines *lines, unsigned event, uint64_t ns)
{
	if (lines)
		ARRAY_ADD(lines->line, lines->n, lines->room, (struct paje_line){ ns, ftell(out) });
	fprintf(out, "%u %" PRIu64 ".%09" PRIu64, event, ns / 1000000000u, ns % 1000000000u);
}

ORDER(by_time, struct paje_line, BY_LEAST(ns) ?: BY_LEAST(at))

static int spool_failed(struct err *err)
{
	return err_set(err, errno ?: EIO, "the lines of all ranks, in a temporary file: %s",
		       strerror(errno ?: EIO));
}

static int write_in_order(struct paje_lines *lines, FILE *out, struct err *err)
{
	FREED char *text = NULL;
	size_t room = 0;

	if (fflush(lines->file) != 0 || ferror(lines->file))
		return spool_failed(err);
	SORT(lines->line, lines->n, by_time);
	for (uint64_t i = 0; i < lines->n; i++) {
		if (fseek(lines->file, lines->line[i].at, SEEK_SET) != 0 ||
		    getline(&text, &room, lines->file) < 0)
			return spool_failed(err);
		fputs(text, out);
	}
	return 0;
}

static void put_start(const struct paje *to, unsigned event, uint64_t ns, const char *type)
{
	begin_line(to->out, to->lines, event, job_times_at(to->times, to->process, ns));
	fprintf(to->out, " %s", type);
}

static void put_worker_alias(const struct paje *to, uint32_t worker)
{
	fprintf(to->out, " %sw%u", to->rank, worker);
}

static void put_process_alias(const struct paje *to)
{
	fprintf(to->out, " %sp", to->rank);
}

/* ---- counters: kept, for they come before slices ---- */

static void keep(void *context, enum moment_count what, uint32_t worker, uint64_t ns, uint64_t n)
{
	struct paje *to = context;

	if (what == MOMENT_BUSY)
		return;
	ARRAY_ADD(to->change, to->n, to->room, (struct change){ ns, n, what, worker });
}

/* Those up to that time. */
static void put_changes(struct paje *to, uint64_t until_ns)
{
	static const char *const name[] = { "run", "rdy", "hld" };

	for (; to->at < to->n && to->change[to->at].ns <= until_ns; to->at++) {
		const struct change *change = &to->change[to->at];

		put_start(to, 9, change->ns, name[change->what]);
		if (change->what == MOMENT_HELD)
			put_worker_alias(to, change->worker);
		else
			put_process_alias(to);
		fprintf(to->out, " %" PRIu64 "\n", change->n);
	}
}

/* ---- slices and links ---- */

static void put_links(struct paje *to, strand_id s, uint64_t ns)
{
	uint64_t n;
	const struct creation *creation = creations_of(&to->creations, s, &n);

	for (uint64_t i = 0; i < n; i++) {
		put_start(to, 10, ns, "C");
		put_process_alias(to);
		put_worker_alias(to, to->export->dag->strand[s].worker);
		fprintf(to->out, " create %st%u\n", to->rank, creation[i].task);
	}
}

/* The end of a link, if it had a start. */
static void put_link_end(struct paje *to, strand_id s, uint64_t ns)
{
	const struct dag *dag = to->export->dag;

	if (export_creator(to->export, s) == STRAND_NONE)
		return;
	put_start(to, 11, ns, "C");
	put_process_alias(to);
	put_worker_alias(to, dag->strand[s].worker);
	fprintf(to->out, " create %st%u\n", to->rank, dag->strand[s].task);
}

static void put_paje_step(struct paje *to, enum slice_step step, strand_id s, uint64_t ns)
{
	bool opens = step == SLICE_ENTER || step == SLICE_PAUSE;
	char name[EXPORT_NAME];

	if (step == SLICE_ENTER)
		put_link_end(to, s, ns);
	put_start(to, opens ? 7 : 8, ns, "T");
	put_worker_alias(to, to->export->dag->strand[s].worker);
	fputc(' ', to->out);
	if (opens)
		text_paje(to->out, step == SLICE_ENTER ? export_name(to->export, s, name)
						       : export_ended_by(to->export, s));
	fputc('\n', to->out);
	if (step == SLICE_PAUSE || step == SLICE_LEAVE) {
		put_links(to, s, ns);
		progress_add(to->export->progress, 1);
	}
}

static void put_slices(struct paje *to)
{
	AT_END(slices_close) struct slices slices;
	enum slice_step step;

	slices_open_all(&slices, to->export);

	while ((step = slices_next(&slices)) != SLICE_OVER) {
		put_changes(to, slices.ns);
		put_paje_step(to, step, slices.strand, slices.ns);
	}
	put_changes(to, UINT64_MAX);
}

/* ---- containers and facts ---- */

static void put_container(const struct paje *to, uint32_t worker)
{
	begin_line(to->out, to->lines, 5, 0);
	put_worker_alias(to, worker);
	fputs(" W", to->out);
	put_process_alias(to);
	fprintf(to->out, " \"worker %u\"\n", worker);
}

static void put_begin(struct paje *to)
{
	if (!to->times) {
		begin_line(to->out, NULL, 5, 0);
		fputs(" p P 0 ", to->out);
		text_paje(to->out, facts_title(to->export));
		fputc('\n', to->out);
	}
	for (uint32_t w = 0; w < to->export->dag->n_slots; w++)
		if (to->export->worker[w])
			put_container(to, w);
	for (uint32_t i = 0; i < to->export->n_facts; i++) {
		FREED char *text =
			xasprintf("%s: %s", to->export->fact[i].key, to->export->fact[i].value);

		begin_line(to->out, to->lines, 12, 0);
		fputs(" F", to->out);
		put_process_alias(to);
		fputc(' ', to->out);
		text_paje(to->out, text);
		fputc('\n', to->out);
	}
}

/* Nothing of a job ends before all of it. */
static void put_last(const struct paje *to, const char *type)
{
	uint64_t ns =
		to->times ? to->times->end_ns - to->times->begin_ns : to->export->dag->elapsed_ns;

	begin_line(to->out, to->lines, 6, ns);
	fputs(type, to->out);
}

static void put_end(const struct paje *to)
{
	for (uint32_t w = 0; w < to->export->dag->n_slots; w++) {
		if (!to->export->worker[w])
			continue;
		put_last(to, " W");
		put_worker_alias(to, w);
		fputc('\n', to->out);
	}
	put_last(to, " P");
	put_process_alias(to);
	fputc('\n', to->out);
}

/* The process at hand: all but the types. */
static void put_all_of(struct paje *to)
{
	struct moments of = { .context = to, .count = keep };

	creations_find(&to->creations, to->export);
	moments_tell(to->export, &of);
	put_begin(to);
	put_slices(to);
	put_end(to);
	creations_free(&to->creations);
	free(to->change);
	to->change = NULL;
	to->n = to->room = to->at = 0;
}

static void write_paje(const struct export *export, FILE *out)
{
	struct paje to = { .export = export, .out = out };

	fprintf(out, "%s%s", header, types);
	put_all_of(&to);
}

/* ---- a job ---- */

static int put_rank(void *context, uint32_t i, const struct export *export)
{
	struct paje *to = context;

	to->export = export;
	to->process = i;
	snprintf(to->rank, sizeof(to->rank), "r%u", i);
	put_all_of(to);
	return 0;
}

struct links {
	const struct job_times *times;
	struct paje_lines *lines;
	uint64_t n;
};

static void put_link(const struct links *links, const struct job_end *end)
{
	const struct job_match *match = &links->times->match;
	const struct job_rank *rank = &match->rank[end->rank];
	const struct rank_call *call = job_call(match, end);
	bool sends = job_sends(rank, job_message(match, end));
	uint64_t ns = job_clock_ns(&links->times->clock, rank->clock,
				   sends ? call->begin_ns : call->end_ns) -
		      links->times->begin_ns;

	begin_line(links->lines->file, links->lines, sends ? 10 : 11, ns);
	fprintf(links->lines->file, " M 0 r%up message m%" PRIu64 "\n", end->rank, links->n);
}

static void put_message(void *context, struct job_end *end, uint64_t n)
{
	struct links *links = context;

	(void)n;
	if (end->collective)
		return;
	put_link(links, &end[0]);
	put_link(links, &end[1]);
	links->n++;
}

/* The ranks, and what they sent each other. */
static void put_messages(struct job_times *times, struct paje_lines *lines)
{
	struct links links = { times, lines, 0 };

	for (uint32_t i = 0; i < times->n; i++) {
		char name[RANK_NAME];
		const struct job_rank *rank = &times->rank[i];

		begin_line(lines->file, lines, 5, 0);
		fprintf(lines->file, " r%up P 0 \"%s\"\n", i,
			identity_rank(name, rank->rank, rank->nth_world));
	}
	job_match_each(&times->match, put_message, &links);
}

static int write_job(const struct format_job *job, const char *path, FILE *out, struct err *err)
{
	int fd = spool_file();
	struct paje_lines lines = { .file = fd < 0 ? NULL : fdopen(fd, "w+") };
	struct paje to = { .out = lines.file, .times = job->times, .lines = &lines };
	int error = 0;

	(void)path;
	if (!lines.file)
		return spool_failed(err);
	fprintf(out, "%s%s", header, types);
	put_messages(job->times, &lines);
	for (uint32_t i = 0; i < job->times->n && !error; i++)
		error = job->visit(job->context, i, put_rank, &to);
	error = error ?: write_in_order(&lines, out, err);
	fclose(lines.file);
	free(lines.line);
	return error;
}

const struct format format_paje = {
	.name = "paje",
	.suffix = ".paje",
	.reader = "ViTE, StarVZ or pj_dump",
	.file = write_paje,
	.job = write_job,
};
