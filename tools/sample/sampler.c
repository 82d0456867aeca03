/* SPDX-License-Identifier: MIT */
/* sampler.c - reads the samples of all workers, and keeps them for the trace. */
#include "tools/sample/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/session/asked.h"
#include "collector/session/clock.h"
#include "collector/session/ring.h"
#include "collector/trace/defs.h"
#include "collector/trace/grow.h"
#include "tools/sample/insn.h"
#include "tools/sample/intern.h"
#include "tools/sample/rate.h"
#include "tools/sample/refused.h"
#include "tools/sample/sample_machine.h"
#include "tools/sample/sample_ring.h"
#include "tools/sample/sleeper.h"
#include "tools/sample/timer_ring.h"
#include "tools/sample/unwind.h"

#define OFF_BEAT_NS 7u /* shorter than a round number: what happens each ms is not met in step */
#define REST_NS                                                                                    \
	40000000u /* from one look to the next: 20 samples of a busy worker at 500 Hz, two thirds  \
		     of its ring */
#define TAKEN_MOST (2 * SAMPLE_PLACES) /* of a worker at a time */
#define SAMPLES_MOST (1u << 18)	  /* kept in memory, 8 MiB; of more, the older half is dropped */
#define CLOCKS_APART_NS 10000000u /* two readings are as exact as 100 ns in this */

struct sampler_worker {
	uint32_t thread; /* whose these are; 0: none */
	struct sample_ring ring;
	struct sample_place *placed; /* by a timer; NULL */
	uint32_t placed_state;	     /* as it was seen last */
	uint64_t placed_lost;	     /* likewise; the place's, whatever thread it is of */
	int place;		     /* sleeper_open(); -1 */
	uint64_t looked_ns;	     /* when it was asleep or not last; 0: not asked yet */
};

/* Counts of what has no sample. */
struct sampler_losses {
	uint64_t lost, cut, unsampled; /* samples; stacks; threads */
};

/* What is at a frame that was an innermost one. */
struct sampler_insn {
	struct insn insn;
	bool asked;
};

struct sampler {
	struct session *session;
	gate_worker *worker_at;
	void *arg;
	uint64_t period_ns;	  /* 0: nobody samples */
	uint64_t cost_ns;	  /* of a sample, as the rate follows from it; 0: it does not */
	struct chunk_sizes sizes; /* checked */
	bool by_timer;
	bool is_over;		       /* the program took the timer's signal */
	char why_off[200];	       /* empty: nobody asked, or there are samples */
	bool kernel;		       /* also inside it, where that is permitted */
	bool opened;		       /* any thread */
	uint64_t read_ns;	       /* when it read last, by CLOCK_MONOTONIC, .. */
	struct clock_pair now, before; /* .. and the clocks then and before */
	struct unwinder unwinder;
	struct sampler_worker *worker;
	uint32_t n_workers;
	struct intern frames, stacks; /* pc and module; parent, and the frame */
	struct sampler_insn *insn;    /* by frame, as far as they were asked */
	uint32_t n_insns;
	struct defs_sample *sample; /* not in the trace yet, their times in ticks */
	uint32_t n;
	uint32_t n_frames_put, n_stacks_put;
	struct sampler_losses losses, losses_put;
	bool is_described;
};

bool sampler_ask(const char *text, struct sampler_asked *asked)
{
	size_t n = sizeof(SAMPLER_BY_TIMER) - 1;
	unsigned long value;
	char *end;

	*asked = (struct sampler_asked){ .hz = SAMPLER_HZ_DEFAULT };
	if (text && strcmp(text, "off") == 0)
		asked->hz = 0;
	if (text && strncmp(text, SAMPLER_BY_TIMER, n) == 0 && (!text[n] || text[n] == ',')) {
		asked->by_timer = true;
		asked->hz = SAMPLER_TIMER_HZ;
		if (!text[n])
			return true;
		text += n + 1;
	} else if (!text || !*text || asked->hz == 0) {
		return true;
	}
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	asked->hz = (uint32_t)value;
	return !*end && !errno && value > 0 && value <= SAMPLER_HZ_MOST;
}

