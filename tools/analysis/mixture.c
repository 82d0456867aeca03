/* SPDX-License-Identifier: MIT */
/* mixture.c - the joint distribution of what hidden tasks do, and its expectations. */
#include "tools/analysis/mixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define K (WIRE_HIDDEN_K - 1)

/* One member: probabilities of being idle, or busy, with k strands ready. */
struct alone {
	double idle[WIRE_HIDDEN_K], busy[WIRE_HIDDEN_K];
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
	const struct hidden *hidden = dag_hidden(dag, s);
	double all = sum(hidden->idle_ns, WIRE_HIDDEN_K) + sum(hidden->busy_ns, WIRE_HIDDEN_K);
	double ready = sum(hidden->ready_ns, 2), few = 0;
	double many_ns = (double)hidden->idle_ns[K] + (double)hidden->busy_ns[K];
	double busy = sum(hidden->busy_ns, WIRE_HIDDEN_K) - (double)hidden->busy_ns[0];
	struct alone alone = { .many = K };

	if (all <= 0) { /* it took no time */
		alone.busy[0] = 1;
		return alone;
	}
	for (unsigned k = 0; k < WIRE_HIDDEN_K; k++) {
		alone.idle[k] = (double)hidden->idle_ns[k] / all;
		alone.busy[k] = (double)hidden->busy_ns[k] / all;
		if (k < K)
			few += k * ((double)hidden->idle_ns[k] + (double)hidden->busy_ns[k]);
	}
	if (many_ns > 0 && (ready - few) / many_ns > K)
		alone.many = (ready - few) / many_ns;
	alone.mean = ready / all;
	if (busy > 0)
		alone.runs = ((double)hidden->path_ns - (double)hidden->busy_ns[0]) / busy;
	if (alone.runs < 0)
		alone.runs = 0;
	if (alone.runs > 1)
		alone.runs = 1;
	return alone;
}

double mixture_idle(const struct dag *dag, strand_id s)
{
	const struct hidden *hidden = dag_hidden(dag, s);
	double idle = sum(hidden->idle_ns, WIRE_HIDDEN_K);
	double all = idle + sum(hidden->busy_ns, WIRE_HIDDEN_K);

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
				for (unsigned k = 0; k < WIRE_HIDDEN_K; k++) {
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

static void add_means(struct mixture *mixture, const struct dag *dag, strand_id s)
{
	const struct hidden *hidden = dag_hidden(dag, s);
	double all = sum(hidden->idle_ns, WIRE_HIDDEN_K) + sum(hidden->busy_ns, WIRE_HIDDEN_K);

	mixture->idle += mixture_idle(dag, s);
	for (int e = 0; e <= EDGE_JOIN && all > 0; e++)
		for (int more = 0; more < 2; more++)
			mixture->next[more][e] += (double)hidden->next_ns[more][e] / all;
	for (int e = 0; e <= EDGE_CREATE_CONT && all > 0; e++)
		mixture->ready[e] += (double)hidden->ready_ns[e] / all;
}

/* The one on the path is always told apart. */
static void rebuild(struct mixture *mixture, const struct dag *dag)
{
	uint32_t n_apart = 0;
	bool has_path = false;

	memset(mixture->weight, 0, sizeof(mixture->weight));
	mixture->weight[0][0][0] = 1;
	mixture->more_idle = mixture->more_ready = mixture->idle = 0;
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

int mixture_add(struct mixture *mixture, const struct dag *dag, strand_id s)
{
	if (mixture->n_members == mixture->room) {
		uint32_t room = mixture->room ? 2 * mixture->room : 16;
		strand_id *more = realloc(mixture->member, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		mixture->member = more;
		mixture->room = room;
	}
	mixture->member[mixture->n_members++] = s;
	rebuild(mixture, dag);
	return 0;
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

/* Shares out what is delayed of hidden strands by edge: `part` of it in proportion to by_edge. */
static void by_edge(double part, const double *by_edge, double *edge)
{
	double all = 0;

	for (int e = 0; e < EDGE_KINDS; e++)
		all += by_edge[e];
	for (int e = 0; e < EDGE_KINDS && all > 0; e++)
		edge[e] += part * by_edge[e] / all;
}

void mixture_rates(const struct mixture *mixture, uint64_t q_else, uint64_t r_else,
		   uint64_t n_held, struct mixture_rates *rates)
{
	double next_delay[2] = { 0 }, ready_delay = 0;

	*rates = (struct mixture_rates){ 0 };
	for (int state = 0; state < 2; state++)
		for (unsigned n = 0; n <= MIXTURE_MEMBERS; n++)
			for (unsigned j = 0; j < MIXTURE_READY; j++) {
				double weight = mixture->weight[state][n][j];
				double i = n + mixture->more_idle, k = j + mixture->more_ready;
				double q = (double)q_else + i, r = (double)r_else + i + k;
				double delay = q < r ? q : r;

				if (weight == 0)
					continue;
				rates->delay += weight * delay;
				rates->no_work += weight * (q - delay);
				double held = q - delay < n_held ? q - delay : n_held;

				rates->held += weight * held;
				rates->held_sched += state == 1 ? weight * held : 0;
				double starved = q_else || n ? 1 : 1 - mixture->none_idle;

				rates->starved += weight * starved;
				if (state == 0)
					rates->path_work += weight;
				else
					rates->path_scheduler += weight * starved;
				if (state == 1)
					rates->path_busy += weight * (1 - starved);
				if (state == 1)
					rates->sched += weight * (q - delay);
				if (r > 0) {
					rates->share += weight * delay / r;
					next_delay[k > 0] += weight * delay * i / r;
					ready_delay += weight * delay * k / r;
				}
			}
	by_edge(next_delay[0], mixture->next[0], rates->edge);
	by_edge(next_delay[1], mixture->next[1], rates->edge);
	by_edge(ready_delay, mixture->ready, rates->edge);
}
