/* SPDX-License-Identifier: MIT */
/*
 * dag_test.c - the graph of each golden trace and of many random ones keeps its promises
 * (dag.h), and so do the numbers that follow from it; damaged traces are refused, or keep them
 * too.
 */
#include "tools/dag/dag.h"

#include "test/unit/goldens.h"
#include "test/unit/numbers.h"

#define BEGIN "tptrace text 2\nclock ns\n0 w0 root 0.1\n"
#define SEEDS 300
#define DAMAGED_EACH 12
#define GENERATE                                                                                   \
	"python3 -c 'import sys; sys.path.insert(0, \"test/prop\"); "                              \
	"from generate import generate; "                                                          \
	"[sys.stdout.write(generate(s) + chr(0)) for s in range(int(sys.argv[1]))]' %d"

/* Threads were not recorded, as it says. */
static bool unrecorded;

/* The predecessor that ended last, the first of equals, by looking at all edges. */
static strand_id slow_releaser(const struct dag *dag, strand_id s, uint32_t *n_extras)
{
	strand_id best = dag->strand[s].pred;

	*n_extras = 0;
	for (uint32_t e = 0; e < dag->n_extras; e++) {
		if (dag->extra[e].to != s)
			continue;
		++*n_extras;
		if (best == STRAND_NONE || dag_end(dag, dag->extra[e].from) > dag_end(dag, best))
			best = dag->extra[e].from;
	}
	return best;
}

static void check_edges(const struct dag *dag, struct random *random)
{
	uint32_t hint = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		uint32_t n_extras, any = (uint32_t)random_wide(random, 32);
		strand_id releaser = slow_releaser(dag, s, &n_extras);

		check(dag_releaser(dag, s, &hint) == releaser);
		check(dag_releaser(dag, s, &any) == releaser);
		any = (uint32_t)random_below(random, dag->n_extras + 2ull);
		check(dag_releaser(dag, s, &any) == releaser);
		check(releaser == STRAND_NONE || dag_end(dag, releaser) <= dag_start(dag, s));
		check(!(dag->how[s] & STRAND_EXTRA) == (n_extras == 0));
		if (dag_is_node(dag, s))
			check(n_extras > 0 && dag_start(dag, s) == dag_end(dag, releaser));
	}
}

/* A strand follows its task's strand before, or, the first one, what made the task. */
static void check_pred(const struct dag *dag, strand_id s, uint8_t *has_next)
{
	const struct strand *strand = &dag->strand[s];
	unsigned made_by;

	if (strand->pred == STRAND_NONE && (dag->n_gaps || dag->n_found || unrecorded))
		return; /* nobody knows what it follows */
	if (dag_is_node(dag, s)) {
		check(strand->pred == STRAND_NONE && dag_length(dag, s) == 0);
		check(!(dag->how[s] & STRAND_FIRST));
	} else if (!(dag->how[s] & STRAND_FIRST)) {
		check(strand->pred < s);
		check(dag->strand[strand->pred].task == strand->task);
		check(!has_next[strand->pred]);
		has_next[strand->pred] = 1;
	} else if (dag_kind(dag, s) == 0) {
		check(strand->pred == STRAND_NONE);
	} else {
		check(strand->pred < s);
		made_by = dag->how[strand->pred] & STRAND_ENDED_BY;
		check(made_by == WIRE_CREATE || made_by == WIRE_FORK);
	}
}

