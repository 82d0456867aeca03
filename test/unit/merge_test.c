/* SPDX-License-Identifier: MIT */
/* merge_test.c - the events of all workers come in order of time, on any number of threads. */
#include "tools/dag/merge.h"

#include "test/unit/check.h"
#include "test/unit/random.h"
#include "test/unit/trace.h"
#include "tools/base/order.h"
#include "tools/base/threads.h"

#define WORKERS 40u

struct expected {
	uint64_t ns;
	uint32_t worker, number; /* of the worker's events; the operand says both */
	bool timed;
};

/* Untimed events follow the one before; of several workers at one time, the first is the first. */
static int by_time(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;

	return order_least(x->ns, y->ns) ?: order_least(x->worker, y->worker) ?:
	       order_least(x->number, y->number);
}

/* Times are often equal, mostly near, and sometimes far apart. */
static uint64_t later(struct random *random)
{
	if (random_one_in(random, 3))
		return 0;
	return random_one_in(random, 1000) ? random_wide(random, 41) : random_below(random, 5);
}

static uint32_t write_worker(FILE *out, struct expected *all, uint32_t worker, uint32_t n,
			     struct random *random)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < n; i++) {
		bool timed = !random_one_in(random, 4);

		ns += timed ? later(random) : 0;
		all[i] = (struct expected){ ns, worker, i, timed };
		if (timed)
			fprintf(out, "%llu w%u signal %#x\n", (unsigned long long)ns, worker,
				worker << 24 | i);
		else
			fprintf(out, "- w%u cancel %u\n", worker, worker << 24 | i);
	}
	return n;
}

static unsigned none_first(const void *context, uint32_t worker, const struct event *event)
{
	return 0;
}

/* What the worker does after all[at]: its place there, or n. */
static uint32_t upcoming(const struct expected *all, uint32_t n, uint32_t at, uint32_t worker)
{
	for (at++; at < n && all[at].worker != worker; at++)
		;
	return at;
}

static void check_merge(const struct reader *reader, const struct expected *all, uint32_t n,
			struct random *random)
{
	uint32_t n_workers = reader_facts(reader)->n_workers;
	const struct event *event = NULL;
	struct merge merge;
	struct err err;
	uint64_t ns;

	assert_int_equal(merge_open(&merge, reader, false, &err), 0);
	merge.rank = none_first;
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(merge_next(&merge, &event, &ns, &err), 1);
		assert_int_equal(ns, all[i].ns);
		assert_int_equal(merge.worker, all[i].worker);
		assert_int_equal(event->worker, all[i].worker);
		assert_int_equal(event->b, all[i].worker << 24 | all[i].number);
		if (!random_one_in(random, 16))
			continue;
		uint32_t worker = (uint32_t)random_below(random, n_workers);
		uint32_t next = upcoming(all, n, i, worker);
		uint32_t kind = merge_upcoming(&merge, worker, &ns);

		if (next == n) {
			assert_int_equal(kind, WIRE_NONE);
		} else if (kind == WIRE_NONE) { /* it is not there yet */
			assert_int_equal(all[next].number, 0);
		} else {
			assert_int_equal(kind, all[next].timed ? WIRE_SIGNAL : WIRE_CANCEL);
			assert_int_equal(ns, all[next].ns);
		}
	}
	assert_int_equal(merge_next(&merge, &event, &ns, &err), 0);
	merge_close(&merge);
}

/* So many workers with about so many events each. */
static void check_workers(uint32_t n_workers, uint32_t n_each)
{
	struct random random = { n_workers };
	struct expected *all = malloc((size_t)n_workers * 2 * n_each * sizeof(*all));
	struct bytes text = { 0 };
	FILE *out = open_memstream(&text.at, &text.n);
	struct reader *reader;
	struct err err;
	uint32_t n = 0;

	assert_non_null(all);
	fprintf(out, "tptrace text 2\nclock ns\n");
	for (uint32_t w = 0; w < n_workers; w++)
		n += write_worker(out, all + n, w, 1 + (uint32_t)random_below(&random, 2 * n_each),
				  &random);
	fclose(out);
	qsort(all, n, sizeof(*all), by_time);
	assert_int_equal(trace_open(&reader, text.at, text.n, &err), 0);
	for (uint32_t threads = 1; threads <= 4; threads++) {
		threads_want(threads);
		check_merge(reader, all, n, &random);
	}
	threads_want(0);
	reader_close(reader);
	bytes_free(&text);
	free(all);
}

TEST(test_workers)
{
	for (uint32_t n = 1; n <= WORKERS; n = n < 5 ? n + 1 : n * 2)
		check_workers(n, 2000);
}

TEST(test_many_blocks)
{
	check_workers(3, ENCODE_EVENTS_MAX);
}

/* One time, and more events than a batch has. */
TEST(test_one_time)
{
	struct bytes text = { 0 };
	FILE *out = open_memstream(&text.at, &text.n);
	struct expected all[5000];
	struct random random = { 1 };
	struct reader *reader;
	struct err err;

	fprintf(out, "tptrace text 2\nclock ns\n");
	for (uint32_t i = 0; i < 5000; i++) {
		all[i] = (struct expected){ 7, i / 2500, i % 2500, true };
		fprintf(out, "7 w%u signal %#x\n", i / 2500, i / 2500 << 24 | i % 2500);
	}
	fclose(out);
	assert_int_equal(trace_open(&reader, text.at, text.n, &err), 0);
	check_merge(reader, all, 5000, &random);
	reader_close(reader);
	bytes_free(&text);
}
