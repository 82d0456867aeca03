/* SPDX-License-Identifier: MIT */
/* machine_waits.c - walks along the samples of all workers. */
#include "tools/analysis/machine_waits.h"

#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"

/* Also where one of them has no sum of its own: what grew then was moved there by machine_settle(),
 * since it cannot have been later. */
static float part_between(const struct machine_sample *sample)
{
	double ns = (double)(sample[1].ns - sample[0].ns);
	double wait = (double)(sample[1].wait_ns - sample[0].wait_ns);

	return (float)(wait / ns);
}

static bool is_same(float a, float b)
{
	return !(a < b || a > b);
}

/* What changes with the worker's samples. */
static void add_changes(struct machine_waits *waits, const struct machine_lane *lane,
			uint32_t worker)
{
	float last = 0;

	for (uint64_t i = 0; i < lane->n; i++) {
		const struct machine_sample *sample = &lane->sample[i];
		float part = 0;

		if (i + 1 < lane->n && sample[1].ns <= sample[0].ns)
			continue;
		if (i + 1 < lane->n)
			part = part_between(sample);
		if (is_same(part, last))
			continue;
		waits->change[waits->n++] =
			(struct wait_change){ sample->ns < 0 ? 0 : (uint64_t)sample->ns, worker,
					      part };
		last = part;
	}
}

ORDER(by_time, struct wait_change, BY_LEAST(ns) ?: BY_LEAST(worker))

void machine_waits_open(struct machine_waits *waits, const struct machine *machine,
			const struct dag *dag)
{
	uint64_t n = 0;

	*waits = (struct machine_waits){ 0 };
	for (uint32_t w = 0; w < machine->n_lanes && w < dag->n_slots; w++)
		n += machine->lane[w].n;
	if (n == 0)
		return;
	waits->beside = dag->beside;
	waits->n_workers = waits->n_free = dag->n_slots - dag->n_beside;
	waits->change = xcalloc(n, sizeof(*waits->change));
	waits->part = xcalloc(dag->n_slots + 1ull, sizeof(*waits->part));
	waits->runs = xcalloc(dag->n_slots + 1ull, sizeof(*waits->runs));
	for (uint32_t w = 0; w < machine->n_lanes && w < dag->n_slots; w++)
		add_changes(waits, &machine->lane[w], w);
	SORT(waits->change, waits->n, by_time);
}

void machine_waits_close(struct machine_waits *waits)
{
	free(waits->change);
	free(waits->part);
	free(waits->runs);
	*waits = (struct machine_waits){ 0 };
}

void machine_waits_turn(struct machine_waits *waits, uint32_t worker, bool runs)
{
	double part = (double)waits->part[worker];

	if (waits->runs[worker] == runs || waits->beside[worker])
		return;
	waits->runs[worker] = runs;
	waits->n_free += runs ? UINT32_MAX : 1;
	waits->free += runs ? -part : part;
}

static void change(struct machine_waits *waits)
{
	const struct wait_change *to = &waits->change[waits->at++];

	double more = (double)to->part - (double)waits->part[to->worker];

	waits->part[to->worker] = to->part;
	if (waits->beside[to->worker])
		return;
	if (!waits->runs[to->worker])
		waits->free += more;
	waits->all += more;
}

/* Of those that run strands, or of the one that is the next to; unsampled ones have parts of 0. */
static double part_of_others(const struct machine_waits *waits, uint32_t next)
{
	uint32_t n_running = waits->n_workers - waits->n_free;

	return n_running ? (waits->all - waits->free) / n_running : (double)waits->part[next];
}

struct wait_means machine_waits_pass(struct machine_waits *waits, uint64_t from_ns, uint64_t ns,
				     uint64_t q, uint32_t next)
{
	uint64_t now_ns = from_ns, end_ns = from_ns + ns;
	double shared = q > waits->n_free ? (double)q : (double)waits->n_free;
	struct wait_means means = { 0 };

	while (now_ns < end_ns) {
		uint64_t to_ns = end_ns;

		while (waits->at < waits->n && waits->change[waits->at].ns <= now_ns)
			change(waits);
		if (waits->at < waits->n && waits->change[waits->at].ns < end_ns)
			to_ns = waits->change[waits->at].ns;

		double share = (double)(to_ns - now_ns) / (double)ns;

		if (shared > 0 && waits->free > 0)
			means.free += waits->free / shared * share;
		double others = part_of_others(waits, next);

		if (others > 0)
			means.others += others * share;
		now_ns = to_ns;
	}
	return means;
}