uint64_t sampler_timer_ns(const struct sampler_asked *asked)
{
	struct timespec tick = { 0 };
	uint64_t period_ns = 1000000000u / asked->hz, tick_ns = 0;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0)
		tick_ns = (uint64_t)tick.tv_sec * 1000000000u + (uint64_t)tick.tv_nsec;
	return period_ns < tick_ns ? tick_ns : period_ns;
}

/* ---- samples that wait ---- */

static void keep_sample(struct sampler *sampler, struct defs_sample sample)
{
	if (sampler->n == SAMPLES_MOST) {
		sampler->n /= 2;
		sampler->losses.lost += sampler->n;
		memmove(sampler->sample, sampler->sample + sampler->n, sampler->n * sizeof(sample));
	}
	if (grow(&sampler->sample, sampler->n, 1, sizeof(sample)))
		sampler->sample[sampler->n++] = sample;
	else
		sampler->losses.lost++;
}

/* The number of a stack in the trace, from 1; 0: unknown. */
static uint32_t stack_number(struct sampler *sampler, const struct unwind_start *at)
{
	struct unwind_frame frame[UNWIND_FRAMES];
	bool cut;
	uint32_t n = unwind(&sampler->unwinder, at, frame, &cut), parent = 0;

	sampler->losses.cut += cut;
	while (n-- > 0) {
		uint32_t f = intern_number(&sampler->frames, frame[n].pc, frame[n].module,
					   DEFS_FRAMES_MAX);
		uint32_t s = INTERN_NONE;

		if (f != INTERN_NONE)
			s = intern_number(&sampler->stacks, (uint64_t)parent << 32 | f, 0,
					  DEFS_STACKS_MAX - 1);
		if (s == INTERN_NONE) {
			sampler->losses.cut += !cut;
			return 0;
		}
		parent = s + 1;
	}
	return parent;
}

/* Of the innermost frame of a stack; NULL: not known. */
static const struct insn *insn_of(struct sampler *sampler, uint32_t stack)
{
	uint32_t frame = stack ? (uint32_t)sampler->stacks.pair[stack - 1].a : 0;
	uint8_t code[2 * INSN_WINDOW];
	struct sampler_insn *its;
	struct unwind_frame at;
	size_t n;

	if (!stack)
		return NULL;
	if (frame >= sampler->n_insns) {
		if (!grow(&sampler->insn, sampler->n_insns, frame + 1 - sampler->n_insns,
			  sizeof(*sampler->insn)))
			return NULL;
		sampler->n_insns = frame + 1;
	}
	its = &sampler->insn[frame];
	if (MACHINE_UNWINDS && !its->asked) {
		at = (struct unwind_frame){ sampler->frames.pair[frame].a,
					    sampler->frames.pair[frame].b };
		n = unwind_code(&sampler->unwinder, &at, INSN_WINDOW, code, sizeof(code));
		if (n > INSN_WINDOW)
			its->insn = insn_at(at.pc, code, INSN_WINDOW, n - INSN_WINDOW);
		its->asked = true;
	}
	return &its->insn;
}

/* The session's clock at an instant of CLOCK_MONOTONIC. */
static uint64_t ticks_at(const struct sampler *sampler, uint64_t ns)
{
	const struct clock_pair *now = &sampler->now, *before = &sampler->before;
	double rate = now->ns == before->ns ? 1
					    : (double)(now->ticks - before->ticks) /
						      (double)(now->ns - before->ns);

	return now->ticks + (uint64_t)(int64_t)((double)(int64_t)(ns - now->ns) * rate);
}

/* `asleep_ns`: it stands for so long without a CPU. */
static void add_sample(struct sampler *sampler, uint32_t worker, const struct sample *taken,
		       uint64_t asleep_ns)
{
	struct defs_sample sample = { .worker = (uint16_t)worker, .asleep_ns = asleep_ns };
	const struct insn *insn;

	if (atomic_load(&sampler->session->shut)) /* stopped, or full */
		return;
	sample.units = ticks_at(sampler, taken->ns);
	if ((int64_t)(sample.units - sampler->session->begin.ticks) < 0)
		return;
	sample.stack = stack_number(sampler, &taken->at);
	insn = insn_of(sampler, sample.stack);
	sample.in_kernel = sample_calls_kernel(taken, insn);
	if (insn && insn->has_word && !sample.in_kernel && !asleep_ns)
		sample.word = insn_word(insn, taken->reg);
	keep_sample(sampler, sample);
}

