/* SPDX-License-Identifier: MIT */
/* job_clock.c - bounds by messages, and the lines between them. */
#include "tools/analysis/job_clock.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/map.h"
#include "tools/base/order.h"
#include "tools/base/xalloc.h"

/* Linux slews a clock by at most 500 ppm (adjtimex(2)): two differ by at most twice that. */
#define MOST_SLOPE 1e-3
#define HALVINGS 60 /* of an interval of slopes: 1e-3 / 2^60 is nothing in a year of ns */
#define FEW 256u    /* points that are kept as they come */

/* A message: when it was sent, since the host's first one, and how much later the other clock was
 * when it had arrived. */
struct point {
	double sent, later;
};

/* From one host to another: of its messages those that may bound something. */
struct way {
	uint32_t from, to;
	struct point *point;
	uint64_t n, room;
};

/* What a call tells of the ranks of a host: when the last one let others go on, and when the first
 * one went on. */
struct both_ends {
	uint64_t call; /* the how manieth, of which that is known */
	uint64_t sent_ns, arrived_ns;
};

/* A host that gets a line.  Only what many new ways bound is found anew, and once more at last. */
struct candidate {
	struct clock_line line;
	uint64_t n_in, n_out, n_seen; /* ways with hosts that have lines; of which `line` knows */
};

struct search {
	struct job_clock *clock;
	struct job_match *match;
	struct way *way; /* n_ways */
	uint64_t n_ways, room;
	struct map way_of;	     /* from << 32 | to -> index + 1 */
	uint64_t *own;		     /* by host, from first[host] on: its ways */
	uint64_t *first;	     /* n_lines + 1 */
	struct candidate *candidate; /* by host */
	struct both_ends *ends;	     /* by host */
	uint32_t *at;		     /* the hosts of a call */
	bool with_errors;	     /* bounds are wider by the other host's error */
};

/* ---- messages ---- */

ORDER(by_time, struct point, BY_LEAST(sent) ?: BY_LEAST(later))

/* Whether the one in the middle is not below the line between the others. */
static bool bounds_nothing(const struct point *a, const struct point *b, const struct point *c)
{
	return (b->sent - a->sent) * (c->later - a->later) <=
	       (b->later - a->later) * (c->sent - a->sent);
}

/* Leaves the lower hull. */
static void keep_hull(struct way *way)
{
	uint64_t n = 0;

	SORT(way->point, way->n, by_time);
	for (uint64_t i = 0; i < way->n; i++) {
		while (n > 1 &&
		       bounds_nothing(&way->point[n - 2], &way->point[n - 1], &way->point[i]))
			n--;
		way->point[n++] = way->point[i];
	}
	way->n = n;
}

static struct way *way_between(struct search *search, uint32_t from, uint32_t to)
{
	uint64_t *known = map_put(&search->way_of, (uint64_t)from << 32 | to);

	if (!*known) {
		ARRAY_ADD(search->way, search->n_ways, search->room,
			  (struct way){ .from = from, .to = to });
		*known = search->n_ways;
	}
	return &search->way[*known - 1];
}

static void add_message(struct search *search, uint32_t from, uint64_t sent_ns, uint32_t to,
			uint64_t arrived_ns)
{
	struct clock_line *line = &search->clock->line[from];
	struct way *way = way_between(search, from, to);

	if (way->n >= FEW && way->n == way->room)
		keep_hull(way);
	array_grow(&way->point, &way->room, way->n + 1, sizeof(*way->point));
	line->at_ns = line->at_ns ?: sent_ns;
	way->point[way->n++] = (struct point){ (double)(int64_t)(sent_ns - line->at_ns),
					       (double)(int64_t)(arrived_ns - sent_ns) };
}

/* ---- calls ---- */

