/* SPDX-License-Identifier: MIT */
/* mixture.c - the joint distribution of what collapsed tasks do, and its expectations. */
#include "tools/analysis/mixture.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/map.h"

#define K (WIRE_COLLAPSED_K - 1)

/* One member: probabilities of being idle, or busy, with k strands ready. */
struct alone {
	double idle[WIRE_COLLAPSED_K], busy[WIRE_COLLAPSED_K];
	double many; /* k where it is K or more */
	double mean; /* of k */
	double runs; /* on the ready path: that it runs, given that it is busy and k > 0 */
};

static double sum(const uint64_t *ns, unsigned n)
{
	double all = 0;

	for (unsigned i = 0; i < n; i++)
		all += (double)ns[i];
	return all;
}

static struct alone alone_of(const struct dag *dag, strand_id s)
{
	const struct collapsed *collapsed = dag_collapsed(dag, s);
	double all = sum(collapsed->idle_ns, WIRE_COLLAPSED_K) +
		     sum(collapsed->busy_ns, WIRE_COLLAPSED_K);
	double ready = sum(collapsed->ready_ns, 2), few = 0;
	double many_ns = (double)collapsed->idle_ns[K] + (double)collapsed->busy_ns[K];
	double busy = sum(collapsed->busy_ns, WIRE_COLLAPSED_K) - (double)collapsed->busy_ns[0];
	struct alone alone = { .many = K };

	if (all <= 0) { /* it took no time */
		alone.busy[0] = 1;
		return alone;
	}
	for (unsigned k = 0; k < WIRE_COLLAPSED_K; k++) {
		alone.idle[k] = (double)collapsed->idle_ns[k] / all;
		alone.busy[k] = (double)collapsed->busy_ns[k] / all;
		if (k < K)
			few += k * ((double)collapsed->idle_ns[k] + (double)collapsed->busy_ns[k]);
	}
	if (many_ns > 0 && (ready - few) / many_ns > K)
		alone.many = (ready - few) / many_ns;
	alone.mean = ready / all;
	if (busy > 0)
		alone.runs = ((double)collapsed->path_ns - (double)collapsed->busy_ns[0]) / busy;
	if (alone.runs < 0)
		alone.runs = 0;
	if (alone.runs > 1)
		alone.runs = 1;
	return alone;
}

double mixture_idle(const struct dag *dag, strand_id s)
{
	const struct collapsed *collapsed = dag_collapsed(dag, s);
	double idle = sum(collapsed->idle_ns, WIRE_COLLAPSED_K);
	double all = idle + sum(collapsed->busy_ns, WIRE_COLLAPSED_K);

	return all > 0 ? idle / all : 0;
}

static unsigned bin_of(double k)
{
	return k < MIXTURE_READY - 1 ? (unsigned)(k + .5) : MIXTURE_READY - 1;
}

/* Adds a further member's idleness and ready strands to the distribution. */
static void convolve(struct mixture *mixture, const struct alone *alone, bool on_path)
{
	static const double none[MIXTURE_MEMBERS + 1][MIXTURE_READY];
	double(*to)[MIXTURE_MEMBERS + 1][MIXTURE_READY] = mixture->weight;
	double from[MIXTURE_MEMBERS + 1][MIXTURE_READY];

	for (int state = 1; state >= 0; state--) { /* [1] is empty before the path's member comes */
		memcpy(from, to[state], sizeof(from));
		memcpy(to[state], none, sizeof(from));
		for (unsigned i = 0; i <= MIXTURE_MEMBERS; i++)
			for (unsigned j = 0; j < MIXTURE_READY; j++) {
				if (from[i][j] == 0)
					continue;
				for (unsigned k = 0; k < WIRE_COLLAPSED_K; k++) {
					unsigned at = bin_of(j + (k < K ? k : alone->many));
					double busy = from[i][j] * alone->busy[k];
					double idle = from[i][j] * alone->idle[k];
					double runs = !on_path || k == 0 ? 1 : alone->runs;

					to[state][i][at] += busy * runs;
					to[1][i][at] += busy * (1 - runs);
					if (i < MIXTURE_MEMBERS)
						to[on_path ? 1 : state][i + 1][at] += idle;
				}
			}
	}
}

/* By what idle times by edge are divided: a trace may say more of them than of idle times. */
static double all_by_edge(const struct collapsed *collapsed, double idle, double all)
{
	double next = (double)collapsed_idle_ns(collapsed);

	return next > idle && idle > 0 ? all * (next / idle) : all;
}

static void add_means(struct mixture *mixture, const struct dag *dag, strand_id s)
{
	const struct collapsed *collapsed = dag_collapsed(dag, s);
	double idle = sum(collapsed->idle_ns, WIRE_COLLAPSED_K);
	double all = idle + sum(collapsed->busy_ns, WIRE_COLLAPSED_K);
	double divisor = all_by_edge(collapsed, idle, all);

	mixture->idle += mixture_idle(dag, s);
	if (all > 0)
		mixture->held += (double)tracer_inside(mixture->tracer, s) / all;
	for (int e = 0; e <= EDGE_JOIN && all > 0; e++)
		for (int more = 0; more < 2; more++)
			mixture->next[more][e] += (double)collapsed->next_ns[more][e] / divisor;
	for (int e = 0; e <= EDGE_CREATE_CONT && all > 0; e++)
		mixture->ready[e] += (double)collapsed->ready_ns[e] / all;
}

