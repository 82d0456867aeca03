/* SPDX-License-Identifier: MIT */
/*
 * definitions.c - writes definitions in their order.
 *
 * Before the first block of events, and whenever there is more to say before a later one:
 *
 *	meta command ./fib 30		what was known from the start, once
 *	clock tsc
 *	sync 4166685 3623199		two: rates between them are good enough to begin with
 *	module 0 start=.. path=./fib	new ones, and sites, which name modules by number
 *	site 1 runtime=0 ret=.. fn=..
 *	mark 4166690 phase solve	taken from the session's ring
 *	cpu w0 4166700 run=11048	samples since the last time
 *	whole 4166700			behind all: the watermark, where a round left nothing
 *
 * A reader takes the last line about a thing: what changes is said again, and nothing taken back.
 */
#include "collector/definitions/definitions.h"

#include <stdlib.h>
#include <string.h>

#include "collector/session/gate.h"

void definitions_take_marks(struct definitions *defs, bool last, struct lines *out)
{
	struct marks *marks = &defs->marks;
	struct session_mark mark;

	if (out && (marks->n || marks->n_turns)) {
		marks_put(marks, defs->shift, out);
		marks_clear(marks);
	}
	for (uint32_t i = 0; i < SESSION_MARKS && gate_next_mark(defs->session, &mark, last); i++) {
		if (out)
			describe_mark(&mark, defs->shift, out);
		else
			marks_keep(marks, &mark);
	}
}

/* For a file that has nothing: what others have already counts as not written. */
static void forget(struct definitions *defs)
{
	defs->described = (struct describe){ 0 };
	defs->predecessor.is_written = false;
	defs->memory_bytes = 0;
	defs->clock_samples.n_put = 0;
	defs->cputimes.written = CPUTIMES_NONE;
	defs->cputimes.written_cpus = 0;
}

/* What is written to such a file stays: a snapshot, and later the end, say it again. */
static void put_marks(struct definitions *defs, bool last, bool all, struct lines *out)
{
	definitions_take_marks(defs, last, all ? NULL : out);
	if (all)
		marks_put(&defs->marks, defs->shift, out);
}

static void put_stacks(struct definitions *defs, bool all, struct lines *out)
{
	if (defs->stacks.put)
		defs->stacks.put(defs->stacks.arg, defs->shift, all, out);
	defs->stacks.pending = false;
}

static void put_memory(struct definitions *defs, const struct figures *figures, struct lines *out)
{
	if (figures->memory_bytes == defs->memory_bytes)
		return;
	defs->memory_bytes = figures->memory_bytes;
	lines_print(out, "meta rings %u\nmeta memory_bytes %llu\n", figures->n_workers,
		    (unsigned long long)figures->memory_bytes);
}

static void put_predecessor(struct predecessor *one, struct lines *out)
{
	if (one->was_there && !one->is_written) {
		lines_meta(out, "collector_died", "1");
		lines_meta(out, "continues", one->trace);
	}
	one->is_written = true;
}

/* When the predecessor died, and of what, as far as is known by now. */
static void put_death(const struct definitions *defs, struct lines *out)
{
	unsigned long long ns = atomic_load(&defs->session->died_ns);
	uint32_t died_of = atomic_load(&defs->session->died_of);
	int status = (int)(died_of & (SESSION_DIED_KNOWN - 1));

	if (!defs->predecessor.was_there)
		return;
	if (ns)
		lines_print(out, "meta collector_died_ns %llu\n", ns);
	if (died_of && WIFSIGNALED(status))
		lines_print(out, "meta collector_signal %d\n", WTERMSIG(status));
	else if (died_of)
		lines_print(out, "meta collector_status %d\n", WEXITSTATUS(status));
}

/* If the clock went back meanwhile, the file also has what was before. */
void definitions_put_watermark(const struct definitions *defs, const struct figures *figures,
			       const struct watermark *watermark, struct lines *out)
{
	uint64_t units = watermark->ticks >> defs->shift;

	if (defs->clock_samples.went_back && figures->last_units > units)
		units = figures->last_units;
	describe_watermark(watermark->now, units, defs->shift, out);
}

