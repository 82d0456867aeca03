/* SPDX-License-Identifier: MIT */
/* meetings.c - the last two workers at each cache line. */
#include "tools/analysis/meetings.h"

#include <errno.h>
#include <stdlib.h>

static bool is_fresh(const struct meetings *meetings, uint64_t then_ns, uint64_t ns)
{
	return then_ns != UINT64_MAX && ns - then_ns <= meetings->fresh_ns;
}

/* The worker's own use of the line, or the older one, which is then its own. */
static struct meeting_use *own_use(struct meeting_use use[2], uint16_t worker)
{
	for (int i = 0; i < 2; i++)
		if (use[i].ns != UINT64_MAX && use[i].worker == worker)
			return &use[i];
	/* never is the largest time */
	if (use[0].ns != UINT64_MAX && (use[1].ns == UINT64_MAX || use[1].ns < use[0].ns))
		use++;
	*use = (struct meeting_use){ UINT64_MAX, UINT64_MAX, 0, worker };
	return use;
}

int meetings_note(struct meetings *meetings, uint16_t worker, uint32_t word, uint64_t ns,
		  bool writes, enum meeting *met)
{
	uint64_t *number = map_put(&meetings->lines, word >> MEETING_LINE_SHIFT);
	struct meeting_use *both, *own, *other;

	*met = MEETING_NONE;
	if (!number || (!*number && !array_grow(&meetings->use, &meetings->room, meetings->n + 1,
						sizeof(*meetings->use))))
		return -ENOMEM;
	if (!*number) {
		meetings->use[meetings->n][0].ns = meetings->use[meetings->n][1].ns = UINT64_MAX;
		*number = ++meetings->n;
	}
	both = meetings->use[*number - 1];
	own = own_use(both, worker);
	other = own == both ? both + 1 : both;
	own->ns = ns;
	own->word = word;
	own->wrote_ns = writes ? ns : own->wrote_ns;
	if (is_fresh(meetings, other->ns, ns) &&
	    (is_fresh(meetings, own->wrote_ns, ns) || is_fresh(meetings, other->wrote_ns, ns)))
		*met = other->word == word ? MEETING_WORD : MEETING_LINE;
	return 0;
}

void meetings_free(struct meetings *meetings)
{
	map_free(&meetings->lines);
	free(meetings->use);
	*meetings = (struct meetings){ 0 };
}
