/* SPDX-License-Identifier: MIT */
/* losses.c - reads what is missing from the definitions, and says it. */
#include "tools/export/losses.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tools/export/text.h"

static uint64_t number(const struct reader *reader, const char *key)
{
	const char *value = defs_meta(reader_defs(reader), key);

	return value ? strtoull(value, NULL, 10) : 0;
}

/* The instant in the window that the line with that key says. */
static uint64_t instant(const struct reader *reader, const struct dag *dag, const char *key)
{
	uint64_t ns = reader_ns(reader, number(reader, key));

	return ns > dag->begin_ns ? ns - dag->begin_ns : 0;
}

struct losses losses_of(const struct reader *reader, const struct dag *dag)
{
	return (struct losses){
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
}

bool losses_any(const struct losses *losses)
{
	return losses->n_threads || losses->n_calls || losses->n_unplaced || losses->n_marks ||
	       losses->n_turns || losses->n_after || losses->n_rings;
}

void losses_put(FILE *out, const struct losses *losses)
{
	char text[2][TEXT_TIME];

	if (losses->n_threads)
		fprintf(out,
			"LOST: %" PRIu64 " threads were not recorded, as there was no memory for "
			"their rings\n",
			losses->n_threads);
	if (losses->n_rings)
		fprintf(out,
			"LOST: the last events of %" PRIu64 " workers, whose rings `tptrace "
			"recover` could not read\n",
			losses->n_rings);
	if (losses->n_calls)
		fprintf(out,
			"LOST: %" PRIu64 " calls were not recorded, of signal handlers that "
			"interrupted the runtime or tptrace itself\n",
			losses->n_calls);
	if (losses->n_unplaced)
		fprintf(out,
			"LOST: %" PRIu64 " calls were not recorded, of tasks that unrecorded "
			"threads created, or of signal handlers\n",
			losses->n_unplaced);
	if (losses->n_marks)
		fprintf(out,
			"LOST: %" PRIu64 " phases and regions, between %s and %s, as too many "
			"began or ended at once; figures by phase and region are of the others\n",
			losses->n_marks, text_time(text[0], losses->marks_since_ns),
			text_time(text[1], losses->marks_until_ns));
	if (losses->n_turns)
		fprintf(out,
			"LOST: %" PRIu64 " calls of tptrace_start() or tptrace_stop() had no "
			"effect, as the collector stood still\n",
			losses->n_turns);
	if (losses->n_after)
		fprintf(out,
			"LOST: the trace ends at %s, and other threads went on: at least %" PRIu64
			" tasks more until %s\n",
			text_time(text[0], losses->after_ns), losses->n_after,
			text_time(text[1], losses->after_until_ns));
}
