/* SPDX-License-Identifier: MIT */
/*
 * job_clock_test.c - hosts whose clocks are shifted and drift apart: on the clock that they get, no
 * message arrives before it was sent, and no time is further off than the clock says.
 */
#include "test/lib/test.h"

#include "collector/trace/message.h"
#include "test/unit/random.h"
#include "tools/analysis/job_clock.h"

#define HOSTS 4u
#define MESSAGES 400u
#define A_DAY 86400000000000u
#define LATENCY_NS 700u /* to a host with a higher number; else twice that */

/* What a host's clock shows: the true time, shifted, and faster by so many parts in 10^9. */
struct drifting {
	uint64_t shift_ns;
	int64_t ppb;
};

struct sent {
	uint32_t from, to;
	uint64_t sent_ns, arrived_ns; /* true times */
};

struct scene {
	struct drifting host[HOSTS];
	struct rank_calls calls[HOSTS];
	struct job_rank rank[HOSTS];
	struct sent sent[MESSAGES];
	struct spool spool;
	struct job_match match;
	struct job_clock clock;
};

static uint64_t shown_ns(const struct drifting *host, uint64_t ns)
{
	return ns + host->shift_ns + (uint64_t)((int64_t)(ns / 1000) * host->ppb / 1000000);
}

static void add_end(struct scene *scene, uint32_t rank, enum wire_message field, uint32_t other,
		    uint32_t nth, uint64_t begin_ns, uint64_t end_ns)
{
	struct rank_calls *calls = &scene->calls[rank];

	calls->call[calls->n_calls] =
		(struct rank_call){ .begin_ns = shown_ns(&scene->host[rank], begin_ns),
				    .end_ns = shown_ns(&scene->host[rank], end_ns),
				    .step = RANK_NONE };
	calls->message[calls->n_messages++] = (struct rank_message){ .call = calls->n_calls++,
								     .field = (uint8_t)field,
								     .rank = other,
								     .comm = 1,
								     .order = nth,
								     .tag = nth };
}

/* Over the seconds, between any two ranks, each as late as it happens to be. */
static void send_all(struct scene *scene, struct random *random, uint64_t seconds)
{
	uint64_t ns = A_DAY;

	for (uint32_t i = 0; i < MESSAGES; i++) {
		struct sent *sent = &scene->sent[i];
		uint64_t late_ns = random_one_in(random, 3) ? 0 : random_wide(random, 20);
		uint64_t latency_ns;

		ns += random_below(random, 2 * seconds * 1000000000 / MESSAGES);
		sent->from = (uint32_t)random_below(random, HOSTS);
		sent->to = (sent->from + 1 + (uint32_t)random_below(random, HOSTS - 1)) % HOSTS;
		latency_ns = sent->from < sent->to ? LATENCY_NS : 2 * LATENCY_NS;
		sent->sent_ns = ns;
		sent->arrived_ns = ns + latency_ns + late_ns;
		add_end(scene, sent->from, WIRE_MESSAGE_TO, sent->to, i + 1, ns, ns + 300);
		add_end(scene, sent->to, WIRE_MESSAGE_FROM, sent->from, i + 1,
			ns + LATENCY_NS / 2, sent->arrived_ns);
	}
}

static struct scene *open_scene(uint64_t seed, uint64_t seconds, int64_t most_ppb)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	struct random random = { seed };

	for (uint32_t h = 0; h < HOSTS; h++) {
		scene->host[h].shift_ns = h ? random_below(&random, 90) * A_DAY / 9 : 0;
		scene->host[h].ppb =
			h ? (int64_t)random_below(&random, 2 * (uint64_t)most_ppb + 1) - most_ppb
			  : 0;
		scene->calls[h].call = calloc(2 * MESSAGES, sizeof(struct rank_call));
		scene->calls[h].message = calloc(2 * MESSAGES, sizeof(struct rank_message));
		scene->rank[h].calls = &scene->calls[h];
		scene->rank[h].rank = scene->rank[h].clock = h;
	}
	send_all(scene, &random, seconds);
	job_match_open(&scene->match, scene->rank, HOSTS, &scene->spool);
	job_clock_find(&scene->clock, &scene->match);
	return scene;
}

static void close_scene(struct scene *scene)
{
	job_clock_free(&scene->clock);
	job_match_close(&scene->match);
	spool_free(&scene->spool);
	for (uint32_t h = 0; h < HOSTS; h++) {
		free(scene->calls[h].call);
		free(scene->calls[h].message);
	}
	free(scene);
}

static uint64_t put_ns(const struct scene *scene, uint32_t host, uint64_t ns)
{
	return job_clock_ns(&scene->clock, host, shown_ns(&scene->host[host], ns));
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

static void check_scene(uint64_t seed, uint64_t seconds, int64_t most_ppb)
{
	struct scene *scene = open_scene(seed, seconds, most_ppb);
	uint64_t error_ns = 0;

	assert_int_equal(scene->clock.n_apart, MESSAGES);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		const struct sent *sent = &scene->sent[i];
		uint64_t sent_ns = put_ns(scene, sent->from, sent->sent_ns);
		uint64_t arrived_ns = put_ns(scene, sent->to, sent->arrived_ns);

		assert_true(sent_ns <= arrived_ns);
		if (apart(sent_ns, sent->sent_ns) > error_ns)
			error_ns = apart(sent_ns, sent->sent_ns);
		if (apart(arrived_ns, sent->arrived_ns) > error_ns)
			error_ns = apart(arrived_ns, sent->arrived_ns);
	}
	assert_true(error_ns <= scene->clock.error_ns + 1);
	close_scene(scene);
}

TEST(test_shifted)
{
	for (uint64_t seed = 1; seed <= 10; seed++)
		check_scene(seed, 10, 0);
}

TEST(test_drifting)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		check_scene(seed, 1, 500000);
		check_scene(seed, 60, 40000);
		check_scene(seed, 3600, 2000);
	}
}
