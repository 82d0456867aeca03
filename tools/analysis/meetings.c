/* SPDX-License-Identifier: MIT */
/* meetings.c - the last two workers at each cache line. */
#include "tools/analysis/meetings.h"

#include <stdlib.h>

static const struct meeting_use never = { .ns = MEETING_NEVER, .wrote_ns = MEETING_NEVER };

/* A use at then_ns, by sample then_n of the worker. */
static bool is_fresh(const struct meetings *meetings, const struct meeting_use *use,
		     uint64_t then_ns, uint64_t then_n, uint64_t ns, bool is_shared)
{
	const struct meeting_worker *worker = &meetings->worker[use->worker];
	uint64_t fresh_ns = is_shared ? meetings->shared_ns : meetings->fresh_ns;

	if (then_ns == MEETING_NEVER)
		return false;
	return ns - then_ns <= fresh_ns ||
	       (is_shared && worker->is_there && worker->n - then_n <= meetings->shared_n);
}

/* The worker's own use of the line, or the older one, which is then its own. */
static struct meeting_use *own_use(struct meeting_use use[2], uint16_t worker)
{
	for (int i = 0; i < 2; i++)
		if (use[i].ns != MEETING_NEVER && use[i].worker == worker)
			return &use[i];
	/* never is the largest time */
	if (use[0].ns != MEETING_NEVER && (use[1].ns == MEETING_NEVER || use[1].ns < use[0].ns))
		use++;
	*use = never;
	return use;
}

void meetings_note(struct meetings *meetings, const struct meeting_use *now, enum meeting *met)
{
	uint64_t *number = map_put(&meetings->lines, now->word >> MEETING_LINE_SHIFT);
	struct meeting_use *both, *own, *other, before;
	bool is_shared;

	*met = MEETING_NONE;
	if (!*number)
		array_grow(&meetings->use, &meetings->room, meetings->n + 1,
			   sizeof(*meetings->use));
	if (!*number) {
		meetings->use[meetings->n][0] = meetings->use[meetings->n][1] = never;
		*number = ++meetings->n;
	}
	both = meetings->use[*number - 1];
	own = own_use(both, now->worker);
	other = own == both ? both + 1 : both;
	before = *own;
	*own = *now;
	own->is_shared |= before.is_shared && before.word == now->word;
	if (now->wrote_ns == MEETING_NEVER) {
		own->wrote_ns = before.wrote_ns;
		own->wrote_n = before.wrote_n;
	}
	/* who loads what others change atomically waits for them, too */
	is_shared = now->is_shared || other->is_shared;
	if (is_fresh(meetings, other, other->ns, other->n, now->ns, is_shared) &&
	    (is_fresh(meetings, own, own->wrote_ns, own->wrote_n, now->ns, is_shared) ||
	     is_fresh(meetings, other, other->wrote_ns, other->wrote_n, now->ns, is_shared)))
		*met = other->word == now->word ? MEETING_WORD : MEETING_LINE;
}

void meetings_free(struct meetings *meetings)
{
	map_free(&meetings->lines);
	free(meetings->use);
	*meetings = (struct meetings){ 0 };
}
