/* SPDX-License-Identifier: MIT */
/* states.c - the names of states and calls. */
#include "tools/analysis/states.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"

const char *const state_name[STATES] = {
	[STATE_RUNNING] = "running", [STATE_RUNTIME] = "runtime", [STATE_BLOCKED] = "blocked",
	[STATE_IDLE] = "idle",	     [STATE_TRACER] = "tracer",	  [STATE_MESSAGE] = "message",
	[STATE_DEVICE] = "device",
};
const char *const state_said[STATES] = {
	[STATE_RUNNING] = "running",
	[STATE_RUNTIME] = "in the runtime",
	[STATE_BLOCKED] = "blocked",
	[STATE_IDLE] = "idle",
	[STATE_TRACER] = "held by the recorder",
	[STATE_MESSAGE] = "in MPI",
	[STATE_DEVICE] = "waiting for a device",
};
const enum state states_charged[STATES_FREE] = { STATE_IDLE,   STATE_RUNTIME, STATE_MESSAGE,
						 STATE_DEVICE, STATE_BLOCKED, STATE_TRACER };
const char *const call_name[CALLS] = {
	"create", "fork", "wait", "lock", "yield", "signal", "begin"
};

/* ---- bins: differences of the total at their ends ---- */

void charge_bins_open(struct charge_bins *bins, uint64_t elapsed_ns, uint32_t n)
{
	uint64_t width_ns = elapsed_ns / n + 1;

	*bins = (struct charge_bins){ .width_ns = width_ns,
				      .n = n,
				      .bin = xcalloc(n, sizeof(*bins->bin)),
				      .next_ns = width_ns };
}

void charge_bins_free(struct charge_bins *bins)
{
	free(bins->bin);
	*bins = (struct charge_bins){ 0 };
}

static struct charge difference(const struct charge *now, const struct charge *before)
{
	return (struct charge){ .work_ns = now->work_ns - before->work_ns,
				.delay_ns = now->delay_ns - before->delay_ns,
				.no_work_sched_ns =
					now->no_work_sched_ns - before->no_work_sched_ns,
				.no_work_app_ns = now->no_work_app_ns - before->no_work_app_ns };
}

/* Fills bin[at], up to where the total is `total`. */
static void fill(struct charge_bins *bins, const struct charge *total)
{
	bins->bin[bins->at] = difference(total, &bins->until_at);
	bins->until_at = *total;
}

void charge_bins_pass(struct charge_bins *bins, uint64_t from_ns, uint64_t to_ns,
		      const struct charge *before, const struct charge *after)
{
	struct charge rate = difference(after, before);
	uint64_t ns = to_ns - from_ns; /* the rates are whole numbers of workers */

	rate.work_ns /= ns;
	rate.delay_ns /= ns;
	rate.no_work_sched_ns /= ns;
	rate.no_work_app_ns /= ns;
	for (; bins->next_ns <= to_ns && bins->at + 1 < bins->n; bins->next_ns += bins->width_ns) {
		uint64_t passed = bins->next_ns - from_ns;

		fill(bins,
		     &(struct charge){ before->work_ns + rate.work_ns * passed,
				       before->delay_ns + rate.delay_ns * passed,
				       before->no_work_sched_ns + rate.no_work_sched_ns * passed,
				       before->no_work_app_ns + rate.no_work_app_ns * passed });
		bins->at++;
	}
	if (bins->at + 1 == bins->n)
		bins->next_ns = UINT64_MAX;
}

void charge_bins_end(struct charge_bins *bins, const struct charge *total)
{
	fill(bins, total);
}
