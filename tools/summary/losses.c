/* SPDX-License-Identifier: MIT */
/* losses.c - reads what is missing from the definitions, and says it. */
#include "tools/summary/losses.h"

#include <inttypes.h>

#include "tools/base/at_most.h"
#include "tools/base/units.h"

static uint64_t number(const struct reader *reader, const char *key)
{
	return defs_meta_number(reader_defs(reader), key);
}

/* The instant in the window that the line with that key says. */
static uint64_t instant(const struct reader *reader, const struct dag *dag, const char *key)
{
	return above(reader_ns(reader, number(reader, key)), dag->begin_ns);
}

/* The trace says how many there were, if it has its end.  The dag has those, too, whose creation
 * alone is lost; the file those that came later than all is there. */
static uint64_t tasks_missing(const struct reader *reader, const struct dag *dag)
{
	uint64_t made = number(reader, "made_tasks");
	uint64_t here = dag->n_tasks + dag->n_collapsed_tasks;

	return above(made, at_least(here, dag->n_made));
}

static void add_bypassing(struct losses *losses, const struct reader *reader)
{
	char key[32];

	for (uint32_t i = 0; i < LOSSES_BYPASSING; i++) {
		snprintf(key, sizeof(key), "bypassing_%u", i + 1);
		losses->bypassing[i] = defs_meta(reader_defs(reader), key);
		if (!losses->bypassing[i])
			return;
		losses->n_bypassing++;
	}
}

struct losses losses_of(const struct reader *reader, const struct dag *dag)
{
	struct losses losses = {
		.dag = dag,
		.file = reader_facts(reader),
		.unwritten = defs_meta(reader_defs(reader), "unwritten"),
		.n_tasks = tasks_missing(reader, dag),
		.n_untaken = number(reader, "untaken_events"),
		.n_threads = number(reader, "unrecorded_threads"),
		.n_calls = number(reader, "unrecorded_calls"),
		.n_unplaced = number(reader, "unplaced_calls"),
		.n_rings = number(reader, "unrecovered_rings"),
		.n_marks = number(reader, "lost_marks"),
		.marks_since_ns = instant(reader, dag, "lost_marks_since"),
		.marks_until_ns = instant(reader, dag, "lost_marks_until"),
		.n_turns = number(reader, "refused_turns"),
		.n_after = number(reader, "tasks_after_end"),
		.after_ns = instant(reader, dag, "closed"),
		.after_until_ns = instant(reader, dag, "tasks_after_end_until"),
	};

	add_bypassing(&losses, reader);
	return losses;
}

bool losses_collector_died(const struct run *run, uint64_t *ns)
{
	uint64_t died_ns = number(run->reader, "collector_died_ns");
	uint64_t begin_ns = run_began_ns(run);

	*ns = above(died_ns, begin_ns);
	return died_ns != 0;
}

/* ---- each of them ---- */

const char *const loss_what_name[LOSS_WHATS] = { "events", "tasks", "marks", "threads", "calls" };

struct handing {
	losses_sink *sink;
	void *context;
	uint64_t n;
};

static void hand_on(struct handing *to, const struct loss *loss)
{
	if (loss->count == 0)
		return;
	to->n++;
	if (to->sink)
		to->sink(to->context, loss);
}

static const char *why_of(const struct losses *losses, const struct gap *gap)
{
	static const char *const why[WIRE_LOSSES] = { [WIRE_LOSS_RING] = "ring",
						      [WIRE_LOSS_STOPPED] = "stopped",
						      [WIRE_LOSS_SIZE] = "size",
						      [WIRE_LOSS_OLD] = "old",
						      [WIRE_LOSS_DIED] = "died" };

	return gap->why == WIRE_LOSS_SIZE && losses->unwritten ? losses->unwritten : why[gap->why];
}

/* Gaps of the workers; `all` becomes what they are together. */
static void hand_on_gaps(const struct losses *losses, struct handing *to, struct loss *all)
{
	const struct dag *dag = losses->dag;

	for (uint64_t i = 0; i < dag->n_gaps; i++) {
		const struct gap *gap = &dag->gap[i];
		struct loss loss = { LOSS_EVENTS,   gap->worker,   gap->n, why_of(losses, gap),
				     gap->since_ns, gap->until_ns, NULL };

		if (gap->why == WIRE_LOSS_STOPPED)
			continue;
		if (loss.count == 0) /* there is a gap, but what it hides has no number */
			loss.count = LOSS_UNKNOWN;
		hand_on(to, &loss);
		if (all->count++ == 0 || loss.from_ns < all->from_ns)
			all->from_ns = loss.from_ns;
		if (all->count == 1 || loss.to_ns > all->to_ns)
			all->to_ns = loss.to_ns;
		all->why = all->count == 1 || all->why == loss.why ? loss.why : "several";
	}
}

