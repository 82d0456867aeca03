/* SPDX-License-Identifier: MIT */
/* activity.c - the first and the last instant of a runtime's tasks. */
#include "tools/analysis/activity.h"

struct extent {
	uint64_t from_ns, to_ns; /* from > to: none yet */
};

static void reach(struct extent *extent, uint64_t from_ns, uint64_t to_ns)
{
	if (from_ns < extent->from_ns)
		extent->from_ns = from_ns;
	if (to_ns > extent->to_ns)
		extent->to_ns = to_ns;
}

/* Of a task of the runtime; the threads that create its tasks are none. */
static bool is_of(const struct dag *dag, strand_id s, uint32_t runtime)
{
	if (s == STRAND_NONE || dag_is_node(dag, s))
		return false;
	uint32_t kind = dag_kind(dag, s);

	return kind && dag->kind_runtimes[kind] >> runtime & 1;
}

static struct extent extent_of(const struct dag *dag, uint32_t runtime)
{
	struct extent extent = { UINT64_MAX, 0 };
	uint32_t e = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id pred = dag->strand[s].pred;
		bool released = is_of(dag, pred, runtime);

		for (; e < dag->n_extras && dag->extra[e].to == s; e++)
			released |= is_of(dag, dag->extra[e].from, runtime);
		if (is_of(dag, s, runtime)) {
			bool created = dag->how[s] & STRAND_FIRST && pred != STRAND_NONE;

			reach(&extent, created ? dag_end(dag, pred) : dag_start(dag, s),
			      dag_end(dag, s));
		} else if (released && !dag_is_node(dag, s)) {
			reach(&extent, dag_start(dag, s), dag_start(dag, s));
		}
	}
	if (extent.from_ns > extent.to_ns)
		extent = (struct extent){ 0, dag->elapsed_ns };
	return extent;
}

int activity_select(const struct dag *dag, uint32_t runtime, const struct select *select,
		    struct select *out)
{
	struct extent extent = extent_of(dag, runtime);
	int error = 0;

	*out = (struct select){ .n_rows = select ? select->n_rows : 1,
				.part = select && select->part };
	if (!select)
		return select_add(out, extent.from_ns, extent.to_ns, 0);
	for (uint32_t i = 0; i < select->n && !error; i++) {
		const struct select_span *span = &select->span[i];
		uint64_t from = span->from_ns > extent.from_ns ? span->from_ns : extent.from_ns;
		uint64_t to = span->to_ns < extent.to_ns ? span->to_ns : extent.to_ns;

		error = select_add(out, from, to, span->row);
	}
	return error;
}
