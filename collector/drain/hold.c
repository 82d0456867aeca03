/* SPDX-License-Identifier: MIT */
/* hold.c - collapses events in two generations. */
#include "collector/drain/hold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PASS_MAX 16u	  /* slices; then it is tried again, as programs have phases */
#define PASS_WHOLE_MAX 4u /* what can be collapsed and was passed over makes the trace larger */

static int make_room(struct hold *hold)
{
	size_t bytes = hold->spare->most * sizeof(*hold->event);

	if (!hold->event) {
		hold->event = hold->spare->returned ? hold->spare->returned : malloc(bytes);
		hold->spare->returned = NULL;
	}
	if (!hold->spare->event)
		hold->spare->event = malloc(bytes);
	return hold->event && hold->spare->event ? 0 : -ENOMEM;
}

/* Copies a slice as it is; only ids are counted. */
static void add_as_is(struct hold *hold, struct collapse_source *source)
{
	for (uint32_t i = 0; i < source->n; i++) {
		const struct wire_event *event = &source->slot[(source->first + i) & source->mask];

		source->n_ids = ids_after(event_kind(event), event->b, source->n_ids);
		hold->event[hold->n++] = *event;
	}
}

int hold_add(struct hold *hold, struct collapse *collapse, const struct collapse_limits *limits,
	     struct collapse_source *source)
{
	uint32_t n;

	if (make_room(hold) < 0)
		return -ENOMEM;
	source->n_ids = hold->ids;
	if (backoff_passes(&hold->slices)) {
		add_as_is(hold, source);
	} else {
		n = collapse_run(collapse, source, limits, hold->event + hold->n);
		hold->n += n;
		backoff_saw(&hold->slices, source->n, n, PASS_MAX);
	}
	hold->ids = source->n_ids;
	return 0;
}

void hold_collapse(struct hold *hold, struct collapse *collapse,
		   const struct collapse_limits *limits, uint32_t worker)
{
	struct collapse_source source = { .slot = hold->event,
					  .mask = UINT64_MAX,
					  .n = hold->n,
					  .worker = worker,
					  .n_ids = hold->ids_before };
	struct wire_event *event = hold->event;

	if (hold->n == hold->n_tried || (hold->slices.vain && backoff_passes(&hold->whole)))
		return;
	if (make_room(hold) < 0) /* the spare of another lane than before may have no memory yet */
		return;
	hold->n = hold->n_tried = collapse_run(collapse, &source, limits, hold->spare->event);
	backoff_saw(&hold->whole, source.n, hold->n, PASS_WHOLE_MAX);
	hold->event = hold->spare->event;
	hold->spare->event = event;
}

void hold_clear(struct hold *hold)
{
	hold->n = hold->n_tried = 0;
	hold->ids_before = hold->ids;
}

void hold_give_back(struct hold *hold)
{
	if (hold->n)
		return;
	if (hold->spare->returned)
		free(hold->event);
	else
		hold->spare->returned = hold->event;
	hold->event = NULL;
}

void hold_free(struct hold *hold)
{
	free(hold->event);
	*hold = (struct hold){ 0 };
}

void hold_free_spare(struct hold_spare *spare)
{
	free(spare->event);
	free(spare->returned);
	*spare = (struct hold_spare){ 0 };
}
