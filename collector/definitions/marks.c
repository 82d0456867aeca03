/* SPDX-License-Identifier: MIT */
/* marks.c - keeps marks in memory, the newest whole. */
#include "collector/definitions/marks.h"

#include <stdlib.h>
#include <string.h>

#include "collector/definitions/definitions.h"
#include "collector/trace/grow.h"

static void lose(struct marks *marks, uint64_t ticks)
{
	if (marks->n_lost++ == 0)
		marks->lost_first = ticks;
	if (ticks > marks->lost_last)
		marks->lost_last = ticks;
}

static bool is_turn(uint32_t what)
{
	return what == WIRE_MARK_START || what == WIRE_MARK_STOP;
}

static void keep_turn(struct marks *marks, const struct session_mark *mark)
{
	/* not bounded: the program may start and stop for hours, at 16 bytes each */
	if (!grow(&marks->turn, marks->n_turns, 1, sizeof(*marks->turn))) {
		lose(marks, mark->ticks);
		return;
	}
	marks->turn[marks->n_turns++] =
		(struct marks_turn){ mark->ticks, (enum wire_mark)mark->what };
}

void marks_keep(struct marks *marks, const struct session_mark *mark)
{
	struct session_mark *at;

	if (!marks->recent) /* a MiB and more, which most programs never need */
		marks->recent = malloc(MARKS_KEPT * sizeof(*marks->recent));
	if (!marks->recent) {
		lose(marks, mark->ticks);
		return;
	}
	at = &marks->recent[marks->n % MARKS_KEPT];
	/* without a stop the report takes the time behind it for recorded, and idle */
	if (marks->n >= MARKS_KEPT && is_turn(at->what))
		keep_turn(marks, at);
	else if (marks->n >= MARKS_KEPT)
		lose(marks, at->ticks);
	memcpy(at, mark, sizeof(*at));
	marks->n++;
}

void marks_put(const struct marks *marks, uint32_t shift, struct lines *out)
{
	uint64_t n = marks->recent ? marks->n : 0;

	for (uint32_t i = 0; i < marks->n_turns; i++) {
		struct session_mark mark = { .ticks = marks->turn[i].ticks,
					     .what = marks->turn[i].what };

		describe_mark(&mark, shift, out);
	}
	for (uint64_t i = n > MARKS_KEPT ? n - MARKS_KEPT : 0; i < n; i++)
		describe_mark(&marks->recent[i % MARKS_KEPT], shift, out);
}

void marks_take_again(struct session *session, uint32_t from)
{
	uint32_t taken = atomic_load(&session->marks_taken), n_lost = 0;

	if ((int32_t)(taken - from) <= 0)
		return;
	if (taken - from > SESSION_MARKS)
		n_lost = taken - from - SESSION_MARKS;
	from += n_lost;
	for (; from != taken && atomic_load(&session->mark[from % SESSION_MARKS].place) != from + 1;
	     from++)
		n_lost++;
	atomic_fetch_add(&session->marks_lost, n_lost);
	atomic_store(&session->marks_taken, from);
}

uint64_t marks_lost(const struct marks *marks, const struct session *session)
{
	return marks->n_lost + atomic_load(&session->marks_lost);
}

void marks_put_lost(const struct marks *marks, const struct session *session, uint32_t shift,
		    struct lines *out)
{
	uint64_t first = atomic_load(&session->lost_mark_first);
	uint64_t last = atomic_load(&session->lost_mark_last);
	uint32_t n_refused = atomic_load(&session->turns_refused);

	if (marks->n_lost && (!first || marks->lost_first < first))
		first = marks->lost_first;
	if (marks->lost_last > last)
		last = marks->lost_last;
	if (marks_lost(marks, session))
		lines_print(out, "meta lost_marks %llu\n",
			    (unsigned long long)marks_lost(marks, session));
	if (first)
		lines_print(out, "meta lost_marks_since %llu\nmeta lost_marks_until %llu\n",
			    (unsigned long long)(first >> shift),
			    (unsigned long long)(last >> shift));
	if (n_refused)
		lines_print(out, "meta refused_turns %u\n", n_refused);
}

void marks_clear(struct marks *marks)
{
	free(marks->recent);
	free(marks->turn);
	*marks = (struct marks){ .n_lost = marks->n_lost,
				 .lost_first = marks->lost_first,
				 .lost_last = marks->lost_last };
}

void marks_free(struct marks *marks)
{
	marks_clear(marks);
	*marks = (struct marks){ 0 };
}