static void check_strands(const struct dag *dag)
{
	uint64_t *worker_end = calloc(dag->n_slots + 1, sizeof(*worker_end));
	uint8_t *has_next = calloc(dag->n_strands + 1, 1);
	uint8_t *n_first = calloc(dag->n_tasks + 1, 1);
	uint64_t last_start = 0;
	uint32_t n_nodes = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		const struct strand *strand = &dag->strand[s];

		check_pred(dag, s, has_next);
		if (dag_is_node(dag, s)) {
			n_nodes++;
			continue;
		}
		check(strand->worker < dag->n_slots && strand->task < dag->n_tasks);
		check(dag_start(dag, s) >= last_start);
		check(dag_start(dag, s) >= worker_end[strand->worker]);
		last_start = dag_start(dag, s);
		worker_end[strand->worker] = dag_end(dag, s);
		/* cut off: nothing follows, but where a thread that was not recorded made it */
		if (!(dag->how[s] & STRAND_ENDED_BY) && !dag->n_gaps &&
		    dag_end(dag, s) > dag_start(dag, s))
			worker_end[strand->worker] = UINT64_MAX;
		n_first[strand->task] += !!(dag->how[s] & STRAND_FIRST);
	}
	check(n_nodes == dag->n_nodes);
	for (task_id t = 0; t < dag->n_tasks; t++) {
		check(n_first[t] == !!(dag->task_state[t] & TASK_BEGUN));
		check(dag->task_kind[t] < dag->n_kinds);
	}
	free(worker_end);
	free(has_next);
	free(n_first);
}

/* No more strands run at once than there are workers. */
static void check_width(const struct dag *dag)
{
	for (strand_id s = 0; s < dag->n_strands && dag->n_strands < 1000; s++) {
		uint32_t n = 0;

		for (strand_id k = 0; k < dag->n_strands; k++)
			n += !dag_is_node(dag, k) && !dag->beside[dag->strand[k].worker] &&
			     dag_start(dag, k) <= dag_start(dag, s) &&
			     dag_end(dag, k) > dag_start(dag, s);
		check(n <= dag->n_workers);
	}
	check(dag->n_seen <= dag->n_slots);
}

static void check_counts(const struct dag *dag)
{
	uint64_t n_begun = 0, n_ended = 0, n_cancelled = 0;

	for (task_id t = 0; t < dag->n_tasks; t++) {
		unsigned state = dag->task_state[t];

		n_begun += !!(state & TASK_BEGUN);
		n_ended += !!(state & TASK_ENDED);
		n_cancelled += !!(state & TASK_CANCELLED);
		check(!(state & TASK_ENDED) || state & TASK_BEGUN);
		check(!(state & TASK_CANCELLED) || !(state & TASK_BEGUN));
	}
	check(n_begun == dag->n_begun && n_ended == dag->n_ended);
	check(n_cancelled == dag->n_cancelled);
	check_width(dag);
}

/* The events that have a time, by reading them worker by worker. */
static uint64_t count_timed(const struct reader *reader)
{
	uint64_t n = 0;

	for (uint32_t w = 0; w < reader_facts(reader)->n_workers; w++) {
		const struct event *event = NULL;
		struct cursor cursor;
		struct err err;

		cursor_open(&cursor, reader, w);
		while (cursor_next(&cursor, &event, &err) > 0)
			n += kind_timed(event->kind) &&
			     reader_ns(reader, event->units) <= reader_facts(reader)->whole_ns;
		cursor_close(&cursor);
	}
	return n;
}

/* Builds the graph of these bytes; whether there is one.  An error is told in one line. */
static bool check_trace(const void *bytes, size_t n)
{
	struct random random = { n };
	struct reader *reader;
	struct dag dag;
	struct err err;
	int error = trace_open(&reader, bytes, n, &err);

	if (error) {
		check(trace_told(error, &err));
		return false;
	}
	unrecorded = defs_meta(reader_defs(reader), "unrecorded_threads");
	error = dag_build(&dag, reader, &err);
	if (error) {
		check(trace_told(error, &err));
		check(dag.n_strands == 0 && !dag.strand && !dag.extra);
	} else {
		check(!dag_check(&dag));
		check(dag.n_events == count_timed(reader));
		check(dag.n_kinds <= n + 65536 + 1); /* no number in it makes more of itself */
		check_edges(&dag, &random);
		check_strands(&dag);
		check_counts(&dag);
		check_numbers(&dag);
		dag_free(&dag);
	}
	reader_close(reader);
	return error == 0;
}

