/* SPDX-License-Identifier: MIT */
/* pending.c - collapses pending events in two generations. */
#include "collector/drain/pending.h"

#include <stdlib.h>
#include <string.h>

#define PASS_MAX 16u	  /* slices; then it is tried again, as programs have phases */
#define PASS_WHOLE_MAX 4u /* what can be collapsed and was passed over makes the trace larger */

bool pending_open(struct pending_buffer *pending)
{
	size_t bytes = pending->spare->most * sizeof(*pending->event);

	if (!pending->event) {
		pending->event =
			pending->spare->returned ? pending->spare->returned : malloc(bytes);
		pending->spare->returned = NULL;
	}
	if (!pending->spare->event)
		pending->spare->event = malloc(bytes);
	return pending->event && pending->spare->event;
}

/* Copies a slice as it is; only ids are counted. */
static void add_as_is(struct pending_buffer *pending, struct slice *source)
{
	for (uint32_t i = 0; i < source->n; i++) {
		const struct wire_event *event = &source->slot[i];

		source->n_ids = ids_after(event_kind(event), event->b, source->n_ids);
		pending->event[pending->n++] = *event;
	}
}

void pending_add(struct pending_buffer *pending, struct collapse *collapse,
		const struct collapse_limits *limits, struct slice *source)
{
	uint32_t n;

	source->n_ids = pending->ids;
	if (backoff_passes(&pending->slices)) {
		add_as_is(pending, source);
	} else {
		n = collapse_run(collapse, source, limits, pending->event + pending->n);
		pending->n += n;
		backoff_saw(&pending->slices, source->n, n, PASS_MAX);
	}
	pending->ids = source->n_ids;
}

void pending_collapse(struct pending_buffer *pending, struct collapse *collapse,
		      const struct collapse_limits *limits, uint32_t worker)
{
	struct slice source = { .slot = pending->event,
				.n = pending->n,
				.worker = worker,
				.n_ids = pending->ids_before };
	struct wire_event *event = pending->event;

	if (pending->n == pending->n_tried ||
	    (pending->slices.vain && backoff_passes(&pending->whole)))
		return;
	if (!pending_open(pending)) /* a thread new to this buffer may have no memory */
		return;
	pending->n = pending->n_tried =
		collapse_run(collapse, &source, limits, pending->spare->event);
	backoff_saw(&pending->whole, source.n, pending->n, PASS_WHOLE_MAX);
	pending->event = pending->spare->event;
	pending->spare->event = event;
}

bool pending_make_room(struct pending_buffer *pending, struct collapse *collapse,
		       const struct collapse_limits *limits, uint32_t worker, uint32_t n)
{
	if (pending_has_room(pending, n))
		return true;
	pending_collapse(pending, collapse, limits, worker);
	return pending_has_room(pending, n) && pending_has_room(pending, pending->spare->room / 2);
}

void pending_clear(struct pending_buffer *pending)
{
	pending->n = pending->n_tried = 0;
	pending->ids_before = pending->ids;
}

void pending_give_back(struct pending_buffer *pending)
{
	if (pending->n)
		return;
	if (pending->spare->returned)
		free(pending->event);
	else
		pending->spare->returned = pending->event;
	pending->event = NULL;
}

void pending_free(struct pending_buffer *pending)
{
	free(pending->event);
	*pending = (struct pending_buffer){ 0 };
}

void pending_free_spare(struct pending_spare *spare)
{
	free(spare->event);
	free(spare->returned);
	*spare = (struct pending_spare){ 0 };
}