/* ---- threads ---- */

static void close_worker(struct sampler_worker *worker)
{
	if (worker->thread) {
		sample_ring_close(&worker->ring);
		if (worker->place >= 0)
			close(worker->place);
	}
	*worker = (struct sampler_worker){ .placed_lost = worker->placed_lost };
}

static void note_timer(struct sampler *sampler, enum sample_place_state state, int error)
{
	if (state == SAMPLE_PLACE_ON)
		sampler->opened = true;
	if (state == SAMPLE_PLACE_REFUSED && !sampler->opened && error != EAGAIN) {
		snprintf(sampler->why_off, sizeof(sampler->why_off), "timer_create: %s",
			 strerror(error));
		sampler->period_ns = 0;
	} else if (state == SAMPLE_PLACE_REFUSED || state == SAMPLE_PLACE_ENDED) {
		sampler->losses.unsampled++;
	}
	sampler->is_over |= state == SAMPLE_PLACE_ENDED;
}

/* Nobody may; or only this thread has none. */
static void note_refusal(struct sampler *sampler, int error)
{
	if (error == -ESRCH) /* it ended meanwhile */
		return;
	if (!sampler->opened && (error == -EACCES || error == -EPERM || error == -ENOSYS ||
				 error == -ENOENT || error == -EINVAL)) {
		refused_say(sampler->why_off, sizeof(sampler->why_off), error, refused_look());
		sampler->period_ns = 0;
		return;
	}
	sampler->losses.unsampled++;
}

static void open_worker(struct sampler *sampler, struct sampler_worker *worker, uint32_t thread)
{
	int error;

	worker->thread = thread;
	worker->place = -1;
	if (sampler->by_timer) {
		worker->ring = (struct sample_ring){ .fd = -1, .faults_fd = -1 };
		worker->placed = sample_place_of(
			sampler->worker_at(sampler->arg, (uint32_t)(worker - sampler->worker)),
			&sampler->sizes);
		worker->place = sleeper_open(sampler->unwinder.pid, thread);
		return;
	}
	error = sample_ring_open(&worker->ring, thread, sampler->period_ns, sampler->kernel);
	if (error == -EACCES && sampler->kernel) {
		sampler->kernel = false;
		error = sample_ring_open(&worker->ring, thread, sampler->period_ns, false);
	}
	if (error) {
		note_refusal(sampler, error);
		return;
	}
	sampler->opened = true;
	worker->place = sleeper_open(sampler->unwinder.pid, thread);
}

static bool take_sample(struct sampler_worker *worker, struct sample *sample)
{
	if (worker->placed)
		timer_ring_take(worker->placed, &worker->placed_lost, sample);
	else
		sample_ring_take(&worker->ring, sample);
	return sample->what != SAMPLE_NONE;
}

static void read_worker(struct sampler *sampler, uint32_t i)
{
	struct sampler_worker *worker = &sampler->worker[i];
	struct sample sample;

	if (worker->placed) {
		uint32_t state = atomic_load(&worker->placed->state);

		if (state != worker->placed_state)
			note_timer(sampler, state, (int)atomic_load(&worker->placed->error));
		worker->placed_state = state;
	}
	/* a program that lies does not hold the collector */
	for (uint32_t n = 0; n < TAKEN_MOST && take_sample(worker, &sample); n++)
		if (sample.what == SAMPLE_LOST)
			sampler->losses.lost += sample.n_lost;
		else
			add_sample(sampler, i, &sample, 0);
}