/* So far, for the program; it is written once more where the trace ends. */
static void put_cpu(const struct figures *figures, struct lines *out)
{
	if (figures->cpu_ns) /* `recover` takes none from the program */
		lines_print(out, "meta collector_cpu_ns %llu\nmeta ring_waits_ns %llu\n",
			    (unsigned long long)figures->cpu_ns,
			    (unsigned long long)figures->waited_ns);
}

void definitions_put(struct definitions *defs, const struct figures *figures,
		     const struct watermark *watermark, bool last, bool all, struct lines *out)
{
	if (all)
		forget(defs);
	/* sites first: what follows names them by number */
	describe_new(&defs->described, defs->session, defs->shift, out);
	put_predecessor(&defs->predecessor, out);
	put_memory(defs, figures, out);
	put_marks(defs, last, all, out);
	clock_samples_put(&defs->clock_samples, defs->shift, out);
	cputimes_put(&defs->cputimes, defs->shift, out);
	if (!all)
		cputimes_clear(&defs->cputimes);
	put_stacks(defs, all, out);
	if (!watermark) /* what follows would be said too early: chunks have events of before */
		return;
	definitions_put_watermark(defs, figures, watermark, out);
	put_cpu(figures, out);
	if (figures->lost)
		lines_print(out, "meta lost_events %llu\n", (unsigned long long)figures->lost);
	marks_put_lost(&defs->marks, defs->session, defs->shift, out);
}

static void put_count(struct lines *out, const char *key, uint64_t n)
{
	if (n)
		lines_print(out, "meta %s %llu\n", key, (unsigned long long)n);
}

/* Threads, calls and sites that the recorder could not take. */
static void put_refused(const struct session *session, struct lines *out)
{
	put_count(out, "unnamed_sites", atomic_load(&session->n_unnamed));
	put_count(out, "unrecorded_threads", atomic_load(&session->n_refused));
	put_count(out, "uncounted_threads", atomic_load(&session->n_uncounted));
	put_count(out, "unrecorded_calls", atomic_load(&session->n_barred));
	put_count(out, "unplaced_calls", atomic_load(&session->n_foreign));
}

/* Counts of what the workers made, to which the reader compares what it finds, and of late ones. */
static void put_made(const struct definitions_end *end, struct lines *out)
{
	put_count(out, "untaken_events", end->untaken_events);
	lines_print(out, "meta made_events %llu\nmeta made_tasks %llu\n",
		    (unsigned long long)(end->made_events + end->untaken_events),
		    (unsigned long long)end->made_tasks);
}

static void put_late(const struct definitions_end *end, struct lines *out)
{
	if (!end->late_tasks)
		return;
	lines_print(
		out,
		"meta closed %llu\nmeta tasks_after_end %llu\nmeta tasks_after_end_until %llu\n",
		(unsigned long long)end->closed_units, (unsigned long long)end->late_tasks,
		(unsigned long long)end->late_units);
}

void definitions_put_end(const struct definitions *defs, const struct figures *figures,
			 const struct definitions_end *end, struct lines *out)
{
	const struct session *session = defs->session;

	put_count(out, "unrecovered_rings", end->n_unread);
	put_refused(session, out);
	put_death(defs, out);
	put_made(end, out);
	lines_meta(out, "unwritten", end->unwritten);
	marks_put_lost(&defs->marks, session, defs->shift, out);
	put_late(end, out);
	put_cpu(figures, out);
	lines_print(out, "meta lost_events %llu\n", (unsigned long long)figures->lost);
	lines_meta(out, "ended", end->how);
	if (strcmp(end->how, "recovered") != 0) /* nobody saw when that was */
		lines_print(out, "meta ended_ns %llu\n", (unsigned long long)end->at.ns);
	if (session->options.max_bytes)
		lines_print(out, "meta max_size %llu\nmeta keep %s\n",
			    (unsigned long long)session->options.max_bytes,
			    session->options.keep_last ? "last" : "first");
}

void definitions_put_snapshot(const struct definitions *defs, const struct figures *figures,
			      const struct watermark *watermark, uint32_t n, struct lines *out)
{
	if (watermark)
		definitions_put_watermark(defs, figures, watermark, out);
	lines_print(out, "meta snapshot %u\n", n);
}

void definitions_free(struct definitions *defs)
{
	clock_samples_free(&defs->clock_samples);
	cputimes_free(&defs->cputimes);
	marks_free(&defs->marks);
	free(defs->predecessor.trace);
	*defs = (struct definitions){ 0 };
}