/* ---- damage ---- */

/* Where line number `line` of a text begins. */
static size_t line_at(const struct bytes *text, uint64_t line)
{
	size_t at = 0;

	for (; line > 0 && at < text->n; line--)
		at += strcspn(text->at + at, "\n") + 1;
	return at;
}

/* A digit changes, a line goes, or is moved to another place: what a trace never looks like. */
static void damage(struct random *random, struct bytes *text)
{
	uint64_t n_lines = 0;
	size_t from, to, n;
	char line[400];

	for (size_t i = 0; i < text->n; i++)
		n_lines += text->at[i] == '\n';
	from = line_at(text, 2 + random_below(random, n_lines - 2));
	n = strcspn(text->at + from, "\n") + 1;
	if (n > sizeof(line))
		return;
	memcpy(line, text->at + from, n);
	if (random_one_in(random, 2)) {
		for (size_t i = from; i < from + n; i++)
			if (text->at[i] >= '0' && text->at[i] <= '9' && random_one_in(random, 3))
				text->at[i] = (char)('0' + random_below(random, 6));
		return;
	}
	memmove(text->at + from, text->at + from + n, text->n - from - n + 1);
	text->n -= n;
	if (random_one_in(random, 2))
		return;
	to = line_at(text, 2 + random_below(random, n_lines - 2));
	memmove(text->at + to + n, text->at + to, text->n - to + 1);
	memcpy(text->at + to, line, n);
	text->n += n;
}

static uint32_t check_damaged(struct random *random, const char *text, size_t n)
{
	uint32_t n_taken = 0;

	for (int i = 0; i < DAMAGED_EACH; i++) {
		struct bytes copy = { malloc(n + 1), n };

		memcpy(copy.at, text, n + 1);
		for (uint64_t times = 1 + random_below(random, 3); times > 0; times--)
			damage(random, &copy);
		n_taken += check_trace(copy.at, copy.n);
		bytes_free(&copy);
	}
	return n_taken;
}

/* ---- tests ---- */

static struct random damages = { 1 };
static uint32_t n_damaged_taken;

static void check_golden(const char *text, size_t n)
{
	check(check_trace(text, n));
	n_damaged_taken += check_damaged(&damages, text, n);
}

TEST(test_goldens)
{
	size_t n = goldens_each(GOLDENS, check_golden);

	assert_true(n_damaged_taken > n && n_damaged_taken < DAMAGED_EACH * n);
}

static void check_bad(const char *text, size_t n)
{
	check(!check_trace(text, n));
}

TEST(test_refused)
{
	goldens_each("test/golden/bad/*.txt", check_bad);
}

TEST(test_random)
{
	struct random random = { 2 };
	char command[400], seed[32];
	uint32_t n = 0, n_taken = 0;
	struct bytes all;
	FILE *in;

	if (system("command -v python3 >/dev/null")) {
		print_message("[ no python3: random graphs are not tested ]\n");
		skip();
	}
	snprintf(command, sizeof(command), GENERATE, SEEDS);
	in = popen(command, "r");
	assert_non_null(in);
	all = bytes_of(in);
	assert_int_equal(pclose(in), 0);
	for (size_t at = 0; at < all.n; n++) {
		size_t bytes = strlen(all.at + at);

		snprintf(seed, sizeof(seed), "seed %u", n);
		name = seed;
		check(check_trace(all.at + at, bytes));
		n_taken += check_damaged(&random, all.at + at, bytes);
		at += bytes + 1;
	}
	assert_int_equal(n, SEEDS);
	assert_true(n_taken > SEEDS && n_taken < DAMAGED_EACH * SEEDS);
	bytes_free(&all);
}

