/* SPDX-License-Identifier: MIT */
/* timeline.c - builds the pieces of a trace's time from its pairs of both clocks. */
#include "tools/trace/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ns = units * scale >> SCALE_BITS: in a day (2^47 ns) the rounding comes to half a ns. */
#define SCALE_BITS 48
#define SCALE_MAX (UINT64_C(1) << 63)
#define APART_NS 1000000u /* pairs that are nearer say nothing of a rate */
#define PPM 1000000u
#define JUMP_PPM 1000u /* quartz is off by 100 at most, a virtual machine's clock by some more */
#define NO_DRIFT_PPM 10000u /* no clock changes its rate by so much */
#define JUMP_NS 100000u	    /* STEP_NS of clock_samples.c, which keeps the pairs around a jump */
#define WEIGHT_MOST_NS 1000000000u /* CLOCK_SAMPLES_EVERY_NS: pieces of a short run */
#define DRIFT_LEAST_NS 10000000u   /* shorter pieces are too noisy to tell drift by */

typedef __int128 wide;

/* A stretch of one clock between two pairs, in the order of time. */
struct step {
	uint64_t ns; /* that it took */
	wide units;  /* that the clock went meanwhile; may be negative */
	uint64_t at_ns;
	uint64_t scale; /* 0 if the clock did not go ahead */
};

static uint64_t scale_of(uint64_t units, uint64_t ns)
{
	unsigned __int128 scale = ((unsigned __int128)ns << SCALE_BITS) / units;

	/* more stands for a piece of next to no units; the one behind it begins where it should */
	return scale < SCALE_MAX ? (uint64_t)scale : SCALE_MAX - 1;
}

static int pair_by_ns(const void *a, const void *b)
{
	const struct defs_sync *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->units < y->units ? -1 : x->units > y->units;
}

/* The first pair, the snapshots that are far enough from all others, and the last pair. */
static struct defs_sync *pairs_of(const struct defs *defs, uint32_t *n)
{
	struct defs_sync *pair = malloc((defs->n_snapshots + 2ull) * sizeof(*pair));
	uint32_t n_all = 1, kept = 1;

	if (!pair)
		return NULL;
	pair[0] = defs->first;
	for (uint32_t i = 0; i < defs->n_snapshots; i++)
		if (defs->snapshot[i].ns > defs->first.ns && defs->snapshot[i].ns < defs->last.ns)
			pair[n_all++] = defs->snapshot[i];
	qsort(pair + 1, n_all - 1, sizeof(*pair), pair_by_ns);
	for (uint32_t i = 1; i < n_all; i++)
		if (pair[i].ns - pair[kept - 1].ns >= APART_NS &&
		    defs->last.ns - pair[i].ns >= APART_NS)
			pair[kept++] = pair[i];
	pair[kept++] = defs->last;
	*n = kept;
	return pair;
}

static int by_scale(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return x->scale < y->scale ? -1 : x->scale > y->scale;
}

/* One long piece, over which the clock jumped, is not to outweigh all others. */
static uint64_t weight_ns(const struct step *step)
{
	uint64_t most = step->ns < WEIGHT_MOST_NS ? step->ns : WEIGHT_MOST_NS;

	return step->scale ? most : 0;
}

/* The rate that half of the time has at most. */
static uint64_t median(const struct step *step, uint32_t n)
{
	struct step *sorted = malloc(n * sizeof(*sorted));
	uint64_t all_ns = 0, ns = 0, scale = 0;

	if (!sorted)
		return 0;
	memcpy(sorted, step, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_scale);
	for (uint32_t i = 0; i < n; i++)
		all_ns += weight_ns(&sorted[i]);
	for (uint32_t i = 0; i < n && 2 * (wide)ns < all_ns; i++) {
		ns += weight_ns(&sorted[i]);
		scale = sorted[i].scale;
	}
	free(sorted);
	return scale;
}

/* How far the clock went ahead of the time, at the trace's own rate; negative if behind. */
static int64_t ahead_ns(const struct timeline *timeline, const struct step *step)
{
	wide went = step->units < 0 ? -step->units : step->units, ahead;

	/* 64 bits of units and 63 of scale fit */
	went = (wide)((unsigned __int128)went * timeline->scale >> SCALE_BITS);
	ahead = (step->units < 0 ? -went : went) - (wide)step->ns;
	if (ahead > INT64_MAX || ahead < -INT64_MAX)
		return ahead < 0 ? -INT64_MAX : INT64_MAX;
	return (int64_t)ahead;
}

static void note_jump(struct timeline *timeline, const struct step *step, int64_t ahead)
{
	if (timeline->n_jumps++ && llabs(ahead) <= llabs(timeline->jump_ns))
		return;
	timeline->jump_ns = ahead;
	timeline->jump_at_ns = step->at_ns;
	timeline->jump_to_ns = step->at_ns + step->ns;
}

/* Whether the rate is as far outside of those before and after it as a jump makes it. */
static bool stands_out(const struct timeline *timeline, const struct step *step, uint32_t i,
		       uint32_t n)
{
	uint64_t least = UINT64_MAX, most = 0, far = timeline->scale / PPM * JUMP_PPM;

	for (uint32_t k = i ? i - 1 : 1; k < n && k <= i + 1; k += 2) {
		least = step[k].scale < least ? step[k].scale : least;
		most = step[k].scale > most ? step[k].scale : most;
	}
	return step[i].scale + far < least || step[i].scale > most + far;
}

static bool is_jump(const struct timeline *timeline, const struct step *step, uint32_t i,
		    uint32_t n)
{
	uint64_t off = (uint64_t)llabs(ahead_ns(timeline, &step[i]));
	wide off_ppm = (wide)off * PPM / step[i].ns;

	return off > JUMP_NS &&
	       (off_ppm > NO_DRIFT_PPM || (off_ppm > JUMP_PPM && stands_out(timeline, step, i, n)));
}

