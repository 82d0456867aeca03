/* SPDX-License-Identifier: MIT */
/* loss_table.c - the columns of what is missing from a trace. */

#include "tools/summary/report_tables.h"
#include "tools/base/xalloc.h"
#include "tools/summary/losses.h"

CELL(bool, is_of_events, struct loss, its->what == LOSS_EVENTS)

#define LOSS(field) COLUMN_FIELD(struct loss, field)

/* `events` is what `count` was called when there were no other losses. */
static const struct column loss_column[] = {
	{ "what", .type = COLUMN_TEXT, LOSS(what), .word = loss_what_name },
	{ "worker", LOSS(worker) },
	{ "count", LOSS(count) },
	{ "events", LOSS(count), .has = is_of_events },
	{ "from_ns", .type = COLUMN_NS, LOSS(from_ns) },
	{ "to_ns", .type = COLUMN_NS, LOSS(to_ns) },
	{ "why", .type = COLUMN_TEXT, LOSS(why) },
	{ "where", .type = COLUMN_TEXT, .only = FOR_JSON, LOSS(where), .optional = true },
	{ "place", .type = COLUMN_TEXT, .only = FOR_SQL, LOSS(where) },
};

struct taking {
	struct loss *loss;
	uint32_t n;
};

static void take_loss(void *context, const struct loss *loss)
{
	struct taking *taking = context;

	taking->loss[taking->n++] = *loss;
}

static void take_stops(struct taking *taking, const struct dag *dag)
{
	for (uint64_t i = 0; i < dag->n_gaps; i++) {
		const struct gap *gap = &dag->gap[i];

		if (gap->why == WIRE_LOSS_STOPPED)
			take_loss(taking,
				  &(struct loss){ LOSS_EVENTS, gap->worker, gap->n, "stopped",
						  gap->since_ns, gap->until_ns, NULL });
	}
}

static void open_losses(struct table *table, const struct summary *summary, bool stops)
{
	uint64_t most = losses_each(&summary->losses, NULL, NULL) + summary->dag->n_gaps + 1;
	struct taking taking = { xcalloc(most, sizeof(struct loss)), 0 };

	if (stops)
		take_stops(&taking, summary->dag);
	losses_each(&summary->losses, take_loss, &taking);
	*table = (struct table){ .name = "losses",
				 TABLE_COLUMNS(loss_column),
				 .own = taking.loss,
				 TABLE_ROWS(taking.loss, taking.n) };
}

void loss_table(struct table *table, const struct summary *summary)
{
	open_losses(table, summary, false);
}

void stop_table(struct table *table, const struct summary *summary)
{
	open_losses(table, summary, true);
}