static void look_at_worker(struct sampler *sampler, uint32_t i)
{
	struct sampler_worker *worker = &sampler->worker[i];
	uint64_t since_ns = worker->looked_ns;
	struct sample sample = { .ns = sampler->now.ns };
	char stack[SLEEPER_STACK];

	if (worker->place < 0)
		return;
	worker->looked_ns = sampler->now.ns;
	if (since_ns && sleeper_look(worker->place, sampler->unwinder.pid, stack, &sample.at))
		add_sample(sampler, i, &sample, sampler->now.ns - since_ns);
}

static bool grow_workers(struct sampler *sampler, uint32_t n)
{
	if (n <= sampler->n_workers)
		return true;
	if (!grow(&sampler->worker, sampler->n_workers, n - sampler->n_workers,
		  sizeof(*sampler->worker)))
		return false;
	sampler->n_workers = n;
	return true;
}

/* That a worker is now; 0: none. */
static uint32_t thread_of(const struct sampler *sampler, uint32_t i)
{
	const struct worker *worker = sampler->worker_at(sampler->arg, i);

	return worker ? atomic_load(&worker->cpu.thread) : 0;
}

static void take_worker(struct sampler *sampler, uint32_t i, bool last)
{
	struct sampler_worker *own = &sampler->worker[i];
	uint32_t thread = thread_of(sampler, i);

	if (own->thread)
		read_worker(sampler, i);
	if (own->thread == thread && !last)
		look_at_worker(sampler, i);
	if (own->thread == thread)
		return;
	close_worker(own);
	if (thread && !last)
		open_worker(sampler, own, thread);
}

static bool sampler_take(void *arg, bool last)
{
	struct sampler *sampler = arg;
	uint64_t now_ns = clock_monotonic_ns();
	bool is_due = last || now_ns - sampler->read_ns >= REST_NS;
	uint32_t n;

	if (!sampler->period_ns)
		return sampler->n != 0;
	if (is_due)
		sampler->read_ns = now_ns;
	if (now_ns - sampler->now.ns >= CLOCKS_APART_NS) {
		sampler->before = sampler->now;
		sampler->now = clock_pair(&sampler->session->clock);
	}
	n = atomic_load_explicit(&sampler->session->n_workers, memory_order_acquire);
	if (n > WIRE_WORKERS || !grow_workers(sampler, n))
		n = sampler->n_workers;
	for (uint32_t i = 0; i < n && sampler->period_ns; i++)
		/* a thread that comes wakes the collector: its samples begin at once */
		if (is_due || thread_of(sampler, i) != sampler->worker[i].thread)
			take_worker(sampler, i, last);
	return sampler->n != 0;
}

/* ---- the trace ---- */

static void put_loss(struct lines *out, const char *key, uint64_t n, uint64_t written)
{
	if (n != written)
		lines_print(out, "meta %s %llu\n", key, (unsigned long long)n);
}

static void put_recording(struct sampler *sampler, struct lines *out)
{
	if (sampler->why_off[0])
		lines_meta(out, "samples_off", sampler->why_off);
	else if (sampler->opened)
		lines_print(out, "meta sample_period_ns %llu\nmeta sample_kernel %d\n",
			    (unsigned long long)sampler->period_ns, sampler->kernel);
	if (sampler->opened && sampler->cost_ns)
		lines_print(out, "meta sample_cost_ns %llu\n",
			    (unsigned long long)sampler->cost_ns);
	sampler->is_described = sampler->why_off[0] || sampler->opened;
}

/* Stack s of the table is number s + 1 of the trace. */
static void put_stacks(struct sampler *sampler, struct lines *out)
{
	for (uint32_t i = sampler->n_frames_put; i < sampler->frames.n; i++)
		defs_put(out, DEFS_FRAME, i,
			 &(struct defs_frame){ .pc = sampler->frames.pair[i].a,
					       .module = sampler->frames.pair[i].b,
					       .op = i < sampler->n_insns
							     ? (uint8_t)sampler->insn[i].insn.op
							     : DEFS_OTHER });
	for (uint32_t i = sampler->n_stacks_put; i < sampler->stacks.n; i++) {
		uint64_t pair = sampler->stacks.pair[i].a;

		defs_put(out, DEFS_STACK, i + 1,
			 &(struct defs_stack){ .frame = (uint32_t)pair,
					       .parent = (uint32_t)(pair >> 32) });
	}
	sampler->n_frames_put = sampler->frames.n;
	sampler->n_stacks_put = sampler->stacks.n;
}

