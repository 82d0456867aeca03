/* SPDX-License-Identifier: MIT */
/* held_test.c - to which strand, and to which instant, a note of the recorder's hold belongs. */
#include "test/unit/built.h"

static void check(uint64_t i, uint64_t ns, uint64_t length_ns, uint32_t worker, bool after)
{
	assert_true(i < dag.n_holds);
	assert_int_equal(dag.hold[i].ns, ns);
	assert_int_equal(dag.hold[i].length_ns, length_ns);
	assert_int_equal(dag.hold[i].worker, worker);
	assert_int_equal(dag.hold[i].after, after);
}

/* An event that begins a strand reads the clock last: the hold was over at that instant. */
BUILT_TEST(test_before_begin)
{
	build("tptrace text 2\n10 w0 root 0.1\n20 w0 create 0.2\n- w0 tracer 5\n30 w0 resume 0.1\n"
	      "40 w0 end\n");
	assert_int_equal(dag.n_holds, 1);
	assert_int_equal(dag.held_ns, 5);
	check(0, 20, 5, 0, false);
	assert_int_equal(dag_start(&dag, dag.hold[0].strand), 20);
}

/* One that ends a strand reads it first: the hold began then, and lies after that strand. */
BUILT_TEST(test_before_end)
{
	build("tptrace text 2\n10 w0 root 0.1\n- w0 tracer 7\n20 w0 create 0.2\n30 w0 resume 0.1\n"
	      "40 w0 end\n");
	assert_int_equal(dag.n_holds, 1);
	check(0, 10, 7, 0, true);
	assert_int_equal(dag_end(&dag, dag.hold[0].strand), 10);
}

/* Before an event without a time it began at the event before; inside a strand it is its work. */
BUILT_TEST(test_before_untimed)
{
	build("tptrace text 2\n10 w0 root 0.1\n- w0 tracer 9\n- w0 group\n20 w0 wait object\n"
	      "- w0 tracer 3\n- w0 object 0x5\n30 w0 resume 0.1\n40 w0 end\n");
	assert_int_equal(dag.n_holds, 1);
	assert_int_equal(dag.held_ns, 12);
	check(0, 10, 3, 0, true);
}

/* Several notes before one event are one hold; a note after the last strand is the end's. */
BUILT_TEST(test_several)
{
	build("tptrace text 2\n10 w0 root 0.1\n20 w0 create 0.2\n- w0 tracer 2\n- w0 tracer 4\n"
	      "30 w0 resume 0.1\n21 w1 begin 0.2\n25 w1 end\n- w1 tracer 6\n40 w0 end\n");
	assert_int_equal(dag.n_holds, 2);
	assert_int_equal(dag.held_ns, 12);
	check(0, 20, 6, 0, false);
	check(1, 15, 6, 1, true);
}