static void add_end(struct search *search, const struct job_end *end, bool last)
{
	const struct job_rank *rank = &search->match->rank[end->rank];
	const struct rank_message *message = job_message(search->match, end);
	struct both_ends *ends = &search->ends[rank->clock];

	if (!end->again && job_sends(rank, message))
		ends->sent_ns = at_least(ends->sent_ns, end->begin_ns);
	if (last && job_arrives(rank, message))
		ends->arrived_ns = at_most(ends->arrived_ns, job_call(search->match, end)->end_ns);
}

/* The hosts of its ranks, each once. */
static uint32_t find_hosts(struct search *search, const struct job_end *end, uint64_t n)
{
	uint64_t call = search->match->n_messages + search->match->n_collectives;
	uint32_t n_hosts = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint32_t host = search->match->rank[end[i].rank].clock;

		if (search->ends[host].call == call)
			continue;
		search->ends[host] = (struct both_ends){ call, 0, UINT64_MAX };
		search->at[n_hosts++] = host;
	}
	return n_hosts;
}

/* One of the hosts stands for all: each pair would be hosts squared, for little more.  Where all
 * wait for all it is the first; else the one that all wait for, or that waits for all. */
static uint32_t find_hub(const struct search *search, uint32_t n_hosts)
{
	uint32_t sender = 0, arriver = 0, n_senders = 0;

	for (uint32_t i = 0; i < n_hosts; i++) {
		const struct both_ends *ends = &search->ends[search->at[i]];
		bool arrives = ends->arrived_ns < UINT64_MAX;

		if (ends->sent_ns && arrives)
			return search->at[i];
		sender = ends->sent_ns ? search->at[i] : sender;
		arriver = arrives ? search->at[i] : arriver;
		n_senders += ends->sent_ns > 0;
	}
	return n_senders == 1 ? sender : arriver;
}

static void bound_one(struct search *search, uint32_t from, uint32_t to)
{
	uint64_t sent_ns = search->ends[from].sent_ns, arrived_ns = search->ends[to].arrived_ns;

	if (from != to && sent_ns && arrived_ns < UINT64_MAX)
		add_message(search, from, sent_ns, to, arrived_ns);
}

static void note_bounds(void *context, struct job_end *end, uint64_t n)
{
	struct search *search = context;
	uint32_t n_hosts = find_hosts(search, end, n), hub;

	if (n_hosts < 2)
		return;
	search->clock->n_apart++;
	for (uint64_t i = 0; i < n; i++)
		add_end(search, &end[i], i + 1 == n || end[i + 1].rank != end[i].rank);
	hub = find_hub(search, n_hosts);
	for (uint32_t i = 0; i < n_hosts; i++) {
		bound_one(search, hub, search->at[i]);
		bound_one(search, search->at[i], hub);
	}
}

/* ---- lines ---- */

/* What the offset of a host may be, with some slope. */
struct room {
	double low, high;
};

static uint64_t put_ns(const struct clock_line *line, uint64_t ns)
{
	double since = (double)(int64_t)(ns - line->at_ns);

	return ns + (uint64_t)line->offset_ns + (uint64_t)(int64_t)llround(line->slope * since);
}

static void narrow(struct room *room, const struct search *search, const struct way *way,
		   uint32_t host, double slope)
{
	const struct clock_line *line = search->clock->line;
	double off_ns =
		search->with_errors ? line[way->to == host ? way->from : way->to].error_ns : 0;

	for (uint64_t i = 0; i < way->n; i++) {
		const struct point *point = &way->point[i];
		uint64_t sent_ns = line[way->from].at_ns + (uint64_t)(int64_t)point->sent;
		uint64_t arrived_ns = sent_ns + (uint64_t)(int64_t)point->later;
		bool comes = way->to == host;
		uint64_t own_ns = comes ? arrived_ns : sent_ns;
		uint64_t job_ns = comes ? put_ns(&line[way->from], sent_ns)
					: put_ns(&line[way->to], arrived_ns);
		double offset = (double)(int64_t)(job_ns - own_ns) -
				slope * (double)(int64_t)(own_ns - line[host].at_ns);

		if (comes)
			room->low = fmax(room->low, offset - off_ns);
		else
			room->high = fmin(room->high, offset + off_ns);
	}
}

