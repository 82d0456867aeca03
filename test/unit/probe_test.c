/* SPDX-License-Identifier: MIT */
/* probe_test.c - in which order probes are called, and what one of them may do. */
#include "preload/probes.c" /* NOLINT */

#include <unistd.h>

#include "test/lib/test.h"

#define SLOTS 64u

/* ---- in the place of what is not tested ---- */

static struct session session;
static struct worker *worker;
static struct wire_event slot[SLOTS];

struct session *session_get(void)
{
	return &session;
}

struct session *session_lock(void)
{
	return &session;
}

void session_unlock(struct session *locked)
{
}

session_text session_keep(struct session *into, const char *text)
{
	return text[0];
}

/* ---- probes that note who was called ---- */

static char calls[64];
static uint32_t n_put, n_left;
static bool far_comes = true;

static void note_call(char who)
{
	calls[strlen(calls)] = who;
}

static bool open_near(struct session *into)
{
	note_call('n');
	return probe_counter(into, "a", "") == 0;
}

static bool open_far(struct session *into)
{
	note_call('f');
	return probe_counter(into, "b", "ns") == 1;
}

static bool open_never(struct session *into)
{
	note_call('x');
	return false;
}

static bool come_far(struct worker *to, void *own)
{
	assert_int_equal(*(char *)own, 0);
	return far_comes;
}

static void leave_near(struct worker *from, void *own)
{
	assert_int_equal(*(char *)own, 7);
	n_left++;
}

static void before_near(struct worker *of, void *own, enum wire_kind kind, uint64_t b)
{
	*(char *)own = 7;
	note_call('b');
}

static void before_far(struct worker *of, void *own, enum wire_kind kind, uint64_t b)
{
	note_call('B');
}

static void after_near(struct worker *of, void *own, enum wire_kind kind, const void *frame)
{
	note_call('a');
	while (probe_put(of, WIRE_PATH, n_put + 1))
		n_put++;
}

static void after_far(struct worker *of, void *own, enum wire_kind kind, const void *frame)
{
	note_call('A');
	assert_true(probe_put(of, WIRE_COUNTER, 5));
}

static struct probe far = { .name = "far",
			    .order = PROBE_STRETCHES,
			    .worker_bytes = 8,
			    .open = open_far,
			    .come = come_far,
			    .before = before_far,
			    .after = after_far };
static struct probe near = { .name = "near",
			     .order = PROBE_MEASURES,
			     .worker_bytes = 1000,
			     .open = open_near,
			     .leave = leave_near,
			     .before = before_near,
			     .after = after_near };
static struct probe never = { .name = "never", .order = PROBE_TELLS, .open = open_never };
static struct probe still = { .name = "still", .order = PROBE_TELLS, .open = open_never };

static int begin(void **state)
{
	added = NULL;
	memset(calls, 0, sizeof(calls));
	memset(&session, 0, sizeof(session));
	worker = calloc(1, sizeof(*worker));
	worker->slot = slot;
	n_put = n_left = 0;
	far_comes = true;
	return 0;
}

static int end(void **state)
{
	free(worker);
	return 0;
}

/* ---- the tests ---- */

TEST_WITH(test_order, begin, end)
{
	probe_add(&far);
	probe_add(&near);
	probe_add(&never);
	probes_open(&session);
	assert_string_equal(calls, "nxf");
	assert_int_equal(session.n_counters, 2);
	probes_come(worker);
	probes_before(worker, WIRE_CREATE, 1);
	probes_after(worker, WIRE_CREATE, NULL);
	assert_string_equal(calls, "nxfbBAa");
	/* the notes of both, and the next event is looked at, too */
	assert_int_equal(n_put, PROBE_NOTES - 1);
	assert_int_equal(worker->head, PROBE_NOTES);
	assert_int_equal(worker->limit, worker->head);
	assert_int_equal(slot[0].a, WIRE_COUNTER);
	assert_int_equal(slot[1].b, 1);
	probes_before(worker, WIRE_RESUME, 1);
	probes_after(worker, WIRE_RESUME, NULL);
	assert_int_equal(n_put, 2 * (PROBE_NOTES - 1));
	probes_leave(worker);
	assert_null(worker->probed);
	assert_int_equal(n_left, 1);
}

/* A probe that does not come to a worker is not called for it, and is counted. */
TEST_WITH(test_stays_away, begin, end)
{
	far_comes = false;
	probe_add(&far);
	probe_add(&near);
	probes_open(&session);
	probes_come(worker);
	assert_int_equal(session.n_uncounted, 1);
	probes_before(worker, WIRE_CREATE, 1);
	assert_string_equal(calls, "nfb");
	probes_leave(worker);
}

/* Nothing is on: the worker is not watched.  A probe that wants no event changes no limit. */
TEST_WITH(test_costs_nothing, begin, end)
{
	probe_add(&never);
	probes_open(&session);
	probes_come(worker);
	assert_null(worker->probed);
	added = NULL;
	still.open = open_near;
	probe_add(&still);
	memset(&session, 0, sizeof(session));
	probes_open(&session);
	probes_come(worker);
	assert_non_null(worker->probed);
	worker->limit = 9;
	probes_before(worker, WIRE_CREATE, 1);
	probes_after(worker, WIRE_CREATE, NULL);
	assert_int_equal(worker->limit, 9);
	probes_leave(worker);
}

static uint64_t five(void)
{
	return 5;
}

TEST_WITH(test_time, begin, end)
{
	struct clock clock = { .source = CLOCK_SOURCE_MONOTONIC };

	assert_false(probe_rules_time());
	assert_int_not_equal(worker_ticks_by(&clock), 5);
	probe_rule_time(five);
	assert_true(probe_rules_time());
	assert_int_equal(worker_ticks_by(&clock), 5);
	probe_rule_time(NULL);
	assert_int_not_equal(worker_ticks_by(&clock), 5);
}

/* What stderr gets while a session begins. */
static const char *said(void)
{
	static char text[512];
	FILE *file = tmpfile();
	int before = dup(STDERR_FILENO);

	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	probes_open(&session);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	return text;
}

/* A variable asks for a probe that is not there. */
TEST_WITH(test_missing, begin, end)
{
	setenv("TPTRACE_VIRTUAL", "x", 1);
	assert_non_null(strstr(said(), "=x: libtpprobe_virtual.so is not in LD_PRELOAD"));
	unsetenv("TPTRACE_VIRTUAL");
	assert_string_equal(said(), "");
}
