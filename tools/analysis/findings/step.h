/* SPDX-License-Identifier: MIT */
/*
 * step.h - how the core-seconds without work of one step of a sweep are told apart: gather.c's.
 */
#pragma once

#include "tools/analysis/findings/seats.h"
#include "tools/analysis/machine_waits.h"
#include "tools/analysis/sweep_step.h"
#include "tools/base/real.h"

/* What passes in a step of time; in core-ns. */
struct step {
	double delay, no_work;	      /* what is left of it */
	double sched;		      /* of no_work: of a collapsed part of the ready path */
	double held, blocked, barred; /* of both */
	double calls;		      /* likewise */
	double share;		      /* of delay, that each strand that is ready elsewhere gets */
	double in_collapsed;	      /* delay in collapsed tasks */
};

static inline double least(double a, double b)
{
	return a < b ? a : b;
}
static inline double positive(double value)
{
	return value > 0 ? value : 0;
}

/* ---- time ---- */

/* Takes it from no_work first. */
static inline double take(struct step *step, double wanted)
{
	double nothing = least(wanted, step->no_work);
	double ready = least(wanted - nothing, step->delay);

	step->no_work -= nothing;
	step->delay -= ready;
	return nothing + ready;
}

/* Calls of locks that are free, of `free` workers: what they go on with is ready. */
static inline void take_calls(struct step *step, double dt, const struct seats *watch, double free)
{
	double wanted = dt * least(real_of(watch->n_calling), free);
	double ready = least(wanted, step->delay);

	step->delay -= ready;
	step->calls = ready + take(step, wanted - ready);
}

SWEEP_INLINE struct step plain_step(const struct sweep *sweep, const struct seats *watch)
{
	double dt = real_of(sweep->ns), q = real_of(sweep->q), r = real_of(sweep->r);
	struct step step = { .delay = dt * least(q, r), .no_work = dt * positive(q - r) };
	double waits = real_of(watch->n_idle_wait), others = positive(q - waits);

	if (sweep->n_in[STATE_TRACER] || watch->n_blocked || watch->n_calling) {
		double held = real_of(sweep->n_in[STATE_TRACER]);
		double blocked = least(real_of(watch->n_blocked), q - held);

		others = positive(q - held - blocked - waits - real_of(watch->n_calling));
		step.held = take(&step, dt * held);
		step.blocked = take(&step, dt * blocked);
		take_calls(&step, dt, watch, q - held - blocked);
	}
	if (waits > 0) {
		double takeable = dt * positive(r - real_of(watch->n_buried));
		double more = least(step.delay, takeable) - dt * others;

		step.barred = least(dt * waits, positive(more));
		step.delay -= step.barred;
	}
	step.share = step.delay > 0 ? step.delay / r : 0;
	return step;
}

/* While workers run collapsed tasks: what to expect (mixture.h). */
static inline struct step mixed_step(const struct sweep *sweep, const struct seats *watch)
{
	double dt = (double)sweep->ns;
	struct mixture_rates rates;
	struct step step;

	uint64_t n_held = sweep->n_in[STATE_TRACER];

	mixture_rates(&sweep->mixture, sweep->q, sweep->n_in, sweep->r, &rates);
	step = (struct step){ .delay = dt * rates.delay,
			      .no_work = dt * mixture_sum(rates.no_work) };
	step.held = take(&step, dt * (double)n_held);
	step.blocked =
		take(&step, dt * least((double)watch->n_blocked, (double)(sweep->q - n_held)));
	take_calls(&step, dt, watch,
		   positive((double)(sweep->q - n_held) - (double)watch->n_blocked));
	double left = rates.delay > 0 ? step.delay / (dt * rates.delay) : 0;

	step.share = dt * rates.share * left;
	for (int e = 0; e < EDGE_KINDS; e++)
		step.in_collapsed += dt * rates.edge[e] * left;
	step.sched = sweep->path_state == PATH_RUNS
			     ? least(dt * mixture_sum(rates.sched), step.no_work)
			     : 0;
	return step;
}

/*
 * Takes out what the machine took of the step, of `lost` core-ns in all, and returns it.  What is
 * left of no-work while the path's strand runs waits for that strand: parts.c knows how long it had
 * no CPU.
 */
static inline double take_waits(struct step *step, const struct sweep *sweep, double lost,
				struct machine_waits *waited)
{
	struct wait_means part = machine_waits_pass(waited, sweep->now_ns, sweep->ns, sweep->q,
						    sweep->dag->strand[sweep->on_path].worker);
	double own = 1 - part.free, others = own * (1 - part.others);
	double waits = sweep->path_state == PATH_READY ? 0 : step->no_work - step->sched;
	double lacked = lost - step->held - waits;

	step->held *= own;
	step->delay *= others;
	step->sched *= others;
	step->no_work = sweep->path_state == PATH_READY ? step->no_work * others
							: waits * own + step->sched;
	step->blocked *= others;
	step->barred *= others;
	step->calls *= others;
	step->share *= others;
	step->in_collapsed *= others;
	return lost * part.free + lacked * own * part.others;
}