/* By messages to and from hosts that have lines. */
static struct room room_of(const struct search *search, uint32_t host, double slope)
{
	const struct clock_line *line = search->clock->line;
	struct room room = { -INFINITY, INFINITY };

	for (uint64_t i = search->first[host]; i < search->first[host + 1]; i++) {
		const struct way *way = &search->way[search->own[i]];

		if (line[way->to == host ? way->from : way->to].known)
			narrow(&room, search, way, host, slope);
	}
	return room;
}

static double width(const struct search *search, uint32_t host, double slope)
{
	struct room room = room_of(search, host, slope);

	return room.high - room.low;
}

/* The width is concave in the slope. */
static double widest_slope(const struct search *search, uint32_t host)
{
	double low = -MOST_SLOPE, high = MOST_SLOPE;

	for (int i = 0; i < 2 * HALVINGS; i++) { /* each leaves two thirds */
		double third = (high - low) / 3;

		if (width(search, host, low + third) < width(search, host, high - third))
			low += third;
		else
			high -= third;
	}
	return (low + high) / 2;
}

/* The last slope from `within` towards another that leaves so much width. */
static double last_slope(const struct search *search, uint32_t host, double within, double towards,
			 double least)
{
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (within + towards) / 2;

		*(width(search, host, middle) >= least ? &within : &towards) = middle;
	}
	return within;
}

/* The slope nearest to 0 that leaves half of the width there is at `widest`. */
static double steady_slope(const struct search *search, uint32_t host, double widest)
{
	double half = width(search, host, widest) / 2;

	if (half <= 0 || width(search, host, 0) >= half)
		return half <= 0 ? widest : 0;
	return last_slope(search, host, widest, 0, half);
}

/* ---- how far off a line may be ---- */

/* The first and the last time of the host that a message bounds, since line.at_ns. */
static struct room bounded_times(const struct search *search, uint32_t host)
{
	const struct clock_line *line = search->clock->line;
	struct room times = { INFINITY, -INFINITY };

	for (uint64_t w = search->first[host]; w < search->first[host + 1]; w++) {
		const struct way *way = &search->way[search->own[w]];

		for (uint64_t i = 0; i < way->n; i++) {
			double own_ns = way->point[i].sent;

			if (way->to == host)
				own_ns += (double)(int64_t)(line[way->from].at_ns -
							    line[host].at_ns) +
					  way->point[i].later;
			times.low = fmin(times.low, own_ns);
			times.high = fmax(times.high, own_ns);
		}
	}
	return times;
}

/* By so much the clock would be above the line then, or below it, at most, with that slope. */
static double deviation(const struct search *search, uint32_t host, const struct clock_line *line,
			double slope, double at, bool below)
{
	struct room room = room_of(search, host, slope);
	double ns = (double)line->offset_ns + (line->slope - slope) * at;

	return below ? ns - room.low : room.high - ns;
}

/* Of all lines that the messages allow the one that is furthest off, where any of them is; if they
 * allow none, by how much they forbid this one. */
static double find_error(struct search *search, uint32_t host, const struct clock_line *line)
{
	struct room times = bounded_times(search, host);
	double error_ns = line->error_ns;

	search->with_errors = true;
	double first = last_slope(search, host, line->slope, -MOST_SLOPE, 0);
	double last = last_slope(search, host, line->slope, MOST_SLOPE, 0);

	for (int end = 0; end < 4; end++) {
		double at = end & 1 ? times.low : times.high, low = first, high = last;

		for (int i = 0; i < 2 * HALVINGS; i++) { /* it is concave, too */
			double third = (high - low) / 3;
			bool rises = deviation(search, host, line, low + third, at, end & 2) <
				     deviation(search, host, line, high - third, at, end & 2);

			*(rises ? &low : &high) += rises ? third : -third;
		}
		error_ns = fmax(error_ns,
				deviation(search, host, line, (low + high) / 2, at, end & 2));
	}
	search->with_errors = false;
	return error_ns;
}