/* The one on the path is always told apart. */
static void rebuild(struct mixture *mixture, const struct dag *dag)
{
	uint32_t n_apart = 0;
	bool has_path = false;

	memset(mixture->weight, 0, sizeof(mixture->weight));
	mixture->weight[0][0][0] = 1;
	mixture->more_idle = mixture->more_ready = mixture->idle = mixture->held = 0;
	mixture->none_idle = 1;
	memset(mixture->next, 0, sizeof(mixture->next));
	memset(mixture->ready, 0, sizeof(mixture->ready));
	for (uint32_t m = 0; m < mixture->n_members; m++)
		has_path |= mixture->member[m] == mixture->on_path;
	for (uint32_t m = 0; m < mixture->n_members; m++) {
		strand_id s = mixture->member[m];
		struct alone alone = alone_of(dag, s);
		bool on_path = s == mixture->on_path;

		add_means(mixture, dag, s);
		if (on_path || n_apart + has_path < MIXTURE_MEMBERS) {
			convolve(mixture, &alone, on_path);
			n_apart += !on_path;
		} else {
			mixture->more_idle += mixture_idle(dag, s);
			mixture->none_idle *= 1 - mixture_idle(dag, s);
			mixture->more_ready += alone.mean;
		}
	}
}

void mixture_add(struct mixture *mixture, const struct dag *dag, strand_id s)
{
	ARRAY_ADD(mixture->member, mixture->n_members, mixture->room, s);
	rebuild(mixture, dag);
}

void mixture_remove(struct mixture *mixture, const struct dag *dag, strand_id s)
{
	uint32_t m = 0;

	while (m < mixture->n_members && mixture->member[m] != s)
		m++;
	if (m == mixture->n_members)
		return;
	mixture->member[m] = mixture->member[--mixture->n_members];
	rebuild(mixture, dag);
}

void mixture_on_path(struct mixture *mixture, const struct dag *dag, strand_id s)
{
	if (mixture->on_path == s)
		return;
	mixture->on_path = s;
	rebuild(mixture, dag);
}

void mixture_free(struct mixture *mixture)
{
	free(mixture->member);
	*mixture = (struct mixture){ 0 };
}

/* Shares out the delay of collapsed strands by edge: `part` of it in proportion to by_edge. */
static void by_edge(double part, const double *by_edge, double *edge)
{
	double all = 0;

	for (int e = 0; e < EDGE_KINDS; e++)
		all += by_edge[e];
	for (int e = 0; e < EDGE_KINDS && all > 0; e++)
		edge[e] += part * by_edge[e] / all;
}

/* What to expect of i idle members with k strands ready, which are so with probability `weight`. */
struct outcome {
	double weight, i, k;
	bool any_idle;	   /* of those members that are told apart */
	bool path_waits;   /* the collapsed part of the ready path is ready */
	double q, r;	   /* free workers and ready strands, with theirs */
	double delay;	   /* min(q, r) */
	double idle_delay; /* of which idle workers have so much */
};

/* Ready strands are charged to the states in turn. */
static void add_states(const struct outcome *outcome, const uint64_t n_in[STATES],
		       struct mixture_rates *rates)
{
	double left = outcome->r;

	for (size_t i = 0; i < STATES_FREE; i++) {
		enum state state = states_charged[i];
		double q = (double)n_in[state] + (state == STATE_RUNTIME ? outcome->i : 0);
		double delay = q < left ? q : left;

		left -= delay;
		rates->no_work[state] += outcome->weight * (q - delay);
		rates->sched[state] += outcome->path_waits ? outcome->weight * (q - delay) : 0;
	}
}

static void add_path(const struct mixture *mixture, const struct outcome *outcome, uint64_t q_else,
		     struct mixture_rates *rates)
{
	double weight = outcome->weight;
	double starved = q_else || outcome->any_idle ? 1 : 1 - mixture->none_idle;

	rates->starved += weight * starved;
	if (!outcome->path_waits) {
		rates->path_work += weight;
		return;
	}
	rates->path_scheduler += weight * starved;
	rates->path_busy += weight * (1 - starved);
}

void mixture_rates(const struct mixture *mixture, uint64_t q_else, const uint64_t n_in[STATES],
		   uint64_t r_else, struct mixture_rates *rates)
{
	double next_delay[2] = { 0 }, ready_delay = 0;

	*rates = (struct mixture_rates){ 0 };
	for (unsigned at = 0; at < 2 * (MIXTURE_MEMBERS + 1) * MIXTURE_READY; at++) {
		unsigned j = at % MIXTURE_READY, n = at / MIXTURE_READY % (MIXTURE_MEMBERS + 1);
		unsigned waits = at / MIXTURE_READY / (MIXTURE_MEMBERS + 1);
		struct outcome out = { .weight = mixture->weight[waits][n][j],
				       .i = n + mixture->more_idle,
				       .k = j + mixture->more_ready,
				       .any_idle = n,
				       .path_waits = waits };

		if (out.weight == 0)
			continue;
		out.q = (double)q_else + out.i;
		out.r = (double)r_else + out.i + out.k;
		out.delay = out.q < out.r ? out.q : out.r;
		out.idle_delay = (double)n_in[STATE_IDLE];
		if (out.idle_delay > out.r)
			out.idle_delay = out.r;
		rates->delay += out.weight * out.delay;
		add_states(&out, n_in, rates);
		add_path(mixture, &out, q_else, rates);
		if (out.r > 0) {
			rates->share += out.weight * out.delay / out.r;
			rates->starved_share += out.weight * out.idle_delay / out.r;
			rates->starved_delay +=
				out.weight * out.idle_delay * (out.i + out.k) / out.r;
			next_delay[out.k > 0] += out.weight * out.delay * out.i / out.r;
			ready_delay += out.weight * out.delay * out.k / out.r;
		}
	}
	by_edge(next_delay[0], mixture->next[0], rates->edge);
	by_edge(next_delay[1], mixture->next[1], rates->edge);
	by_edge(ready_delay, mixture->ready, rates->edge);
}