/* A file without its end: nobody counted what is not in it. */
static void hand_on_rest(const struct losses *losses, struct handing *to)
{
	const struct reader_facts *file = losses->file;
	const struct dag *dag = losses->dag;
	struct loss loss = { LOSS_EVENTS,     LOSS_NO_WORKER, LOSS_UNKNOWN, "no end",
			     dag->elapsed_ns, LOSS_UNKNOWN,   NULL };

	if (file->ended)
		return;
	if (file->live)
		loss.why = "recording";
	else if (file->torn)
		loss.why = file->cut ? "cut" : "damaged";
	if (file->sure_ns < dag->begin_ns + dag->elapsed_ns)
		loss.from_ns = above(file->sure_ns, dag->begin_ns);
	hand_on(to, &loss);
}

uint64_t losses_each(const struct losses *losses, losses_sink *sink, void *context)
{
	struct handing to = { sink, context, 0 };
	struct loss gaps = { .count = 0 };
	uint64_t end_ns = losses->dag->elapsed_ns;

	hand_on_gaps(losses, &to, &gaps);
	if (!gaps.count)
		gaps = (struct loss){ .why = "missing", .to_ns = end_ns };

	const struct {
		enum loss_what what;
		uint64_t n;
		const char *why;
		uint64_t from_ns, to_ns;
	} other[] = {
		{ LOSS_EVENTS, losses->n_untaken, "not in a ring", 0, end_ns },
		{ LOSS_EVENTS, losses->n_rings ? LOSS_UNKNOWN : 0, "unreadable ring", 0, end_ns },
		{ LOSS_TASKS, losses->n_tasks, gaps.why, gaps.from_ns, gaps.to_ns },
		{ LOSS_TASKS, losses->n_after, "after the end", losses->after_ns,
		  losses->after_until_ns },
		{ LOSS_MARKS, losses->n_marks, "too many at once", losses->marks_since_ns,
		  losses->marks_until_ns },
		{ LOSS_THREADS, losses->n_threads, "no memory", 0, end_ns },
		{ LOSS_CALLS, losses->n_calls, "in a handler or the runtime", 0, end_ns },
		{ LOSS_CALLS, losses->n_unplaced, "of unrecorded threads or handlers", 0, end_ns },
		{ LOSS_CALLS, losses->n_turns, "collector stood still", 0, end_ns },
	};

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		hand_on(&to, &(struct loss){ other[i].what, LOSS_NO_WORKER, other[i].n,
					     other[i].why, other[i].from_ns, other[i].to_ns,
					     NULL });
	for (uint32_t i = 0; i < losses->n_bypassing; i++)
		hand_on(&to, &(struct loss){ LOSS_CALLS, LOSS_NO_WORKER, LOSS_UNKNOWN, "bypass", 0,
					     end_ns, losses->bypassing[i] });
	hand_on_rest(losses, &to);
	return to.n;
}

/* ---- in words ---- */

/* Nothing of none. */
static void put_lost(FILE *out, uint64_t n, const char *what)
{
	if (n)
		fprintf(out, "LOST: %" PRIu64 " %s\n", n, what);
}

void losses_put(FILE *out, const struct losses *losses)
{
	char text[2][UNITS_TIME];

	put_lost(out, losses->n_tasks, "of the tasks that the workers made");
	for (uint32_t i = 0; i < losses->n_bypassing; i++)
		fprintf(out,
			"LOST: the tasks, waits and regions of %s: it was loaded past tptrace "
			"(by dlmopen or RTLD_DEEPBIND)\n",
			losses->bypassing[i]);
	put_lost(out, losses->n_untaken,
		 "events that the workers made and that were not in their rings");
	if (losses->n_threads)
		fprintf(out, "LOST: %" PRIu64 " thread%s not recorded: no memory for their rings\n",
			losses->n_threads, losses->n_threads == 1 ? " was" : "s were");
	if (losses->n_rings)
		fprintf(out,
			"LOST: the last events of %" PRIu64
			" worker%s: `tptrace recover` could not read %s\n",
			losses->n_rings, units_s(losses->n_rings),
			losses->n_rings == 1 ? "its ring" : "their rings");
	put_lost(out, losses->n_calls,
		 "calls of signal handlers or target nowait code inside the runtime or tptrace "
		 "itself, of a runtime that calls another tool or none any more, of pending tasks "
		 "that were handed over again, or of MPI with too many requests, were not "
		 "recorded");
	put_lost(out, losses->n_unplaced,
		 "calls of tasks that unrecorded threads created, or of signal handlers, were not "
		 "recorded");
	if (losses->n_marks)
		fprintf(out,
			"LOST: %" PRIu64 " phases and regions, between %s and %s: too many "
			"began or ended at once; figures by phase and region cover the others\n",
			losses->n_marks, units_time(text[0], losses->marks_since_ns),
			units_time(text[1], losses->marks_until_ns));
	put_lost(out, losses->n_turns,
		 "calls of tptrace_start() or tptrace_stop() had no effect: the collector stood "
		 "still");
	if (losses->n_after)
		fprintf(out,
			"LOST: the trace ends at %s; other threads went on with at least %" PRIu64
			" more tasks until %s\n",
			units_time(text[0], losses->after_ns), losses->n_after,
			units_time(text[1], losses->after_until_ns));
}