/* ---- hosts ---- */

/* Its line, with half the room around it as its error: of one that is bounded on both sides. */
static void find_line(const struct search *search, uint32_t host, struct clock_line *line)
{
	struct room room;

	*line = search->clock->line[host];
	line->slope = steady_slope(search, host, widest_slope(search, host));
	room = room_of(search, host, line->slope);
	line->offset_ns = llround((room.low + room.high) / 2);
	line->known = true;
	line->error_ns = fabs(room.high - room.low) / 2;
}

/* What its ways say, if twice as many say something as when that was found. */
static void find_candidate(const struct search *search, uint32_t host, bool anew)
{
	struct candidate *candidate = &search->candidate[host];
	uint64_t n = candidate->n_in + candidate->n_out;

	if (anew ? n == candidate->n_seen : n < 2 * candidate->n_seen)
		return;
	find_line(search, host, &candidate->line);
	candidate->n_seen = n;
}

/* The host has a line, which bounds others. */
static void know_line(struct search *search, uint32_t host, const struct clock_line *line)
{
	search->clock->line[host] = *line;
	for (uint64_t i = search->first[host]; i < search->first[host + 1]; i++) {
		const struct way *way = &search->way[search->own[i]];

		if (way->from == host)
			search->candidate[way->to].n_in++;
		else
			search->candidate[way->from].n_out++;
	}
}

/* Of the hosts without a line the one that is known best gets its own; false if there is none. */
static bool add_host(struct search *search)
{
	struct job_clock *clock = search->clock;
	struct candidate *best = NULL;

	for (uint32_t host = 0; host < clock->n_lines; host++) {
		struct candidate *candidate = &search->candidate[host];

		if (clock->line[host].known || !candidate->n_in || !candidate->n_out)
			continue;
		find_candidate(search, host, false);
		if (!best || candidate->line.error_ns < best->line.error_ns)
			best = candidate;
	}
	if (!best)
		return false;
	uint32_t host = (uint32_t)(best - search->candidate);

	find_candidate(search, host, true);
	best->line.error_ns = find_error(search, host, &best->line);
	know_line(search, host, &best->line);
	clock->error_ns = at_least(clock->error_ns, (uint64_t)ceil(best->line.error_ns));
	return true;
}

/* ---- all of it ---- */

static void open_search(struct search *search)
{
	const struct job_match *match = search->match;
	struct job_clock *clock = search->clock;

	for (uint32_t r = 0; r < match->n_ranks; r++)
		clock->n_lines = (uint32_t)at_least(clock->n_lines, match->rank[r].clock + 1ull);
	clock->line = xcalloc(clock->n_lines + 1ull, sizeof(*clock->line));
	search->ends = xcalloc(clock->n_lines + 1ull, sizeof(*search->ends));
	search->at = xcalloc(clock->n_lines + 1ull, sizeof(*search->at));
	search->candidate = xcalloc(clock->n_lines + 1ull, sizeof(*search->candidate));
}

/* By host. */
static void list_ways(struct search *search)
{
	uint32_t n = search->clock->n_lines;

	search->own = xcalloc(2 * search->n_ways + 1, sizeof(*search->own));
	search->first = xcalloc(n + 1ull, sizeof(*search->first));
	for (uint64_t w = 0; w < search->n_ways; w++) {
		search->first[search->way[w].from]++;
		search->first[search->way[w].to]++;
	}
	for (uint32_t host = 0; host < n; host++)
		search->first[host + 1] += search->first[host];
	for (uint64_t w = search->n_ways; w-- > 0;) { /* from their ends to their begins */
		search->own[--search->first[search->way[w].from]] = w;
		search->own[--search->first[search->way[w].to]] = w;
	}
}