/* What a member of a large team does next: it has a child, waits for it, runs it, goes on. */
static void put_step(FILE *out, uint32_t w, uint32_t step, uint64_t ns)
{
	static const char *const line[] = { "%llu w%u create %u.%u site=2\n",
					    "%llu w%u resume %u.1\n",
					    "%llu w%u wait children site=3\n",
					    "%llu w%u begin %u.%u\n",
					    "%llu w%u end\n",
					    "%llu w%u resume %u.1\n" };
	unsigned long long at = ns;

	fprintf(out, line[step % 6], at, w, w, 2 + step / 6);
}

/* Many workers, whose events are at the same times or not: all come, and in order. */
TEST(test_large_team)
{
	enum { WORKERS = 700, STEPS = 6 * 4 };
	struct random random = { 4 };

	for (uint64_t most = 1; most < 100;
	     most += 49) { /* ns from one event to the next, less 1 */
		uint32_t left[WORKERS], n_left = WORKERS, step[WORKERS] = { 0 };
		struct bytes text = { 0 };
		FILE *out = open_memstream(&text.at, &text.n);
		unsigned long long ns = 5;

		fprintf(out, BEGIN "5 w0 fork 0.2 site=1 team\n");
		for (uint32_t w = 0; w < WORKERS; w++) {
			left[w] = w + 1; /* worker 0 only forks */
			fprintf(out, "%llu w%u member %u.1 of 0.2\n", ns, w + 1, w + 1);
			ns += random_below(&random, most);
		}
		while (n_left > 0) {
			uint32_t i = (uint32_t)random_below(&random, n_left), w = left[i];

			ns += random_below(&random, most);
			if (step[w - 1] < STEPS) {
				put_step(out, w, step[w - 1]++, ns);
				continue;
			}
			fprintf(out, "%llu w%u end\n", ns, w);
			left[i] = left[--n_left];
		}
		fprintf(out, "%llu w0 resume 0.1\n%llu w0 end\n", ns, ns + 1);
		fclose(out);
		name = most == 1 ? "large team, at once" : "large team";
		check(check_trace(text.at, text.n));
		bytes_free(&text);
	}
}

/* Sites that nobody made known: a few of them with high numbers do not make many kinds. */
TEST(test_high_sites)
{
	struct bytes text = { 0 };
	FILE *out = open_memstream(&text.at, &text.n);

	fprintf(out, BEGIN);
	for (unsigned i = 0, site = 65535; i < 6; i++, site = 2 * site + 65535)
		fprintf(out, "%u w0 create 0.%u site=%u\n%u w0 resume 0.1\n", i, i + 2, site, i);
	fclose(out);
	name = "high sites";
	check_trace(text.at, text.n);
	bytes_free(&text);
}

static void check_text(const char *what, const char *text, bool taken)
{
	name = what;
	check(check_trace(text, strlen(text)) == taken);
}

/* Nothing at all, no events, one event. */
TEST(test_tiny)
{
	check_text("nothing", "tptrace text 2\n", true);
	check_text("root", "tptrace text 2\n5 w0 root 0.1\n", true);
	check_text("root and end", "tptrace text 2\n5 w3 root 3.1\n5 w3 end\n", true);
	check_text("details only", "tptrace text 2\n- w0 lost 5\n- w0 next-id 9\n", true);
	check_text("a long strand", "tptrace text 2\n0 w0 root 0.1\n281474976710655 w0 end\n",
		   true);
	check_text("too long", "tptrace text 2\n0 w0 root 0.1\n281474976710656 w0 end\n", false);
}

