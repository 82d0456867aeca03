/* SPDX-License-Identifier: MIT */
/*
 * keep.c - records a full trace again, with a flight recorder that collapses.
 *
 *	keep TRACE STRAND TASK BYTES THIN SEED OUTPUT
 *
 * Its workers play the trace's events into rings, some at a time.  STRAND and TASK are struct
 * collapse_limits, BYTES of the newest blocks are kept; with THIN, 1 or 0, workers collapse their
 * own events first.  Times stay what they are.
 */
#include <stdio.h>

#include "collector/drain/thinner.h"
#include "tools/trace/reader.h"
#include "test/bench/recorded.h"
#include "test/lib/rings.h"
#include "test/unit/random.h"
#include "tools/base/load.h"

#define SLOTS (4 * CHUNK_EVENTS)
#define SLICE_LEAST 200u
#define LEAST 48u /* as collapse_limits has it */

struct player {
	struct recorded of;
	uint64_t at, n_ids; /* the next event, and ids given out before it */
};

static struct random chance;

static void die(const char *what)
{
	fprintf(stderr, "keep: %s\n", what);
	exit(1);
}

static void read_worker(const struct reader *reader, uint32_t w, struct player *player)
{
	struct cursor cursor;
	const struct event *event;
	struct err err = { 0 };
	int got;

	cursor_open(&cursor, reader, w);
	while ((got = cursor_next(&cursor, &event, &err)) > 0)
		if (!recorded_add(&player->of, event))
			die("out of memory");
	cursor_close(&cursor);
	if (got < 0)
		die(err.text);
}

/* The worker makes a slice of events, and hands it over. */
static void play(struct player *player, struct rings *rings, uint32_t w, struct thinner *thinner)
{
	static struct wire_event thin[CHUNK_EVENTS];
	const struct wire_event *raw = &player->of.event[player->at];
	uint64_t left = player->of.n - player->at, n_ids = player->n_ids;
	uint32_t n = SLICE_LEAST + (uint32_t)random_below(&chance, CHUNK_EVENTS - SLICE_LEAST);
	uint32_t n_thin = 0;
	struct slice source = { .slot = raw, .worker = w, .n_ids = n_ids };

	source.n = n = left < n ? (uint32_t)left : n;
	if (n == 0 || rings_room(rings->worker[w]) < 2 * CHUNK_EVENTS)
		return;
	if (thinner)
		n_thin = thinner_run(thinner, rings->session, &source, thin);
	if (n_thin && n_thin < n)
		rings_put_thinned(rings->worker[w], thin, n_thin, n);
	else
		rings_put(rings->worker[w], raw, n);
	for (uint32_t i = 0; i < n; i++)
		player->n_ids = ids_after(event_kind(&raw[i]), raw[i].b, player->n_ids);
	player->at += n;
}

static void record(struct player *player, struct rings *rings, struct drain *drain,
		   struct thinner *thinner)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t w = 0; w < rings->n; w++) {
			play(&player[w], rings, w, thinner);
			more |= player[w].at < player[w].of.n;
		}
		drain_round(drain, random_below(&chance, 3) ? DRAIN_RUNNING : DRAIN_ALL);
	}
	while (drain_round(drain, DRAIN_LAST))
		;
	drain_end(drain, clock_pair(&rings->session->clock), "cleanly");
	if (drain->file.error)
		die(drain->file.err.text);
}

int main(int argc, char **argv)
{
	struct drain drain = { .file.fd = -1 };
	struct reader *reader;
	struct rings rings;
	struct player *player;
	struct thinner *thinner = NULL;
	struct err err = { 0 };
	uint32_t n;

	if (argc != 8)
		die("TRACE STRAND TASK BYTES THIN SEED OUTPUT");
	if (text_open(&reader, argv[1], &err) < 0)
		die(err.text);
	n = reader_facts(reader)->n_workers;
	player = calloc(n, sizeof(*player));
	chance.state = strtoull(argv[6], NULL, 0);
	if (!player || !rings_open(&rings, n, SLOTS, argv[7]))
		die("out of memory");
	for (uint32_t w = 0; w < n; w++)
		read_worker(reader, w, &player[w]);
	if (argv[5][0] == '1') {
		thinner = aligned_alloc(64, (thinner_bytes() + 63) & ~(size_t)63);
		memset(thinner, 0, thinner_bytes());
	}
	rings.session->begin = (struct clock_pair){ 0 };
	rings.session->process.ring =
		(session_text)random_below(&chance, 2); /* as inside, or not */
	rings.session->pending_slots = PENDING_SLOTS_SHARED << random_below(&chance, 3);
	rings.session->options.keep_last = true;
	rings.session->options.max_bytes = UINT64_C(1) << 30;
	rings.session->options.collapse_ns = 1;
	atomic_store(&rings.session->thin_strand, strtoull(argv[2], NULL, 0));
	atomic_store(&rings.session->thin_task, strtoull(argv[3], NULL, 0));
	if (drain_open(&drain, rings.session, rings_worker, &rings) < 0)
		die("out of memory");
	drain.as_is = true; /* the limits are not those of the clock */
	drain.limits = (struct collapse_limits){ .strand = atomic_load(&rings.session->thin_strand),
						 .task = atomic_load(&rings.session->thin_task),
						 .least = LEAST };
	drain.flight.max_bytes = strtoull(argv[4], NULL, 0);
	record(player, &rings, &drain, thinner);
	drain_close(&drain);
	for (uint32_t w = 0; w < n; w++)
		free(player[w].of.event);
	free(player);
	free(thinner);
	rings_close(&rings);
	reader_close(reader);
	return 0;
}
