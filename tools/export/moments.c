/* SPDX-License-Identifier: MIT */
/* moments.c - listens to the sweep, and tells what has changed when time passes. */
#include "tools/export/moments.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"

#define NEVER_TOLD UINT64_MAX

struct moment { /* of a worker */
	uint64_t since_ns;
	uint64_t held, held_told;
	uint8_t in;	   /* enum state */
	uint8_t busy_told; /* 0, 1, or 2: never */
	bool changed;	   /* since time passed last */
};

struct telling {
	const struct export *export;
	const struct moments *of;
	struct moment *worker; /* n_slots */
	uint32_t *changed;     /* workers */
	uint32_t n_changed;
	uint64_t running_told, ready_told;
};

static void note_change(struct telling *tell, uint32_t worker)
{
	if (!tell->worker[worker].changed)
		tell->changed[tell->n_changed++] = worker;
	tell->worker[worker].changed = true;
}

static void end_state(struct telling *tell, uint32_t worker, uint64_t ns)
{
	const struct moment *moment = &tell->worker[worker];

	if (tell->of->state && moment->since_ns < ns && tell->export->worker[worker] &&
	    select_has(run_selected(tell->export->run), moment->since_ns, ns))
		tell->of->state(tell->of->context, worker, (enum state)moment->in, moment->since_ns,
				ns);
}

static void turn(struct telling *tell, const struct sweep *sweep, uint32_t worker)
{
	struct moment *moment = &tell->worker[worker];
	enum state now = workers_state(&sweep->workers, worker);

	note_change(tell, worker);
	if (now == moment->in)
		return;
	end_state(tell, worker, sweep->now_ns);
	moment->in = (uint8_t)now;
	moment->since_ns = sweep->now_ns;
}

static void hold(struct telling *tell, strand_id releaser, int64_t n)
{
	uint32_t worker = tell->export->dag->strand[releaser].worker;

	tell->worker[worker].held += (uint64_t)n;
	note_change(tell, worker);
}

static void tell_count(struct telling *tell, enum moment_count what, uint32_t worker, uint64_t ns,
		       uint64_t n)
{
	if (tell->of->count)
		tell->of->count(tell->of->context, what, worker, ns, n);
}

static void tell_worker(struct telling *tell, const struct sweep *sweep, uint32_t worker)
{
	struct moment *moment = &tell->worker[worker];
	bool busy = moment->in == STATE_RUNNING;

	moment->changed = false;
	if (!tell->export->worker[worker])
		return;
	if (moment->held != moment->held_told)
		tell_count(tell, MOMENT_HELD, worker, sweep->now_ns, moment->held);
	if (busy != moment->busy_told)
		tell_count(tell, MOMENT_BUSY, worker, sweep->now_ns, busy);
	moment->held_told = moment->held;
	moment->busy_told = busy;
}

/* Time passes: what counts is what is there now. */
static void tell_all(struct telling *tell, const struct sweep *sweep)
{
	uint64_t running = sweep->p + sweep->filled + sweep->mixture.n_members;

	for (uint32_t i = 0; i < tell->n_changed; i++)
		tell_worker(tell, sweep, tell->changed[i]);
	tell->n_changed = 0;
	if (running != tell->running_told)
		tell_count(tell, MOMENT_RUNNING, 0, sweep->now_ns, running);
	if (sweep->r != tell->ready_told)
		tell_count(tell, MOMENT_READY, 0, sweep->now_ns, sweep->r);
	tell->running_told = running;
	tell->ready_told = sweep->r;
}

static void step(struct telling *tell, const struct sweep *sweep, enum sweep_what what)
{
	switch (what) {
	case SWEEP_TIME:
		tell_all(tell, sweep);
		break;
	case SWEEP_TURN:
		turn(tell, sweep, sweep->worker);
		break;
	case SWEEP_START:
		if (sweep->releaser != STRAND_NONE)
			hold(tell, sweep->releaser, -1);
		turn(tell, sweep, tell->export->dag->strand[sweep->strand].worker);
		break;
	case SWEEP_END:
		if (sweep->n_released)
			hold(tell, sweep->strand, (int64_t)sweep->n_released);
		turn(tell, sweep, tell->export->dag->strand[sweep->strand].worker);
		break;
	default:
		break;
	}
}

/* The window is over: so is what was told last. */
static void finish(struct telling *tell)
{
	uint64_t ns = tell->export->dag->elapsed_ns;

	for (uint32_t w = 0; w < tell->export->dag->n_slots; w++) {
		end_state(tell, w, ns);
		if (!tell->export->worker[w])
			continue;
		if (tell->worker[w].held_told)
			tell_count(tell, MOMENT_HELD, w, ns, 0);
		if (tell->worker[w].busy_told == 1)
			tell_count(tell, MOMENT_BUSY, w, ns, 0);
	}
	if (tell->running_told)
		tell_count(tell, MOMENT_RUNNING, 0, ns, 0);
	if (tell->ready_told)
		tell_count(tell, MOMENT_READY, 0, ns, 0);
}

void moments_tell(const struct export *export, const struct moments *of)
{
	const struct dag *dag = export->dag;
	struct sweep_scope scope =
		sweep_all(dag, &export->summary->pauses, run_selected(export->run));
	struct telling tell = { .export = export,
				.of = of,
				.running_told = NEVER_TOLD,
				.ready_told = NEVER_TOLD,
				.worker = xcalloc(dag->n_slots + 1ull, sizeof(*tell.worker)),
				.changed = xcalloc(dag->n_slots + 1ull, sizeof(*tell.changed)) };
	struct sweep sweep = { 0 };
	enum sweep_what what;

	sweep_open(&sweep, dag, &export->path, &scope);

	for (uint32_t w = 0; w < dag->n_slots; w++) {
		tell.worker[w].in = STATE_IDLE;
		tell.worker[w].busy_told = 2;
		tell.worker[w].held_told = NEVER_TOLD;
		note_change(&tell, w);
	}
	while ((what = sweep_next(&sweep)) != SWEEP_OVER)
		step(&tell, &sweep, what);
	finish(&tell);
	sweep_close(&sweep);
	free(tell.changed);
	free(tell.worker);
}