static void find_lines(struct search *search)
{
	uint32_t first = search->match->rank[0].clock;
	struct clock_line line = search->clock->line[first];

	for (uint64_t w = 0; w < search->n_ways; w++)
		keep_hull(&search->way[w]);
	list_ways(search);
	line.known = true;
	know_line(search, first, &line);
	while (add_host(search))
		;
}

void job_clock_find(struct job_clock *clock, struct job_match *match)
{
	struct search search = { .clock = clock, .match = match };

	*clock = (struct job_clock){ 0 };
	open_search(&search);
	job_match_each(match, note_bounds, &search);
	if (match->n_ranks)
		find_lines(&search);
	for (uint64_t w = 0; w < search.n_ways; w++)
		free(search.way[w].point);
	free(search.way);
	free(search.ends);
	free(search.at);
	free(search.own);
	free(search.first);
	free(search.candidate);
	map_free(&search.way_of);
}

void job_clock_free(struct job_clock *clock)
{
	free(clock->line);
	*clock = (struct job_clock){ 0 };
}

bool job_clock_has(const struct job_clock *clock, uint32_t host)
{
	return host < clock->n_lines && clock->line[host].known;
}

uint64_t job_clock_ns(const struct job_clock *clock, uint32_t host, uint64_t ns)
{
	return job_clock_has(clock, host) ? put_ns(&clock->line[host], ns) : ns;
}

/* Whether steps led to the call then, and no call before it was still under way. */
static bool may_begin(const struct rank_calls *calls, const struct rank_call *call, uint64_t ns)
{
	uint32_t s = call->step;

	while (s != RANK_NONE && calls->step[s].begin_ns >= ns) {
		if (calls->step[s].call != RANK_NONE)
			return calls->call[calls->step[s].call].end_ns < ns;
		s = calls->step[s].before;
	}
	return s != RANK_NONE;
}

/* The first that goes on has all that it waits for. */
static void begin_in_time(void *context, struct job_end *end, uint64_t n)
{
	const struct job_match *match = context;
	uint64_t arrived_ns = UINT64_MAX;

	for (uint64_t i = 0; i < n; i++) {
		const struct job_rank *rank = &match->rank[end[i].rank];

		if (rank->clock != match->rank[end->rank].clock)
			return;
		if (job_arrives(rank, job_message(match, &end[i])))
			arrived_ns = at_most(arrived_ns, job_call(match, &end[i])->end_ns);
	}
	for (uint64_t i = 0; i < n; i++) {
		const struct rank_calls *calls = match->rank[end[i].rank].calls;
		const struct rank_message *message = job_message(match, &end[i]);
		struct rank_call *call = &calls->call[message->call];

		if (!end[i].again && job_sends(&match->rank[end[i].rank], message) &&
		    call->begin_ns >= arrived_ns && may_begin(calls, call, arrived_ns - 1))
			call->begin_ns = arrived_ns - 1;
	}
}

void job_clock_order(struct job_match *match)
{
	job_match_each(match, begin_in_time, match);
}

void job_clock_put(const struct job_clock *clock, uint32_t host, struct rank_calls *calls)
{
	const struct clock_line *line = &clock->line[host];

	for (uint32_t i = 0; i < calls->n_calls; i++) {
		calls->call[i].begin_ns = put_ns(line, calls->call[i].begin_ns);
		calls->call[i].end_ns = put_ns(line, calls->call[i].end_ns);
	}
	for (uint32_t i = 0; i < calls->n_steps; i++) {
		calls->step[i].begin_ns = put_ns(line, calls->step[i].begin_ns);
		calls->step[i].end_ns = put_ns(line, calls->step[i].end_ns);
	}
	calls->born_ns = put_ns(line, calls->born_ns);
	calls->begin_ns = put_ns(line, calls->begin_ns);
	calls->end_ns = put_ns(line, calls->end_ns);
}
