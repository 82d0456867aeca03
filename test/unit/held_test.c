/* SPDX-License-Identifier: MIT */
/* held_test.c - to which strand, and to which instant, a note of the recorder's hold belongs. */
#include "test/unit/built.h"

struct wanted {
	uint64_t ns, length_ns;
	uint32_t worker;
	bool after;
};

static const struct {
	const char *text;
	uint64_t held_ns; /* of all, those inside strands, too */
	uint32_t n;
	struct wanted hold[2];
} trace[] = {
	/* an event that begins a strand reads the clock last: the hold was over at that instant */
	{ "tptrace text 2\n10 w0 root 0.1\n20 w0 create 0.2\n- w0 tracer 5\n30 w0 resume 0.1\n"
	  "40 w0 end\n",
	  5, 1, { { 20, 5, 0, false } } },
	/* one that ends a strand reads it first: the hold began then, and lies after that strand */
	{ "tptrace text 2\n10 w0 root 0.1\n- w0 tracer 7\n20 w0 create 0.2\n30 w0 resume 0.1\n"
	  "40 w0 end\n",
	  7, 1, { { 10, 7, 0, true } } },
	/* before an event without a time it began at the one before; inside a strand it is work */
	{ "tptrace text 2\n10 w0 root 0.1\n- w0 tracer 9\n- w0 group\n20 w0 wait object\n"
	  "- w0 tracer 3\n- w0 object 0x5\n30 w0 resume 0.1\n40 w0 end\n",
	  12, 1, { { 10, 3, 0, true } } },
	/* several notes before one event are one hold; one after the last strand is the end's */
	{ "tptrace text 2\n10 w0 root 0.1\n20 w0 create 0.2\n- w0 tracer 2\n- w0 tracer 4\n"
	  "30 w0 resume 0.1\n21 w1 begin 0.2\n25 w1 end\n- w1 tracer 6\n40 w0 end\n",
	  12, 2, { { 20, 6, 0, false }, { 15, 6, 1, true } } },
};

/* Such a hold ends where the strand behind it begins, or begins where that before it ends. */
static void check(uint32_t i, const struct wanted *want)
{
	const struct hold *is = &dag.hold[i];

	assert_int_equal(is->ns, want->ns);
	assert_int_equal(is->length_ns, want->length_ns);
	assert_int_equal(is->worker, want->worker);
	assert_int_equal(is->after, want->after);
	assert_int_equal(want->after ? dag_end(&dag, is->strand) : dag_start(&dag, is->strand),
			 want->ns);
}

BUILT_TEST(test_holds)
{
	for (size_t i = 0; i < sizeof(trace) / sizeof(trace[0]); i++) {
		build(trace[i].text);
		assert_int_equal(dag.n_holds, trace[i].n);
		assert_int_equal(dag.held_ns, trace[i].held_ns);
		for (uint32_t k = 0; k < trace[i].n; k++)
			check(k, &trace[i].hold[k]);
	}
}
