/* SPDX-License-Identifier: MIT */
/*
 * graph.c - fuzz target: bytes as choices among the events that may come next, so that most
 * inputs are traces that make sense, nearly: one byte in 32 chooses anything.
 */
#include "test/fuzz/fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/trace/file.h"
#include "tools/trace/decode.h"

#define WORKERS 4u
#define EVENTS_MAX 4096u
#define IDS_MAX 256u
#define NAMES 8u

struct lane {
	struct wire_event event[EVENTS_MAX];
	uint32_t n;
	uint64_t n_ids;
	uint64_t running; /* id; 0 */
};

struct story {
	const uint8_t *at, *end;
	struct lane lane[WORKERS];
	uint64_t now;
	/* the ids of tasks to begin and to resume, and of teams */
	uint64_t fresh[IDS_MAX], asleep[IDS_MAX], team[IDS_MAX];
	uint32_t n_fresh, n_asleep, n_teams;
};

static uint8_t take(struct story *story)
{
	return story->at < story->end ? *story->at++ : 0;
}

static void keep(uint64_t *list, uint32_t *n, uint64_t id)
{
	if (*n < IDS_MAX)
		list[(*n)++] = id;
}

/* One of the list, taken out of it unless it is to stay; 0 if it is empty. */
static uint64_t pick(struct story *story, uint64_t *list, uint32_t *n, bool stays)
{
	uint32_t i;
	uint64_t id;

	if (*n == 0)
		return 0;
	i = *n - 1 - take(story) % *n;
	id = list[i];
	if (!stays)
		list[i] = list[--*n];
	return id;
}

static void put(struct story *story, struct lane *lane, enum wire_kind kind, uint64_t b)
{
	if (lane->n == EVENTS_MAX)
		return;
	lane->event[lane->n++] =
		(struct wire_event){ (kind_timed(kind) ? story->now << 8 : 0) | (uint64_t)kind, b };
}

static uint64_t made(struct story *story, struct lane *lane)
{
	return id_make(lane - story->lane, ++lane->n_ids);
}

static void put_idle(struct story *story, struct lane *lane, uint8_t choice)
{
	uint64_t id = 0;

	switch (choice % 8) {
	case 0:
		lane->running = made(story, lane);
		put(story, lane, WIRE_ROOT, 0);
		return;
	case 1:
		id = pick(story, story->team, &story->n_teams, true);
		if (id) {
			put(story, lane, WIRE_MEMBER, id);
			lane->running = made(story, lane);
		}
		return;
	case 2:
		if (story->n_fresh == 0)
			return;
		put(story, lane, WIRE_START, 1 + take(story) % NAMES);
		lane->running = made(story, lane);
		return;
	case 3:
	case 4:
	case 5:
		id = pick(story, story->fresh, &story->n_fresh, false);
		if (id)
			put(story, lane, WIRE_BEGIN, id);
		break;
	default:
		id = pick(story, story->asleep, &story->n_asleep, false);
		if (id)
			put(story, lane, WIRE_RESUME, id);
	}
	lane->running = id;
}

static void put_details(struct story *story, struct lane *lane, enum wire_kind after)
{
	uint8_t n = take(story) % 4;

	for (; n; n--) {
		uint8_t choice = take(story);
		uint64_t name = 1 + choice / 16 % NAMES;

		if (after == WIRE_CREATE && choice % 4 == 0)
			put(story, lane, WIRE_NAME, name);
		else if (after == WIRE_CREATE && choice % 4 == 1)
			put(story, lane, WIRE_BAG, name);
		else if (after == WIRE_CREATE || choice % 4 == 0)
			put(story, lane, WIRE_DEPEND, depend_make(name, 1 + choice % 6));
		else
			put(story, lane, choice % 16 == 1 ? WIRE_NOWAIT : WIRE_OBJECT, name);
	}
}

static void put_running(struct story *story, struct lane *lane, uint8_t choice)
{
	uint64_t self = lane->running, b = take(story) % 8;

	switch (choice % 12) {
	case 0:
	case 1:
	case 2:
		put(story, lane, WIRE_CREATE, site_make((uint32_t)b, take(story) % 64));
		keep(story->fresh, &story->n_fresh, made(story, lane));
		put_details(story, lane, WIRE_CREATE);
		break;
	case 3:
		put(story, lane, WIRE_FORK, site_make((uint32_t)b, take(story) % 32));
		keep(story->team, &story->n_teams, made(story, lane));
		break;
	case 4:
	case 5:
	case 6:
		put(story, lane, WIRE_WAIT,
		    site_make((uint32_t)b, 1 + take(story) % (WIRE_WAITS - 1)));
		put_details(story, lane, WIRE_WAIT);
		break;
	case 7:
		put(story, lane, WIRE_YIELD, b);
		break;
	case 8:
		put(story, lane, WIRE_SIGNAL, 1 + b);
		break;
	case 9:
		put(story, lane, b < 4 ? WIRE_GROUP : b < 6 ? WIRE_HANDLE : WIRE_CANCEL, 1 + b % 2);
		return;
	default:
		put(story, lane, WIRE_END, 0);
		lane->running = 0;
		return;
	}
	if (b & 1) { /* goes on at once */
		put(story, lane, WIRE_RESUME, self);
		return;
	}
	keep(story->asleep, &story->n_asleep, self);
	lane->running = 0;
}

static void put_anything(struct story *story, struct lane *lane)
{
	uint8_t kind = take(story) % WIRE_KINDS;
	uint64_t b = 0;

	for (int i = 0; i < 8; i++)
		b |= (uint64_t)take(story) << 8 * i;
	if (!kind_known(kind))
		return;
	if (kind == WIRE_NEXT_ID)
		lane->n_ids = b;
	put(story, lane, kind, b);
}

static void tell(struct story *story)
{
	while (story->at < story->end) {
		uint8_t first = take(story), choice = take(story);
		struct lane *lane = &story->lane[first % WORKERS];

		story->now += first / 4 % 8;
		if (choice / 8 == 31)
			put_anything(story, lane);
		else if (lane->running)
			put_running(story, lane, choice);
		else
			put_idle(story, lane, choice);
	}
}

static void write_lane(struct trace_file *file, struct encoder *encoder, const struct lane *lane,
		       uint32_t worker)
{
	struct encode_source source = { .slot = lane->event, .n = lane->n };
	struct wire_block block = { .worker = worker };
	const void *body;

	if (lane->n == 0)
		return;
	fuzz_check(encode_block(encoder, &source, &block, &body) == 0);
	fuzz_check(trace_file_put(file, &block, body) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const char defs[] = "clock ns\nruntime 0 name=x workers=2\nsite 1 runtime=1\n";
	static struct story story;
	static struct encoder *encoder;
	struct trace_file file;
	char path[64];
	int fd = fuzz_file("", 0, path);

	if (!encoder)
		encoder = encoder_new();
	memset(&story, 0, sizeof(story));
	story.at = data;
	story.end = data + bytes;
	tell(&story);
	fuzz_check(encoder && trace_file_on(&file, dup(fd), path) == 0);
	for (uint32_t w = 0; w < WORKERS; w++)
		write_lane(&file, encoder, &story.lane[w], w);
	trace_file_put_defs(&file, defs, sizeof(defs) - 1);
	trace_file_finish(&file);
	trace_file_close(&file);
	fuzz_read(path);
	close(fd);
	return 0;
}