static void find_faults(struct timeline *timeline, const struct step *step, uint32_t n)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (uint32_t i = 0; i < n; i++) {
		int64_t ahead = ahead_ns(timeline, &step[i]);
		uint64_t off = (uint64_t)llabs(ahead);

		if (is_jump(timeline, step, i, n)) {
			note_jump(timeline, &step[i], ahead);
		} else if (step[i].ns >= DRIFT_LEAST_NS) {
			timeline->drift_ns += off;
			least = step[i].scale < least ? step[i].scale : least;
			most = step[i].scale > most ? step[i].scale : most;
		}
	}
	if (most > least)
		timeline->drift_ppm =
			(uint32_t)((unsigned __int128)(most - least) * PPM / timeline->scale);
}

/* Pieces between the pairs whose units grow, and one behind the last. */
static void make_pieces(struct timeline *timeline, const struct defs_sync *pair, uint32_t n)
{
	struct timeline_piece *piece = timeline->piece;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (kept && pair[i].units <= piece[kept - 1].units)
			continue;
		piece[kept++] = (struct timeline_piece){ .units = pair[i].units,
							 .ns = pair[i].ns - pair[0].ns,
							 .scale = timeline->scale };
	}
	for (uint32_t i = 0; i + 1 < kept; i++) {
		uint64_t off;

		piece[i].scale = scale_of(piece[i + 1].units - piece[i].units,
					  piece[i + 1].ns - piece[i].ns);
		off = piece[i].scale > timeline->scale ? piece[i].scale - timeline->scale
						       : timeline->scale - piece[i].scale;
		unsigned __int128 ppb = (unsigned __int128)off * 1000 * PPM / timeline->scale;

		if (ppb > timeline->off_ppb)
			timeline->off_ppb = ppb < UINT64_MAX ? (uint64_t)ppb : UINT64_MAX;
	}
	timeline->n = kept == 2 ? 1 : kept; /* of one rate, the second says nothing */
}

int timeline_build(struct timeline *timeline, const struct defs *defs)
{
	struct defs_sync *pair;
	struct step *step;
	uint32_t n = 0;
	int error = -ENOMEM;

	*timeline = (struct timeline){ 0 };
	if (defs->last.ns <= defs->first.ns)
		return -EPROTO;
	pair = pairs_of(defs, &n);
	step = calloc(n + 1ull, sizeof(*step));
	timeline->piece = calloc(n + 1ull, sizeof(*timeline->piece));
	if (!pair || !step || !timeline->piece)
		goto out;
	for (uint32_t i = 0; i + 1 < n; i++) {
		step[i] = (struct step){ .ns = pair[i + 1].ns - pair[i].ns,
					 .units = (wide)pair[i + 1].units - pair[i].units,
					 .at_ns = pair[i].ns - pair[0].ns };
		if (step[i].units > 0)
			step[i].scale = scale_of((uint64_t)step[i].units, step[i].ns);
	}
	timeline->scale = median(step, n - 1);
	error = timeline->scale ? 0 : -EPROTO;
	if (error)
		goto out;
	find_faults(timeline, step, n - 1);
	make_pieces(timeline, pair, n);
out:
	free(pair);
	free(step);
	if (error)
		timeline_free(timeline);
	return error;
}

int timeline_read(struct timeline *timeline, const struct defs *defs, const char *path,
		  struct err *err)
{
	static const struct timeline_piece identity = { .scale = UINT64_C(1) << SCALE_BITS };
	uint64_t units = defs->last.units - defs->first.units;
	uint64_t ns = defs->last.ns - defs->first.ns;
	int error;

	if (!defs->clock || strcmp(defs->clock, "ns") == 0) {
		*timeline = (struct timeline){ .piece = malloc(sizeof(identity)),
					       .n = 1,
					       .scale = identity.scale };
		if (!timeline->piece)
			return err_set(err, ENOMEM, "%s: out of memory", path);
		timeline->piece[0] = identity;
		return 0;
	}
	if (defs->last.units > defs->first.units && defs->last.ns > defs->first.ns &&
	    ((unsigned __int128)ns << SCALE_BITS) / units >= SCALE_MAX)
		return err_set(err, EPROTO, "%s: invalid clock: %llu ns in %llu units", path,
			       (unsigned long long)ns, (unsigned long long)units);
	error = timeline_build(timeline, defs);
	if (error == -ENOMEM)
		return err_set(err, ENOMEM, "%s: out of memory", path);
	if (error)
		return err_set(err, EPROTO, "%s: missing rate of its clock `%s`", path,
			       defs->clock);
	return 0;
}

void timeline_free(struct timeline *timeline)
{
	free(timeline->piece);
	*timeline = (struct timeline){ 0 };
}

uint32_t timeline_find(const struct timeline *timeline, uint64_t units, uint32_t near)
{
	uint32_t low = 0, high = timeline->n;

	if (near + 1 < high && units >= timeline->piece[near].units) {
		if (units < timeline->piece[near + 1].units)
			return near;
		low = near + 1;
	}
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (units < timeline->piece[middle].units)
			high = middle;
		else
			low = middle;
	}
	return low;
}

bool timeline_fits(const struct timeline *timeline, uint64_t units)
{
	const struct timeline_piece *piece = &timeline->piece[timeline_find(timeline, units, 0)];
	uint64_t since = units < piece->units ? 0 : units - piece->units;

	return ((unsigned __int128)since * piece->scale >> SCALE_BITS) + piece->ns <= INT64_MAX;
}