static void sampler_put(void *arg, uint32_t shift, bool all, struct lines *out)
{
	struct sampler *sampler = arg;
	struct sampler_losses *put = &sampler->losses_put;

	if (all) {
		sampler->n_frames_put = sampler->n_stacks_put = 0;
		sampler->is_described = false;
		*put = (struct sampler_losses){ 0 };
	}
	if (!sampler->is_described)
		put_recording(sampler, out);
	put_stacks(sampler, out);
	for (uint32_t i = 0; i < sampler->n; i++) {
		struct defs_sample sample = sampler->sample[i];

		sample.units >>= shift;
		defs_put_sample(out, &sample);
	}
	put_loss(out, "lost_samples", sampler->losses.lost, put->lost);
	put_loss(out, "cut_stacks", sampler->losses.cut, put->cut);
	put_loss(out, "unsampled_threads", sampler->losses.unsampled, put->unsampled);
	*put = sampler->losses;
	if (!all)
		sampler->n = 0;
}

/* Who did not ask for them finds in the report alone why there are none. */
static const char *why_none(const struct sampler *sampler)
{
	static _Thread_local char said[300];

	if (sampler->is_over)
		return "samples of stacks end where the program takes the timer's signal for "
		       "itself";
	if (!sampler->why_off[0] || !getenv(SAMPLER_VARIABLE))
		return NULL;
	snprintf(said, sizeof(said), "no samples of stacks: %s%s", sampler->why_off,
		 sampler->by_timer ? "" : "; or take them by `--sample=timer`");
	return said;
}

static const char *sampler_close(void *arg)
{
	struct sampler *sampler = arg;
	const char *said = why_none(sampler);

	for (uint32_t i = 0; i < sampler->n_workers; i++)
		close_worker(&sampler->worker[i]);
	free(sampler->worker);
	free(sampler->sample);
	free(sampler->insn);
	intern_free(&sampler->frames);
	intern_free(&sampler->stacks);
	unwind_free(&sampler->unwinder);
	free(sampler);
	return said;
}

void sampler_measure(void)
{
	struct sampler_asked asked;

	if (sampler_ask(getenv(SAMPLER_VARIABLE), &asked) && asked.hz == SAMPLER_HZ_DEFAULT)
		rate_cost_ns();
}

bool sampler_begin(struct definitions_stacks *stacks, struct session *session,
		   const struct chunk_sizes *sizes, gate_worker *worker_at, void *arg, int pid)
{
	struct sampler *sampler;
	struct sampler_asked asked;
	uint64_t cost_ns = 0;

	/* with times that are made up no sample has a place */
	if (!sampler_ask(getenv(SAMPLER_VARIABLE), &asked) || !asked.hz || !pid ||
	    *session_said(session, session->process.virtual))
		return false;
	sampler = malloc(sizeof(*sampler));
	if (!sampler)
		return false;
	if (asked.hz == SAMPLER_HZ_DEFAULT) {
		cost_ns = rate_cost_ns();
		asked.hz = rate_hz(cost_ns);
	}
	*sampler = (struct sampler){ .session = session,
				     .worker_at = worker_at,
				     .arg = arg,
				     .sizes = *sizes,
				     .by_timer = asked.by_timer,
				     .period_ns = asked.by_timer
							  ? sampler_timer_ns(&asked)
							  : 1000000000u / asked.hz - OFF_BEAT_NS,
				     .cost_ns = cost_ns,
				     .kernel = true,
				     .before = session->begin,
				     .now = session->begin,
				     .unwinder = { .session = session, .pid = pid } };
	if (asked.by_timer && sizes->sample_bytes != sizeof(struct sample_place)) {
		snprintf(sampler->why_off, sizeof(sampler->why_off),
			 "the program does not have " PROBE_FILE("timer"));
		sampler->period_ns = 0;
	}
	*stacks = (struct definitions_stacks){
		.take = sampler_take, .put = sampler_put, .close = sampler_close, .arg = sampler
	};
	return true;
}
