/* SPDX-License-Identifier: MIT */
/* thinner.c - one slice of a worker's events, collapsed by itself. */
#include "collector/drain/thinner.h"

#include "collector/collapse/collapse.h"
#include "collector/drain/backoff.h"
#include "collector/session/chunk.h"

#define LEAST_EVENTS 64u /* fewer are not worth it; more than WIRE_COLLAPSED_FIELDS */

#define PASS_MAX 16u

/* A struct collapse is behind it. */
struct thinner {
	_Alignas(64) struct backoff backoff;
};

/* Tasks whose creation is in one slice; each has two events at least. */
static const struct collapse_size size = { .n_children = 2048, .n_sites = 64 };

size_t thinner_bytes(void)
{
	return sizeof(struct thinner) + collapse_bytes(size);
}

uint32_t thinner_run(struct thinner *thinner, const struct session *session, struct slice *slice,
		     struct wire_event *out)
{
	struct collapse *collapse = collapse_make(thinner + 1, size);
	struct collapse_limits limits = {
		.strand = atomic_load_explicit(&session->thin_strand, memory_order_relaxed),
		.task = atomic_load_explicit(&session->thin_task, memory_order_relaxed),
		.final_tasks = atomic_load_explicit(&session->has_final, memory_order_relaxed),
		.least = LEAST_EVENTS
	};
	uint32_t n;

	if (!limits.strand || backoff_passes(&thinner->backoff))
		return 0;
	n = collapse_run(collapse, slice, &limits, out);
	backoff_saw(&thinner->backoff, slice->n, n, PASS_MAX);
	return n < slice->n ? n : 0;
}