/* Handles where there should be none: either answer will do, but no crash and no hang. */
TEST(test_odd_handles)
{
	static const char *const odd[] = {
		/* of an implicit task, signalled after its end */
		BEGIN "1 w0 fork 0.2 site=1 team\n2 w1 member 1.1 of 0.2\n- w1 handle 0x10\n"
		      "3 w1 end\n4 w0 resume 0.1\n5 w0 signal 0x10\n",
		/* two of one task */
		BEGIN "1 w0 create 0.2 site=1\n2 w0 resume 0.1\n2 w1 begin 0.2\n- w1 handle 0x10\n"
		      "- w1 handle 0x20\n3 w0 signal 0x10\n4 w0 resume 0.1\n5 w1 end\n"
		      "6 w0 signal 0x20\n",
		/* two of one task, both signalled after its end */
		BEGIN "1 w0 create 0.2 site=1\n2 w0 resume 0.1\n2 w1 begin 0.2\n- w1 handle 0x10\n"
		      "- w1 handle 0x20\n3 w1 end\n4 w0 signal 0x10\n4 w0 resume 0.1\n"
		      "5 w0 signal 0x20\n5 w0 resume 0.1\n6 w0 wait children site=1\n"
		      "7 w0 resume 0.1\n",
		/* the same again and again */
		BEGIN "1 w0 create 0.2 site=1\n2 w0 resume 0.1\n2 w1 begin 0.2\n- w1 handle 0x10\n"
		      "- w1 handle 0x10\n3 w1 end\n4 w0 signal 0x10\n4 w0 resume 0.1\n"
		      "5 w0 signal 0x10\n",
		/* two tasks share one */
		BEGIN "- w0 handle 0x10\n1 w0 create 0.2 site=1\n2 w0 resume 0.1\n2 w1 begin 0.2\n"
		      "- w1 handle 0x10\n3 w1 end\n4 w0 signal 0x10\n4 w0 resume 0.1\n"
		      "5 w0 signal 0x10\n",
		/* of the root itself */
		BEGIN "- w0 handle 0x10\n1 w0 end\n2 w1 root 1.1\n3 w1 signal 0x10\n",
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		char what[32];

		snprintf(what, sizeof(what), "odd handle %zu", i);
		name = what;
		check_trace(odd[i], strlen(odd[i]));
	}
}

/* Worker 1 has nothing to do all the time, and is charged with just that: not with more or less. */
static void check_idle(const char *text, uint64_t elapsed_ns)
{
	struct reader *reader;
	struct pauses pauses;
	struct breakdown b;
	struct ready_path path;
	struct dag dag;
	struct err err;

	check(trace_open(&reader, text, strlen(text), &err) == 0);
	check(dag_build(&dag, reader, &err) == 0);
	ready_path_build(&path, &dag, RUNTIMES_ALL);
	pauses_find(&pauses, &dag);
	breakdown_build(&b, &dag, &path, &pauses, NULL);
	check(b.worker[1].no_work_app_ns > elapsed_ns - elapsed_ns / 1000);
	check(b.worker[1].no_work_app_ns < elapsed_ns + elapsed_ns / 1000);
	breakdown_free(&b);
	pauses_free(&pauses);
	ready_path_free(&path);
	dag_free(&dag);
	reader_close(reader);
}

#define MANY_WORKERS "tptrace text 2\nclock ns\nruntime 0 name=x workers=1048576\n"

/*
 * Idle time of a million workers that nobody saw: counted in 2^-12 ns it does not fit 64 bits,
 * and at last not even in ns.
 */
TEST(test_many_workers)
{
	check_text("many workers",
		   MANY_WORKERS "0 w0 root 0.1\n4294973439 w1 root 1.1\n4294973440 w1 end\n"
				"4294973440 w0 end\n",
		   true);
	check_text("more workers",
		   MANY_WORKERS "0 w0 root 0.1\n7999999999999 w1 root 1.1\n"
				"8000000000000 w1 end\n8000000000000 w0 end\n",
		   true);
	check_idle(MANY_WORKERS "0 w0 root 0.1\n7999999999999 w1 root 1.1\n"
				"8000000000000 w1 end\n8000000000000 w0 end\n",
		   8000000000000);
	check_text("too many workers",
		   MANY_WORKERS "0 w0 root 0.1\n99999999999999 w1 root 1.1\n"
				"100000000000000 w1 end\n100000000000000 w0 end\n",
		   false);
}
