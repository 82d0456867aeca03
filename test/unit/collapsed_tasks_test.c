/* SPDX-License-Identifier: MIT */
/* collapsed_tasks_test.c - records of collapsed tasks: whole, refused, and cut off. */
#include "test/unit/built.h"

#define HEAD                                                                                       \
	"tptrace text 2\n0 w0 root 0.1\n1 w0 create 0.2\n2 w0 resume 0.1\n"                        \
	"- w0 tally site=0 tasks 9\n"                                                              \
	"3 w1 begin 0.2\n- w1 collapsed made 1\n- w1 collapsed own 10\n"
#define WORK(ns) "- w1 collapsed work " #ns "\n"
#define REST                                                                                       \
	"- w1 collapsed span 25\n- w1 collapsed path 20\n- w1 collapsed chain 1\n"                 \
	"- w1 collapsed tasks 1\n- w1 collapsed idle-0 10\n- w1 collapsed busy-0 12\n"             \
	"- w1 collapsed busy-1 18\n"
#define STRAND 2 /* the record's */

static void check(uint64_t length_ns, uint64_t work_ns)
{
	const struct collapsed *collapsed = dag_collapsed(&dag, STRAND);
	uint64_t busy = 0, idle = 0;

	assert_non_null(collapsed);
	for (unsigned k = 0; k < WIRE_COLLAPSED_K; k++) {
		busy += collapsed->busy_ns[k];
		idle += collapsed->idle_ns[k];
	}
	assert_int_equal(dag_length(&dag, STRAND), length_ns);
	assert_int_equal(dag_work(&dag, STRAND), work_ns);
	assert_int_equal(busy, work_ns);
	assert_int_equal(busy + idle, length_ns);
	assert_true(collapsed->span_ns <= work_ns && collapsed->path_ns <= work_ns);
}

BUILT_TEST(test_whole)
{
	build(HEAD WORK(30) REST "43 w1 end\n50 w0 end\n");
	check(40, 30);
	assert_int_equal(dag_collapsed(&dag, STRAND)->own_ns, 10);
	assert_int_equal(dag_collapsed(&dag, STRAND)->span_ns, 25);
	assert_int_equal(dag_collapsed(&dag, STRAND)->n_tasks, 1);
}

TEST(test_lengths)
{
	static const struct {
		const char *text;
		uint64_t length_ns, work_ns;
	} record[] = {
		/* sums and times are rounded apart: a few ns more or less are made to fit */
		{ HEAD WORK(31) REST "44 w1 end\n50 w0 end\n", 41, 31 },
		{ HEAD WORK(29) REST "41 w1 end\n50 w0 end\n", 38, 29 },
		/* the trace ends inside it: it says when it ended, or is scaled to what there is */
		{ HEAD WORK(30) REST "90 w0 end\n", 40, 30 },
		{ HEAD WORK(30) REST "23 w0 end\n", 20, 15 },
	};

	for (size_t i = 0; i < sizeof(record) / sizeof(record[0]); i++) {
		build(record[i].text);
		check(record[i].length_ns, record[i].work_ns);
		built_end(NULL);
	}
}

TEST(test_invalid)
{
	/* more own work than work, work that no busy time covers, a length that is another */
	refuse(HEAD "- w1 collapsed work 5\n- w1 collapsed busy-0 5\n8 w1 end\n", "invalid sums");
	refuse(HEAD WORK(300) REST "43 w1 end\n", "invalid sums");
	refuse(HEAD WORK(30) REST "943 w1 end\n", "invalid sums");
	/* more tasks of its own, and on a path, than there were */
	refuse(HEAD WORK(30) REST "- w1 collapsed created 2\n43 w1 end\n", "invalid sums");
	refuse(HEAD WORK(30) REST "- w1 collapsed chain 4294967296\n43 w1 end\n", "invalid sums");
	/* it says that of no strand */
	refuse("tptrace text 2\n0 w0 root 0.1\n1 w0 wait children\n- w0 collapsed work 30\n",
	       "no strand begins");
}

/* A part of a task: from the event that begins a strand to the one that ends it, whatever it is. */
BUILT_TEST(test_part)
{
	build(HEAD WORK(30) REST "- w1 collapsed tasks 2\n"
				 "- w1 collapsed join-span 28\n- w1 collapsed join-chain 2\n"
				 "- w1 collapsed created 1\n- w1 collapsed waited 3\n"
				 "43 w1 wait children\n44 w1 resume 0.2\n45 w1 end\n50 w0 end\n");
	check(40, 30);
	assert_int_equal(dag_collapsed(&dag, STRAND)->join_span_ns, 28);
	assert_int_equal(dag_collapsed(&dag, STRAND)->join_chain, 2);
	assert_int_equal(dag_collapsed(&dag, STRAND)->n_created, 1);
	assert_int_equal(dag_collapsed(&dag, STRAND)->n_waited, 3);
	built_end(NULL);
	build("tptrace text 2\n0 w0 root 0.1\n- w0 collapsed own 3\n- w0 collapsed work 9\n"
	      "- w0 tally site=0 tasks 2\n"
	      "- w0 collapsed span 3\n- w0 collapsed path 3\n- w0 collapsed tasks 2\n"
	      "- w0 collapsed busy-1 9\n9 w0 fork 0.2\n10 w0 resume 0.1\n"
	      "- w0 collapsed own 4\n- w0 collapsed work 4\n- w0 collapsed busy-0 4\n14 w0 end\n");
	assert_int_equal(dag_work(&dag, 0), 9);
	assert_int_equal(dag_work(&dag, 1), 4);
	assert_int_equal(dag.n_collapsed_tasks, 2);
}

/* Fields are missing: then its task ran up to the end, as any that was cut off. */
BUILT_TEST(test_cut_in_fields)
{
	build(HEAD WORK(30) "90 w0 end\n");
	assert_null(dag_collapsed(&dag, STRAND));
	assert_int_equal(dag_work(&dag, STRAND), dag_length(&dag, STRAND));
}
